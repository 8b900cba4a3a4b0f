# SPDX-License-Identifier: GPL-2.0-or-later
"""The straight line that is nearest to points, by least squares, and how near it is."""

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """y = slope * x + intercept; r2 is the part of y's variance that it explains."""

    slope: float
    intercept: float
    r2: float
    points: int

    def at(self, x):
        return self.slope * x + self.intercept


def line_through(points):
    """Of points (x, y); None when they are at fewer than two places."""
    xs = [x for x, _ in points]
    ys = [y for _, y in points]
    if len(set(xs)) < 2:
        return None
    slope, intercept = statistics.linear_regression(xs, ys)
    mean = statistics.fmean(ys)
    whole = sum((y - mean) ** 2 for y in ys)
    rest = sum((y - slope * x - intercept) ** 2 for x, y in points)
    return Line(slope, intercept, 1 - rest / whole if whole else 1.0, len(points))
