# SPDX-License-Identifier: GPL-2.0-or-later
"""What a benchmark measured: the tidy CSV that it writes, read and asked.

The file opens with lines "# key: value" about the machine; then a heading and one row for
each figure: part,guest,mode,x,measure,median,low,high,n. Which rows there are depends on
what was run, so everything that asks has to bear None.
"""

import csv
import math
from dataclasses import dataclass

import rows

COLUMNS = list(rows.Row._fields)


class Malformed(Exception):
    """A file that is no benchmark's: which, where, and why."""


@dataclass(frozen=True)
class Figure:
    """A measure's median over n rounds, with the least and the greatest."""

    median: float
    low: float
    high: float
    n: int

    def spread(self):
        """From the least to the greatest, as a part of the median."""
        return (self.high - self.low) / self.median if self.median else 0.0


def number_of(text, what):
    try:
        value = float(text)
    except ValueError:
        raise Malformed(f"{what} is {text!r}, which is no number") from None
    if not math.isfinite(value):
        raise Malformed(f"{what} is {text}")
    return value


def figure_of(row):
    median, low, high, n = (number_of(row[key], key) for key in COLUMNS[5:])
    if not low <= median <= high:
        raise Malformed(f"the median {median:g} is not between {low:g} and {high:g}")
    if n < 1 or n != int(n):
        raise Malformed(f"n is {row['n']}")
    return Figure(median, low, high, int(n))


class Results:
    """All figures, in the file's order."""

    def __init__(self):
        self.facts = {}    # of the machine
        self.figures = {}  # (part, guest, mode, x, measure); x is None or a number
        self.parts = {}    # the keys of each

    def add(self, row):
        if None in row or None in row.values():
            raise Malformed(f"not {len(COLUMNS)} fields")
        x = number_of(row["x"], "x") if row["x"] else None
        key = (row["part"], row["guest"], row["mode"], x, row["measure"])
        if key in self.figures:
            raise Malformed("a second time " + ",".join(str(word) for word in key))
        self.figures[key] = figure_of(row)
        self.parts.setdefault(row["part"], []).append(key)

    def get(self, part, guest, mode, measure, x=None):
        """The figure, or None."""
        return self.figures.get((part, guest, mode, x, measure))

    def median(self, *key, **more):
        figure = self.get(*key, **more)
        return figure.median if figure else None

    def named(self, column, **wanted):
        """The different words of a column, in order, of the rows that are as wanted."""
        at = COLUMNS.index(column)
        keys = self.parts.get(wanted["part"], []) if "part" in wanted else self.figures
        wanted = [(COLUMNS.index(name), word) for name, word in wanted.items()]
        return list(dict.fromkeys(key[at] for key in keys
                                  if all(key[place] == word for place, word in wanted)))

    def guests(self):
        return self.named("guest")

    def medians(self, part, mode, measure):
        """By guest, of those that have it."""
        return {key[1]: self.figures[key].median for key in self.parts.get(part, [])
                if (key[2], key[4]) == (mode, measure)}

    def anywhere(self, measure, guest, mode="waymark"):
        """A measure that does not depend on the part; full lengths are asked first."""
        for part in dict.fromkeys(["programs", "codec", *self.parts]):
            figure = self.get(part, guest, mode, measure)
            if figure:
                return figure
        return None

    def by_guest(self, measure, mode="waymark"):
        """The medians of such a measure."""
        found = {guest: self.anywhere(measure, guest, mode)
                 for guest in self.named("guest", measure=measure, mode=mode)}
        return {guest: figure.median for guest, figure in found.items() if figure}

    def points(self, part, guest, mode, measure):
        """(x, Figure) by ascending x."""
        return sorted(((key[3], self.figures[key]) for key in self.parts.get(part, [])
                       if (key[1], key[2], key[4]) == (guest, mode, measure)
                       and key[3] is not None), key=lambda point: point[0])

    def xs(self, part, **wanted):
        """The different x of a part, ascending."""
        return sorted(x for x in self.named("x", part=part, **wanted) if x is not None)


def fact_of(line):
    key, colon, value = line.lstrip("#").strip().partition(":")
    return (key.strip(), value.strip()) if colon else ("note", key.strip())


def read(path):
    """Results of a file, or Malformed."""
    results = Results()
    lines = 0

    def body(file):
        nonlocal lines
        for line in file:
            lines += 1
            if line.startswith("#"):
                results.facts.update([fact_of(line)])
            else:
                yield line

    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(body(file), strict=True)
            if reader.fieldnames != COLUMNS:
                raise Malformed(f"the heading is not {','.join(COLUMNS)}")
            for row in reader:
                results.add(row)
    except (Malformed, csv.Error, UnicodeDecodeError) as why:
        raise Malformed(f"{path}:{lines}: {why}") from None
    except OSError as why:
        raise Malformed(f"{path}: {why.strerror}") from None
    if not results.figures:
        raise Malformed(f"{path}: there are no figures in it")
    return results
