# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares a report's numbers with a listing of every instruction.

usage: numbers.py REPORT.html INSNS.csv    (waymark insns --format csv, of one thread)
"""

import collections
import csv
import sys

from pagedata import report_data, same


def function_of(row):
    return row["symbol"] or "no symbol"


def name_of(data, number):
    name = data["names"][number - 1][0]
    return "no symbol" if name.startswith("[") else name


def check_functions(data, listed):
    counts = collections.Counter(map(function_of, listed))
    got = collections.Counter()
    for name, insns in data["functions"]["hottest"]:
        got[name_of(data, name)] += insns
    same("functions", dict(got), {name: counts[name] for name in got})
    most = sorted(counts.values(), reverse=True)[:len(got)]
    same("the hottest", sorted(got.values(), reverse=True), most)


def check_timeline(data, listed):
    (lane,) = data["timeline"]["threads"]
    names = [name_of(data, number) for number in data["timeline"]["functions"]]
    want = [[0] * len(lane["bins"][0]) for _ in lane["bins"]]
    same("where it begins", lane["from"], int(listed[0]["ordinal"]))
    for row in listed:
        function = function_of(row)
        series = names.index(function) if function in names else len(names)
        want[series][(int(row["ordinal"]) - lane["from"]) // lane["width"]] += 1
    same("timeline", lane["bins"], want)


def check_blocks(data, listed):
    runs = collections.Counter(row["address"] for row in listed)
    for block in data["blocks"]["hottest"]:
        for address, text, executions in block["code"]:
            same(address, executions, runs[address])
            assert text


def check_mix(data, listed):
    def total(kinds):
        return sum(insns for _, insns, _ in kinds)
    for division in ("class", "extension"):
        same(division, total(data["mix"][division]["kinds"]), len(listed))


def check_calls(data, listed):
    same("flame graph", sum(own + folded for *_, own, folded in data["flame"]["frames"]),
         len(listed))
    same("self", sum(own for _, own, *_ in data["calls"]["functions"]), len(listed))


def check_phases(data, listed):
    phases = data["phases"]
    same("phases' instructions", phases["insns"], len(listed))
    same("intervals", phases["intervals"], max(1, len(listed) // phases["interval"]))
    same("labels", len(phases["labels"]), phases["intervals"])


def main():
    data = report_data(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        listed = list(csv.DictReader(file))
    same("instructions", data["summary"]["insns"], len(listed))
    for check in (check_functions, check_timeline, check_blocks, check_mix, check_calls,
                  check_phases):
        check(data, listed)


main()
