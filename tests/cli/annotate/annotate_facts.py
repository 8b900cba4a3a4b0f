# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: annotate_facts.py FUNCTION [ARGUMENT...]

What annotate.sh checks that takes more than a line of shell: one function for each fact.
"""

import sys

from witness import *
def annotate(function, *options, file="run.wmk"):
    return rows("annotate", function, file, *options)
def counts(function):
    return [(number(row["executions"]), number(row["taken"]) if row["taken"] else None,
             number(row["not_taken"]) if row["not_taken"] else None)
            for row in annotate(function)]


def all_of(file, *options):
    counted = Counter(file, *options)
    got, ways = collections.Counter(), {}
    for row in annotate("*", *options, "-f", "function,offset,executions,taken,not_taken,address", file=file):
        key = (row["function"], number(row["offset"]))
        if row["function"].startswith("["):
            key = ("", number(row["address"]))
        got[key] += number(row["executions"])
        if row["taken"]:
            both = ways.setdefault(key, [0, 0])
            both[0] += number(row["taken"])
            both[1] += number(row["not_taken"])
    got = +got
    assert got == counted.insns, [(k, got[k], counted.insns[k])
        for k in got | counted.insns if got[k] != counted.insns[k]][:9]
    assert ways == counted.ways, [(k, ways.get(k), counted.ways.get(k))
        for k in ways | counted.ways if ways.get(k) != counted.ways.get(k)][:9]
    assert sum(map(sum, ways.values())) > 100


def a_loop():
    assert counts("spin") == [(3, None, None), (3000, None, None), (3000, 2997, 3), (3, None, None)]


def a_nest_of_loops():
    assert [c[0] for c in counts("nest")] == [1, 10, 200, 200, 10, 10, 1]
    assert [c[1:] for c in counts("nest") if c[1] is not None] == [(190, 10), (9, 1)]


def branches_both_ways():
    assert counts("zigzag") == [(1, None, None), (1, None, None), (7, None, None), (7, 4, 3),
        (3, None, None), (7, None, None), (7, 6, 1), (1, None, None), (1, None, None)]


def a_function_inside_another():
    assert counts("outer") == [(1, 0, 1), (1, None, None), (0, None, None), (1, None, None)]
    assert counts("inner") == [(1, None, None), (1, 1, 0), (0, None, None)]
    assert [row["place"] for row in annotate("[oi]*er") if row["place"].startswith(("outer", "inner"))] == [
        "outer", "outer+0x2", "outer+0x4", "inner", "inner+0x2", "inner+0x6", "outer+0xe"]


def shares_are_of_the_function():
    table = annotate("zigzag")
    assert abs(sum(float(row["share"]) for row in table) - 1) < 1e-4
    assert abs(float(table[2]["share"]) - 7 / 35) < 1e-6


def what_did_not_run_stands_there_too():
    source = open(os.environ["SRC"] + "/tests/cli/hot/counted.c").read().splitlines()
    table = annotate("pick", "-f", "executions,text,number,disassembly,offset,code")
    by_line = {}
    for row in table:
        assert not row["text"] or row["text"] == source[number(row["number"]) - 1].expandtabs()
        by_line.setdefault(number(row["number"]), set()).add(number(row["executions"]))
    for n, counts in by_line.items():
        wanted = re.search(r"// = (\d+)", source[n - 1])
        assert int(wanted[1]) in counts, (n, counts)
    assert {0} in by_line.values()
    offset = 0
    for row in table:
        assert number(row["offset"]) == offset and row["disassembly"], row
        offset += len(row["code"]) // 2


def as_many_instructions_as_objdump_has():
    dump = open("objdump").read()
    for name in "pick", "main", "zigzag":
        body = re.search(rf"<{name}>:\n((?: .*\n)+)", dump)[1]
        assert len(annotate(name)) == body.count("\n"), name


def with_its_instructions_in_both_callers():
    table = annotate("mixed", "-f", "executions,function,number,share", file="inlined.wmk")
    assert {row["function"] for row in table} == {"first", "second"}
    source = open(os.environ["SRC"] + "/tests/cli/annotate/inlined.c").read().splitlines()
    first = source.index("INLINED unsigned mixed(unsigned a, unsigned n)") + 1
    assert all(first <= number(row["number"]) <= first + 8 for row in table), table
    assert max(number(r["executions"]) for r in table if r["function"] == "first") == 100
    assert max(number(r["executions"]) for r in table if r["function"] == "second") == 10
    assert abs(sum(float(row["share"]) for row in table) - 1) < 1e-4


globals()[sys.argv[1]](*sys.argv[2:])
