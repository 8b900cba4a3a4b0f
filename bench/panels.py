# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures with a measure against another: panels side by side, under one key."""

from dataclasses import dataclass

from gnuplot import Script, decimal, log_range, log_tics, look_of, put_plots, quoted
from modes import rank

WIDTH = 400   # of a panel, in pixels
HEIGHT = 350
KEY_LINE = 20
LEFT = 76     # for the numbers of an axis and its title
RIGHT, TOP, BOTTOM = 18, 12, 56
STEPS = 100    # of a line
LETTER = 6.6   # how wide one is in the key, about
KEY_MARK = 44


@dataclass
class Curve:
    """A mode's points (x, Figure), and the Line through them, if it is to be drawn."""

    mode: object
    points: list
    line: object = None
    joined: bool = False  # from point to point


@dataclass
class Panel:
    """Curves over the same axes; `log` names the logarithmic ones: "x", "y", "xy"."""

    x_title: str
    y_title: str
    curves: list
    log: str = ""
    ticks: tuple = ()  # of x; empty: gnuplot's own

    def shown(self):
        """The curves without what a logarithmic axis has no place for."""
        for curve in self.curves:
            points = [(x, figure) for x, figure in curve.points
                      if ("x" not in self.log or x > 0) and
                      ("y" not in self.log or figure.low > 0)]
            if points:
                yield Curve(curve.mode, points, curve.line, curve.joined)


def put_axis(script, which, values, log, ticks):
    if log:
        low, high = log_range(values)
        script.put(f"set logscale {which}", f"set {which}range [{low:.9g}:{high:.9g}]",
                   f"set {which}tics ({log_tics(low, high)})")
    else:
        script.put(f"unset logscale {which}", f"set {which}tics auto",
                   f"set {which}range [0:{max(values) * 1.1 or 1:.9g}]")
    if ticks:
        script.put(f"set {which}tics ({', '.join(f'{decimal(x)!r} {x}' for x in ticks)})")


def put_place(script, at, width, height):
    """Where the at-th panel is in the figure."""
    script.put(f"set lmargin at screen {(at * width + LEFT) / script.width:.5f}",
               f"set rmargin at screen {((at + 1) * width - RIGHT) / script.width:.5f}",
               f"set bmargin at screen {BOTTOM / script.height:.5f}",
               f"set tmargin at screen {(height - TOP) / script.height:.5f}")


def put_key(script, panels):
    """Marks and names of all modes of all panels, in rows above them."""
    modes = {curve.mode.word: curve.mode for panel in panels for curve in panel.shown()}
    x, row, places = LEFT, 0, []
    for mode in sorted(modes.values(), key=rank):
        step = len(mode.label) * LETTER + KEY_MARK
        if x + step > script.width and x > LEFT:
            x, row = LEFT, row + 1
        places.append((mode, x, row))
        x += step
    script.height += (row + 1) * KEY_LINE
    for mode, x, row in places:
        y = KEY_LINE * (row + 0.7)
        script.put(f"set label {quoted(mode.label)} at screen {x / script.width:.5f}, "
                   f"screen {1 - y / script.height:.5f} left noenhanced "
                   f"point {look_of(mode)} offset character 1,-0.15")


def along(curve):
    """Points of its line, enough for it to be smooth on logarithmic axes, too."""
    low, high = curve.points[0][0], curve.points[-1][0]
    xs = [low * (high / low) ** (step / STEPS) for step in range(STEPS + 1)]
    return [(x, curve.line.at(x)) for x in xs]


def plots_of(script, panel, at):
    """What follows "plot": points with their spread, and lines."""
    plots = []
    for number, curve in enumerate(panel.shown()):
        name = f"p{at}c{number}"
        mode = curve.mode
        script.data(name, [(x, figure.median, figure.low, figure.high)
                           for x, figure in curve.points])
        colour = f"linecolor rgb '{mode.colour}'"
        if curve.joined:
            plots.append(f"${name} using 1:2 with lines {colour} notitle")
        if curve.line:
            script.data(f"{name}line", along(curve))
            plots.append(f"${name}line using 1:2 with lines {colour} notitle")
        plots += [f"${name} using 1:3:(0):($4-$3) with vectors nohead {colour} notitle",
                  f"${name} using 1:2 with points {look_of(mode)} notitle"]
    return plots


def figure(panels, width=WIDTH, height=HEIGHT):
    """A Script, or None when no panel has anything to show."""
    panels = [panel for panel in panels if list(panel.shown())]
    if not panels:
        return None
    script = Script(width * len(panels), height)
    script.put("set multiplot", "unset key")
    put_key(script, panels)
    for at, panel in enumerate(panels):
        put_place(script, at, width, height)
        points = [point for curve in panel.shown() for point in curve.points]
        put_axis(script, "x", [x for x, _ in points], "x" in panel.log, panel.ticks)
        ends = [y for _, figure in points for y in (figure.low, figure.high)]
        put_axis(script, "y", ends, "y" in panel.log, ())
        script.put(f"set xlabel {quoted(panel.x_title)}",
                   f"set ylabel {quoted(panel.y_title)} offset 1,0")
        put_plots(script, plots_of(script, panel, at))
        script.put("unset label")
    script.put("unset multiplot")
    return script
