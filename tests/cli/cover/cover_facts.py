# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: cover_facts.py FUNCTION [ARGUMENT...]

What cover.sh checks that takes more than a line of shell: one function for each fact.
"""

import drcov
import sys

from witness import *
source = open(os.environ["SRC"] + "/tests/cli/hot/counted.c").read().splitlines()
# Of each line: how often in the first run, in the second.
wanted = {}
for n, text in enumerate(source, 1):
    m = re.search(r"// = (\d+) or (\d+)", text)
    if m: wanted[n] = (int(m[1]), int(m[2]))
def line_of(text):
    """The only line with a text in it, or the first."""
    return next(n for n, line in enumerate(source, 1) if text in line)
# Where functions begin: at their braces.
starts = {name: line_of(text) + 1 for name, text in
          (("unused", "int unused(int x)"), ("pick", "int pick"), ("main", "int main"))}
starts["unused"] += 1 # a prototype stands before it
branch = line_of("if (x > 0)")
def cover(by, *words):
    return rows("cover", "-b", by, *words)
def lines(*words):
    return {number(row["number"]): row for row in cover("line", *words, "-f",
            "number,source,executions,first") if row["source"].endswith("/counted.c")}
def info(path):
    """The record of counted.c in an lcov file, as lists of fields by key."""
    found, record = None, {}
    for text in open(path):
        key, _, value = text.rstrip("\n").partition(":")
        if key == "end_of_record":
            if record["SF"][0][0].endswith("/counted.c"): found = record
            record = {}
        else:
            record.setdefault(key, []).append(value.split(","))
    return found


def functions_of(counted):
    """Those with code of their own, which stubs of the linker have not, and their counts."""
    return {name: n for name, n in counted.functions.items() if name and not name.endswith("@plt")}


def lines_of_one_run():
    got = {n: number(row["executions"]) for n, row in lines("one.wmk").items()}
    assert got == {n: counts[0] for n, counts in wanted.items()} and len(got) == 20, got


def lines_of_two_runs_and_which_was_first():
    found = lines("one.wmk", "two.wmk")
    assert {n: number(row["executions"]) for n, row in found.items()} == \
           {n: sum(counts) for n, counts in wanted.items()}
    for n, (one, two) in wanted.items():
        assert found[n]["first"] == ("one.wmk" if one else "two.wmk" if two else ""), found[n]
    assert {row["first"] for row in found.values()} == {"one.wmk", "two.wmk", ""}


def first_only_what_ran():
    table = rows("cover", "--first", "one.wmk", "two.wmk", "-f", "number,source,first,executions")
    got = {number(row["number"]): row["first"] for row in table if row["source"].endswith("/counted.c")}
    assert got == {n: "one.wmk" if one else "two.wmk" for n, (one, two) in wanted.items() if one or two}
    assert all(number(row["executions"]) for row in table)


def only_source():
    found = {row["function"] for row in csv.DictReader(open("only"))}
    assert {"pick", "main", "unused"} <= found, found
    assert "printf" not in found and "spin" not in found, found


def functions():
    found = {row["function"]: row for row in cover("function", "one.wmk", "two.wmk")}
    executions = lambda name: number(found[name]["executions"])
    assert (executions("pick"), executions("main"), executions("spin")) == (20, 2, 6)
    assert executions("unused") == 0 and found["unused"]["first"] == ""
    assert found["pick"]["first"] == "one.wmk" and found["pick"]["line"] == "counted.c:%d" % starts["pick"]
    assert number(found["zigzag"]["insns"]) == 2 * 35


def branches():
    def branches(function):
        return [((number(row["executions"]), number(row["taken"]), number(row["not_taken"])),
                 row["line"], row["first_taken"], row["first_not_taken"])
                for row in cover("branch", "one.wmk", "two.wmk", "--function", function)]
    one, two = "one.wmk", "two.wmk"
    assert branches("pick") == [((20, 10, 10), "counted.c:%d" % branch, one, two)]
    assert branches("spin") == [((6000, 5994, 6), "", one, one)]
    assert branches("zigzag") == [((14, 8, 6), "", one, one), ((14, 12, 2), "", one, one)]
    assert branches("unused") == []


def totals():
    total = {row["what"]: (number(row["all"]), number(row["reached"])) for row in
             cover("total", "one.wmk", "--branches")}
    assert total["lines"] == (20, 15)
    functions = cover("function", "one.wmk")
    assert total["functions"] == (len(functions), sum(row["first"] != "" for row in functions))
    branches = cover("branch", "one.wmk")
    assert total["ways of branches"] == (2 * len(branches),
        sum((number(row["taken"]) > 0) + (number(row["not_taken"]) > 0) for row in branches))
    module, = cover("module", "one.wmk", "--branches")
    assert (number(module["functions"]), number(module["functions_reached"])) == total["functions"]
    assert (number(module["ways"]), number(module["ways_reached"])) == total["ways of branches"]
    table, = cover("source", "one.wmk")
    assert (number(table["lines"]), number(table["lines_reached"])) == total["lines"]
    assert (number(table["functions"]), number(table["functions_reached"])) == (3, 2)
    first, second = cover("run", "one.wmk", "two.wmk")
    assert number(first["lines_first"]) == 15 and number(second["lines_first"]) == 1


def functions_are_those_of_nm():
    wanted = {int(words[0], 16) for words in map(str.split, open("names")) if words[1] in "tTwWi"
              and not words[2].startswith("$")}
    got = {0x10000 + number(row["start"]) for row in cover("function", "one.wmk", "-f", "start")}
    assert got <= wanted and len(got) > 500, (len(got), len(wanted))
    counted = Counter("one.wmk")
    ran = {row["function"] for row in cover("function", "one.wmk") if row["first"]}
    assert ran == set(functions_of(counted))


def branches_are_those_of_objdump():
    wanted = set(re.findall(r"^ +([0-9a-f]+):\tb(?:eq|ne|lt|ge|gt|le)", open("objdump").read(), re.M))
    got = {"%x" % (0x10000 + number(row["offset"])) for row in cover("branch", "one.wmk")}
    assert got <= wanted and len(got) > len(wanted) * 0.95, (len(got), len(wanted), got - wanted)


def lcov_lines_functions_branches():
    for path, count in ("one.info", lambda c: c[0]), ("both.info", sum):
        record = info(path)
        assert {int(n): int(c) for n, c in record["DA"]} == {n: count(c) for n, c in wanted.items()}
        assert record["LF"] == [["20"]]
        assert record["LH"] == [[str(sum(count(c) > 0 for c in wanted.values()))]]
        assert {name: int(line) for line, name in record["FN"]} == starts
        calls = {name: int(n) for n, name in record["FNDA"]}
        assert calls == {"unused": 0, "pick": count((10, 10)), "main": count((1, 1))}, calls
        ways = {(int(line), int(block), int(way)): n for line, block, way, n in record["BRDA"]}
        assert (ways[branch, 0, 0], ways[branch, 0, 1]) == (("10", "0") if path == "one.info" else ("10", "10"))
        assert len(ways) == int(record["BRF"][0][0]) == 12
        assert int(record["BRH"][0][0]) == sum(n not in "-0" for n in ways.values())


def genhtml_shows_the_counts():
    page = next(open(os.path.join(folder, name)).read() for folder, _, names in os.walk("html")
                for name in names if name.startswith("counted.c.gcov.html"))
    plain = re.sub(r"<[^>]*>", "", page)
    assert re.search(r"\b%d .*\[ \+  \+ \]: +20 : .*if \(x &gt; 0\)" % branch, plain), plain


def lcov_has_it_twice_then():
    assert {int(words[0]): int(words[1]) for words in info("sum.info")["DA"]} == \
           {n: 2 * c[0] for n, c in wanted.items()}


def drcov_the_blocks():
    for path, files in ("one.drcov", ["one.wmk"]), ("both.drcov", ["one.wmk", "two.wmk"]):
        (base, end, name, blocks), = drcov.read(path)
        assert name == os.path.realpath("counted") and base == 0x10000
        listed = set()
        for file in files:
            for row in rows("blocks", file):
                listed.add((number(row["address"]) - base, number(row["bytes"])))
        assert blocks == listed
        assert all(base + start + size <= end for start, size in blocks)


def drcov_several_modules():
    modules = drcov.read("dyn.drcov")
    listed, told = set(), set()
    for row in rows("blocks", "dyn.wmk"):
        listed.add((number(row["address"]), number(row["bytes"])))
    for base, end, name, blocks in modules:
        told |= {(base + start, size) for start, size in blocks}
        assert blocks and all(base + start + size <= end for start, size in blocks)
    assert len(modules) >= 3 and told == listed, listed ^ told


def blocks_that_were_left_early():
    counted = Counter("early.wmk")
    ran = {row["function"]: number(row["insns"]) for row in cover("function", "early.wmk") if row["first"]}
    assert ran == functions_of(counted)


globals()[sys.argv[1]](*sys.argv[2:])
