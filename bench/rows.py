# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures of a benchmark: one tidy row each, and the CSV file of them."""

import csv
import os
import statistics
from typing import NamedTuple


class Row(NamedTuple):
    """A measure's median over n rounds, with the least and the greatest."""

    part: str
    guest: str
    mode: str
    x: str
    measure: str
    median: float
    low: float
    high: float
    n: int


def row(part, guest, mode, measure, values, x=""):
    """Of one value or many."""
    values = values if isinstance(values, list) else [values]
    return Row(part, guest, mode, f"{x}", measure, statistics.median(values), min(values),
               max(values), len(values))


def write(path, facts, rows):
    """The facts are for lines `# key: value` before the table."""
    partly = f"{path}.part"
    try:
        with open(partly, "w", newline="", encoding="utf-8") as file:
            file.writelines(f"# {key}: {value}\n" for key, value in facts.items())
            out = csv.writer(file, lineterminator="\n")
            out.writerow(Row._fields)
            for each in rows:
                out.writerow([f"{cell:.10g}" if isinstance(cell, float) else cell
                              for cell in each])
        os.replace(partly, path)
    except BaseException:
        if os.path.exists(partly):
            os.remove(partly)
        raise
