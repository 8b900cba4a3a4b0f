# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: inlined.py REPORT.html HOT.csv ANNOTATE.csv FUNCTION

The report's functions are those of `hot`, and the page of FUNCTION, which was inlined, has the
instructions that `annotate` lists.
"""

import csv
import sys

from pagedata import report_data, same


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main():
    data = report_data(sys.argv[1])
    name_of = [name for name, *_ in data["names"]]
    shown = data["functions"]["inlined"]
    got = [(name_of[number - 1], insns) for number, insns in shown["hottest"]]
    hot = [(row["function"], int(row["insns"])) for row in rows_of(sys.argv[2])]
    same("functions", sorted(got), sorted(hot))
    same("how many", shown["in_all"], len(hot))
    (page,) = [code for code in data["code"] if name_of[code["name"] - 1] == sys.argv[4]]
    got = [(int(address, 16), executions) for address, _, executions, _ in page["insns"]]
    listed = [(int(row["address"], 16), int(row["executions"])) for row in rows_of(sys.argv[3])]
    same("instructions", got, listed)
    assert page["lines"], "its source"


main()
