# SPDX-License-Identifier: GPL-2.0-or-later
"""Scripts for gnuplot 5, and having them drawn: NAME.gp, NAME.svg and NAME.png.

A script says neither terminal nor output, so that it draws in any form: gnuplot -e "set
terminal pdfcairo; set output 'time.pdf'" time.gp.
"""

import math
import os
import shutil
import subprocess

FONT = "Helvetica"
GRID = "#e2e2e2"
BAND = "#f6f6f6"
# Suffix, terminal, points of its font and units of its size in a pixel of the SVG.
FORMS = [("svg", "svg enhanced background rgb 'white' linewidth 1.2", 12, 1),
         ("png", "pngcairo enhanced background rgb 'white' linewidth 2 pointscale 2",
          22, 2)]

SETUP = f"""set encoding utf8
set border 3 linecolor rgb '#555555'
set tics nomirror out textcolor rgb '#222222'
set grid xtics ytics linetype 1 linecolor rgb '{GRID}' linewidth 0.7
set key noenhanced
"""


class Refused(Exception):
    """gnuplot did not take a script."""


class Script:
    """Lines for gnuplot, and how large the figure is, in pixels."""

    def __init__(self, width, height):
        self.width = width
        self.height = height
        self.lines = []

    def put(self, *lines):
        self.lines += lines

    def data(self, name, rows):
        self.put(f"${name} << END", *(" ".join(map(word_of, row)) for row in rows), "END")

    def text(self):
        return SETUP + "\n".join(self.lines) + "\n"


def word_of(value):
    return "NaN" if value is None else f"{value:.9g}"


def quoted(text):
    """In single quotes, in which nothing is special but a quote."""
    clean = "".join(c if c.isprintable() else "?" for c in text)
    return "'" + clean.replace("'", "''") + "'"


def look_of(mode):
    return f"linecolor rgb '{mode.colour}' pointtype {mode.point} pointsize {mode.size}"


def put_plots(script, plots):
    script.put("plot " + ", \\\n     ".join(plots))


def decimal(value):
    """A number as tics have it: never with an exponent."""
    return f"{value:.10f}".rstrip("0").rstrip(".")


def log_range(values):
    """A range for a logarithmic axis, with some room at both ends."""
    return min(values) / 1.15, max(values) * 1.15


def leads_of(low, high):
    """The figures that tics begin with, fewer in a wider range."""
    if high / low < 2.5:
        return (1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 2.2, 2.5, 3, 3.5, 4, 5, 6, 7, 8)
    if high / low < 8:
        return (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
    few = high / low < 5e3 and 1e-3 < low < high < 1e5
    return (1, 2, 5) if few else (1,)


def log_tics(low, high):
    """Where tics are and what they say."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    leads = leads_of(low, high)
    powers = leads == (1,) and not -4 < exponents[0] < exponents[-1] < 6
    tics = [(lead * 10.0 ** exponent,
             f"10^{{{exponent}}}" if powers else decimal(lead * 10.0 ** exponent))
            for exponent in exponents for lead in leads]
    return ", ".join(f"'{label}' {at:.9g}" for at, label in tics if low <= at <= high)


def found():
    return shutil.which("gnuplot") is not None


def save(script, folder, name):
    with open(os.path.join(folder, f"{name}.gp"), "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: GPL-2.0-or-later\n" + script.text())


def draw(script, folder, name):
    """Has the saved script drawn in each of FORMS; what gnuplot warns of."""
    said = set()
    for suffix, terminal, points, scale in FORMS:
        size = f"{script.width * scale},{script.height * scale}"
        begin = f"set terminal {terminal} font '{FONT},{points}' size {size}; " \
                f"set output '{name}.{suffix}'"
        done = subprocess.run(["gnuplot", "-e", begin, f"{name}.gp"], cwd=folder,
                              check=False, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)
        words = f"gnuplot, {name}.gp: {' '.join(done.stderr.split())[-500:]}"
        if done.returncode:
            raise Refused(words)
        if done.stderr:
            said.add(words)
    return said
