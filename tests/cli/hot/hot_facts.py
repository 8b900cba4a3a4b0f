# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: hot_facts.py FUNCTION [ARGUMENT...]

What hot.sh checks that takes more than a line of shell: one function for each fact.
"""

import json
import os
import re
import sys

from witness import *
def hot(by, *options):
    return rows("hot", "run.wmk", "-b", by, *options)
def only(by, key, value, *options):
    found = [row for row in hot(by, *options) if row[key] == value]
    assert len(found) == 1, (value, found)
    return found[0]


def all_of(file, *options):
    counted = Counter(file, *options)
    table = rows("hot", file, *options, "--no-inline", "-f", "function,symbol,insns,executions,share,cumulative")
    got = collections.Counter()
    for row in table:
        got[row["symbol"]] += number(row["insns"])
    assert got == counted.functions, [(k, got[k], counted.functions[k])
        for k in got | counted.functions if got[k] != counted.functions[k]]
    starts = collections.Counter()
    for row in table:
        if row["symbol"]: starts[row["symbol"]] += number(row["executions"])
    for symbol, executions in starts.items():
        assert executions == counted.insns[symbol, 0], (symbol, executions)
    for by in "block", "line":
        assert sum(number(row["insns"]) for row in rows("hot", file, *options, "-b", by)) == counted.total
    for by in "function", "block", "line":
        shares = rows("hot", file, *options, "-b", by)
        assert abs(float(shares[-1]["cumulative"]) - 1) < 1e-4
        assert all(number(a["insns"]) >= number(b["insns"]) for a, b in zip(shares, shares[1:]))


def functions_instructions_and_executions():
    wanted = {"spin": (3, 3 * 2002), "nest": (1, 2 + 30 + 400), "zigzag": (1, 4 + 28 + 3),
              "outer": (1, 3), "inner": (1, 2)}
    for name, (executions, insns) in wanted.items():
        row = only("function", "function", name)
        assert (number(row["executions"]), number(row["insns"])) == (executions, insns), row
        assert row["module"] == "counted"


def functions_function():
    found = hot("function", "--function", "[sn][pe][is][nt]")
    assert [row["function"] for row in found] == ["spin", "nest"], found


def lines_executions():
    source = open(os.environ["SRC"] + "/tests/cli/hot/counted.c").read().splitlines()
    got = {number(row["number"]): number(row["executions"])
           for row in hot("line", "-f", "source,number,executions") if "counted.c" in row["source"]}
    wanted = {}
    for n, text in enumerate(source, 1):
        m = re.search(r"// = (\d+)", text)
        if m and int(m[1]): wanted[n] = int(m[1])
    assert got == wanted and len(wanted) == 15, (got, wanted)


def loops_iterations_entries_trips_instructi():
    loops = {(row["function"], number(row["depth"])): row for row in hot("loop", "-f",
             "function,depth,iterations,entries,trips,insns,self_insns")}
    def loop(function, depth):
        row = loops[function, depth]
        return tuple(number(row[k]) for k in ("iterations", "entries", "insns", "self_insns"))
    assert loop("spin", 1) == (3000, 3, 6000, 6000)
    assert loop("nest", 1) == (10, 1, 430, 30)
    assert loop("nest", 2) == (200, 10, 400, 400)
    assert loop("zigzag", 1) == (7, 1, 31, 31)
    assert float(loops["spin", 1]["trips"]) == 1000 and float(loops["nest", 2]["trips"]) == 20


def csv_and_json_tell_the_same():
    table = json.loads(waymark("hot", "run.wmk", "--format", "json"))
    for row, other in zip(hot("function"), table):
        assert row["function"] == other["function"] and number(row["insns"]) == other["insns"]
    assert len(table) == len(hot("function"))


def a_file_that_has_changed_has_no_lines_and():
    table = list(csv.DictReader(open("stdout")))
    assert table and not any(row["line"] for row in table)
    assert sum(number(row["insns"]) for row in table) == Counter("run.wmk").total


def blocks():
    wanted = collections.Counter()
    for row in rows("blocks", "run.wmk"):
        wanted[number(row["block"])] += 1
    got = {number(row["block"]): (number(row["executions"]), number(row["insns"]), number(row["size"]))
           for row in hot("block", "-f", "block,executions,insns,size")}
    assert {k: v[0] for k, v in got.items()} == wanted
    for executions, insns, size in got.values():
        assert insns == executions * size


globals()[sys.argv[1]](*sys.argv[2:])
