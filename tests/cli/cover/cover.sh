#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Coverage: of a program where it is known by hand, over one run and two, as tables, as a
# file for lcov that genhtml takes, and as one of drcov's.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
here=$SRC/tests/cli
export PYTHONPATH="$here/hot:$here/cover"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O0 -g -static -o counted "$here/hot/counted.c"
"$WAYMARK" record -o one.wmk ./counted
"$WAYMARK" record -o two.wmk ./counted x
"$WAYMARK" cover one.wmk --branches --lcov one.info --drcov one.drcov >one.text
"$WAYMARK" cover one.wmk two.wmk --branches --lcov both.info --drcov both.drcov >both.text

cat >facts.py <<'END'
from witness import *
import drcov
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
END
facts() { check "$1" "$PYTHON" -c "$(cat facts.py)
$2"; }

# ---- known by hand -------------------------------------------------------------------------

facts "lines of one run" '
got = {n: number(row["executions"]) for n, row in lines("one.wmk").items()}
assert got == {n: counts[0] for n, counts in wanted.items()} and len(got) == 20, got'
facts "lines of two runs, and which was first" '
found = lines("one.wmk", "two.wmk")
assert {n: number(row["executions"]) for n, row in found.items()} == \
       {n: sum(counts) for n, counts in wanted.items()}
for n, (one, two) in wanted.items():
    assert found[n]["first"] == ("one.wmk" if one else "two.wmk" if two else ""), found[n]
assert {row["first"] for row in found.values()} == {"one.wmk", "two.wmk", ""}'
facts "--first: only what ran" '
table = rows("cover", "--first", "one.wmk", "two.wmk", "-f", "number,source,first,executions")
got = {number(row["number"]): row["first"] for row in table if row["source"].endswith("/counted.c")}
assert got == {n: "one.wmk" if one else "two.wmk" for n, (one, two) in wanted.items() if one or two}
assert all(number(row["executions"]) for row in table)'
facts "functions" '
found = {row["function"]: row for row in cover("function", "one.wmk", "two.wmk")}
executions = lambda name: number(found[name]["executions"])
assert (executions("pick"), executions("main"), executions("spin")) == (20, 2, 6)
assert executions("unused") == 0 and found["unused"]["first"] == ""
assert found["pick"]["first"] == "one.wmk" and found["pick"]["line"] == "counted.c:%d" % starts["pick"]
assert number(found["zigzag"]["insns"]) == 2 * 35'
facts "branches" '
def branches(function):
    return [((number(row["executions"]), number(row["taken"]), number(row["not_taken"])),
             row["line"], row["first_taken"], row["first_not_taken"])
            for row in cover("branch", "one.wmk", "two.wmk", "--function", function)]
one, two = "one.wmk", "two.wmk"
assert branches("pick") == [((20, 10, 10), "counted.c:%d" % branch, one, two)]
assert branches("spin") == [((6000, 5994, 6), "", one, one)]
assert branches("zigzag") == [((14, 8, 6), "", one, one), ((14, 12, 2), "", one, one)]
assert branches("unused") == []'
facts "totals" '
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
assert number(first["lines_first"]) == 15 and number(second["lines_first"]) == 1'

# ---- all functions, all branches ----------------------------------------------------------------

riscv64-linux-gnu-nm counted >names
riscv64-linux-gnu-objdump -d --no-show-raw-insn counted >objdump
facts "functions are those of nm" '
wanted = {int(words[0], 16) for words in map(str.split, open("names")) if words[1] in "tTwWi"
          and not words[2].startswith("$")}
got = {0x10000 + number(row["start"]) for row in cover("function", "one.wmk", "-f", "start")}
assert got <= wanted and len(got) > 500, (len(got), len(wanted))
counted = Counter("one.wmk")
ran = {row["function"] for row in cover("function", "one.wmk") if row["first"]}
assert ran == {name for name in counted.functions if name}'
facts "branches are those of objdump" '
wanted = set(re.findall(r"^ +([0-9a-f]+):\tb(?:eq|ne|lt|ge|gt|le)", open("objdump").read(), re.M))
got = {"%x" % (0x10000 + number(row["offset"])) for row in cover("branch", "one.wmk")}
assert got <= wanted and len(got) > len(wanted) * 0.95, (len(got), len(wanted), got - wanted)'

# ---- files -----------------------------------------------------------------------------------------

facts "lcov: lines, functions, branches" '
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
    assert int(record["BRH"][0][0]) == sum(n not in "-0" for n in ways.values())'
check "genhtml takes it" genhtml --quiet --branch-coverage -o html both.info
facts "genhtml shows the counts" '
page = next(open(os.path.join(folder, name)).read() for folder, _, names in os.walk("html")
            for name in names if name.startswith("counted.c.gcov.html"))
plain = re.sub(r"<[^>]*>", "", page)
assert re.search(r"\b%d .*\[ \+  \+ \]: +20 : .*if \(x &gt; 0\)" % branch, plain), plain'
check "lcov adds it up" sh -c 'lcov --quiet --rc lcov_branch_coverage=1 -a one.info -a one.info -o sum.info'
facts "lcov has it twice then" '
assert {int(words[0]): int(words[1]) for words in info("sum.info")["DA"]} == \
       {n: 2 * c[0] for n, c in wanted.items()}'
facts "drcov: the blocks" '
for path, files in ("one.drcov", ["one.wmk"]), ("both.drcov", ["one.wmk", "two.wmk"]):
    (base, end, name, blocks), = drcov.read(path)
    assert name == os.path.realpath("counted") and base == 0x10000
    listed = set()
    for file in files:
        for row in rows("blocks", file):
            listed.add((number(row["address"]) - base, number(row["bytes"])))
    assert blocks == listed
    assert all(base + start + size <= end for start, size in blocks)'

# Several modules, in a process where they lie elsewhere than in their files.
"$WAYMARK" record -o dyn.wmk -L /usr/riscv64-linux-gnu "$GUESTS/qsort.dyn" >/dev/null
"$WAYMARK" cover dyn.wmk --drcov dyn.drcov >/dev/null
facts "drcov: several modules" '
modules = drcov.read("dyn.drcov")
listed, told = set(), set()
for row in rows("blocks", "dyn.wmk"):
    listed.add((number(row["address"]), number(row["bytes"])))
for base, end, name, blocks in modules:
    told |= {(base + start, size) for start, size in blocks}
    assert blocks and all(base + start + size <= end for start, size in blocks)
assert len(modules) >= 3 and told == listed, listed ^ told'

# A block that was left early counts up to where it was.
"$WAYMARK" record -o early.wmk "$GUESTS/faults/overlap.O3" >/dev/null 2>&1 || true
facts "blocks that were left early" '
counted = Counter("early.wmk")
ran = {row["function"]: number(row["insns"]) for row in cover("function", "early.wmk") if row["first"]}
assert ran == {name: n for name, n in counted.functions.items() if name}'

for jobs in 1 2 7; do
	"$WAYMARK" cover one.wmk dyn.wmk -b branch -j $jobs >table.$jobs
done
same "-j 1 and -j 2" table.1 table.2
same "-j 1 and -j 7" table.1 table.7

# ---- refused ---------------------------------------------------------------------------------------

refused "no such trace" '*nothing.wmk*' "$WAYMARK" cover one.wmk nothing.wmk
refused "a file that cannot be written" '*/nowhere/file*' "$WAYMARK" cover one.wmk --lcov /nowhere/file
run "$WAYMARK" cover one.wmk --drcov /dev/full
check "full disk" test "$status" -eq 2 -a -s stderr
run "$WAYMARK" cover one.wmk -b colour
check "no such table" test "$status" -eq 2
finish
