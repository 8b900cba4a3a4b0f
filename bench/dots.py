# SPDX-License-Identifier: GPL-2.0-or-later
"""The figure most results are shown as: rows of dots on one axis, with their spread.

Bars would begin at a zero that a logarithmic axis has not; a dot's place is all it says.
Each row is a guest; its modes lie below each other within it, so no dot hides another.
"""

from dataclasses import dataclass

from derive import mean_of
from gnuplot import BAND, Script, log_range, log_tics, look_of, put_plots, quoted
from results import Figure

LINE = 6        # pixels of a row for each of its modes
LEAST_ROW = 26
KEY_LINE = 25
AROUND = 74     # pixels above and below all rows
WIDTH = 820
MEAN = "geometric mean"


@dataclass
class Series:
    """A mode's dots: guest to Figure."""

    mode: object
    figures: dict


@dataclass
class Axis:
    """What is measured, and values to mark with a line: (value, what it is)."""

    title: str
    log: bool = True
    lines: tuple = ()


def with_mean(figures, guests):
    """With the geometric mean as one more guest, if several have one, and all."""
    medians = {guest: figures[guest].median for guest in guests if guest in figures}
    if len(guests) < 2 or len(medians) < len(guests) or min(medians.values()) <= 0:
        return figures
    mean = mean_of(medians)
    return {**figures, MEAN: Figure(mean, mean, mean, 1)}


def place(row, at, n):
    """Where the at-th of n series is in a row that is 1 high."""
    return row + (at - (n - 1) / 2) * 0.84 / n


def rows_of(series, guests, at, n, log):
    for row, guest in enumerate(guests):
        figure = series.figures.get(guest)
        if figure and (figure.median > 0 or not log):
            low = figure.low if figure.low > 0 or not log else figure.median
            yield figure.median, place(row, at, n), low, figure.high


def put_rows(script, guests):
    """The names, a band behind every other row, and a line above the mean."""
    n = len(guests)
    labels = ", ".join(f"{quoted(guest)} {row}" for row, guest in enumerate(guests))
    script.put(f"set yrange [{n - 0.5}:-0.5]", f"set ytics scale 0 noenhanced ({labels})",
               "set grid noytics")
    for row in range(1, n, 2):
        script.put(f"set object rectangle from graph 0, first {row - 0.5} to graph 1, "
                   f"first {row + 0.5} fillcolor rgb '{BAND}' fillstyle solid noborder "
                   "behind")
    if guests[-1] == MEAN:
        script.put(f"set arrow from graph 0, first {n - 1.5} to graph 1, first {n - 1.5} "
                   "nohead linecolor rgb '#999999' back")


def put_axis(script, axis, values):
    script.put(f"set xlabel {quoted(axis.title)}")
    if axis.log:
        low, high = log_range(values + [value for value, _ in axis.lines])
        script.put("set logscale x", f"set xrange [{low:.9g}:{high:.9g}]",
                   f"set xtics ({log_tics(low, high)})")
    else:
        high = max(values + [value for value, _ in axis.lines])
        script.put(f"set xrange [0:{high * 1.08 or 1:.9g}]")
    for value, what in axis.lines:
        script.put(f"set arrow from first {value}, graph 0 to first {value}, graph 1 "
                   "nohead linecolor rgb '#555555' dashtype 2 back",
                   f"set label {quoted(what)} at first {value}, graph 1 offset 0,0.6 "
                   "center noenhanced textcolor rgb '#555555'")


def figure(all_series, order, axis, mean=True):
    """A Script with the guests that have any, in that order, and their geometric mean."""
    guests = [guest for guest in order
              if any(guest in series.figures for series in all_series)]
    if mean:
        all_series = [Series(series.mode, with_mean(series.figures, guests))
                      for series in all_series]
        guests += [MEAN] * any(MEAN in series.figures for series in all_series)
    n = len(all_series)
    points = {s.mode.word: list(rows_of(s, guests, at, n, axis.log))
              for at, s in enumerate(all_series)}
    shown = [s.mode for s in all_series if points[s.mode.word]]
    if not shown:
        return None
    rows = max(LEAST_ROW, LINE * n + 4) * len(guests)
    script = Script(WIDTH, AROUND + max(rows, KEY_LINE * len(shown)))
    put_rows(script, guests)
    put_axis(script, axis, [x for rows in points.values() for row in rows
                            for x in (row[0], row[2], row[3])])
    script.put("set key outside right top vertical Left reverse samplen 1 spacing 1.3",
               "set tmargin 2", "set bars 0")
    plots = []
    for at, mode in enumerate(shown):
        script.data(f"m{at}", points[mode.word])
        plots.append(f"$m{at} using 1:2:3:4 with xerrorbars {look_of(mode)} title "
                     f"{quoted(mode.label)}")
    put_plots(script, plots)
    return script
