# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: plot_facts.py FUNCTION [ARGUMENT...]

What plot.sh checks that takes more than a line of shell: one function for each fact.
"""

import csv
import json
import re
import sys


def parse_xml(first):
    import sys, xml.dom.minidom as x; x.parse(first)


def count_labels():
    print(len(json.load(sys.stdin)["labels"]))


def lines_of(script, name):
    with open(script, encoding="utf-8") as file:
        lines = file.read().split(f"${name} << END\n")[1].split("END\n")[0]
    return [[float(word) for word in line.split()] for line in lines.splitlines()]


def unit(script):
    """How many instructions one is on the axis of instructions."""
    with open(script, encoding="utf-8") as file:
        word = re.search(r"set xlabel '([a-z]*) ?instructions'", file.read())[1]
    return {"": 1, "thousand": 1e3, "million": 1e6, "billion": 1e9}[word]


def width(script):
    columns = lines_of(script, "set")
    return round((columns[1][0] - columns[0][0]) * unit(script))


def width_of_columns(script):
    print(width(script))


def scatter_ends_at(script, end):
    """The last column of the scatter ends at instruction END, give or take one."""
    with open(script, encoding="utf-8") as file:
        begin, column = re.search(
            r"\$blocks matrix using \(([^+]*)\+\(\$1\+0\.5\)\*([^)]*)\)", file.read()
        ).groups()
    reached = unit(script) * (float(begin) + len(lines_of(script, "blocks")[0]) * float(column))
    assert abs(reached - int(end)) <= 1, reached


def same_working_set(script, path):
    """A column's KiB are the cache lines of that interval; none where it has no row.

    The last point is the end of the last column.
    """
    with open(path, encoding="utf-8") as file:
        wanted = {int(row["from"]): int(row["cache_lines"]) for row in csv.DictReader(file)}
    of = unit(script)
    got = {round(at * of): round(kib * 16) for at, kib in lines_of(script, "set")[:-1] if kib}
    assert got == wanted, (got, wanted)


def all_accesses(script, path):
    """Each column has as many accesses as are listed in it, but for rounded logarithms."""
    cells = lines_of(script, "map")
    insns, wanted = width(script), [0] * len(cells[0])
    with open(path, encoding="utf-8") as file:
        for line in file:
            wanted[int(line.split(",")[0]) // insns] += 1
    for column, want in enumerate(wanted):
        got = sum(10 ** row[column] for row in cells if row[column] >= 0)
        assert abs(got - want) <= 0.02 * want, (column, got, want)


def labels_differ(figure, *wanted):
    """The figure has each of these labels, once."""
    with open(figure, encoding="utf-8") as file:
        texts = re.findall(r"<tspan[^>]*>([0-9.]+)</tspan>|>\s*([0-9.]+)</text>", file.read())
    texts = ["".join(pair) for pair in texts]
    assert all(texts.count(label) == 1 for label in wanted), texts


globals()[sys.argv[1]](*sys.argv[2:])
