#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts of instructions and ways of branches: of a program where they are known by hand,
# and of others against counting what `insns` lists.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
here=$SRC/tests/cli/hot
export PYTHONPATH="$here"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O0 -g -static -o counted "$here/counted.c"
"$WAYMARK" record -o run.wmk ./counted

cat >facts.py <<'END'
from witness import *
def annotate(function, *options, file="run.wmk"):
    return rows("annotate", function, file, *options)
def counts(function):
    return [(number(row["executions"]), number(row["taken"]) if row["taken"] else None,
             number(row["not_taken"]) if row["not_taken"] else None)
            for row in annotate(function)]
END
facts() { check "$1" "$PYTHON" -c "$(cat facts.py)
$2"; }

# ---- known by hand ----------------------------------------------------------------------

facts "a loop" '
assert counts("spin") == [(3, None, None), (3000, None, None), (3000, 2997, 3), (3, None, None)]'
facts "a nest of loops" '
assert [c[0] for c in counts("nest")] == [1, 10, 200, 200, 10, 10, 1]
assert [c[1:] for c in counts("nest") if c[1] is not None] == [(190, 10), (9, 1)]'
facts "branches both ways" '
assert counts("zigzag") == [(1, None, None), (1, None, None), (7, None, None), (7, 4, 3),
    (3, None, None), (7, None, None), (7, 6, 1), (1, None, None), (1, None, None)]'
facts "a function inside another" '
assert counts("outer") == [(1, 0, 1), (1, None, None), (0, None, None), (1, None, None)]
assert counts("inner") == [(1, None, None), (1, 1, 0), (0, None, None)]
assert [row["place"] for row in annotate("[oi]*er") if row["place"].startswith(("outer", "inner"))] == [
    "outer", "outer+0x2", "outer+0x4", "inner", "inner+0x2", "inner+0x6", "outer+0xe"]'
facts "shares are of the function" '
table = annotate("zigzag")
assert abs(sum(float(row["share"]) for row in table) - 1) < 1e-4
assert abs(float(table[2]["share"]) - 7 / 35) < 1e-6'
facts "what did not run stands there, too" '
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
    offset += len(row["code"]) // 2'
riscv64-linux-gnu-objdump -d --no-show-raw-insn counted >objdump
facts "as many instructions as objdump has" '
dump = open("objdump").read()
for name in "pick", "main", "zigzag":
    body = re.search(rf"<{name}>:\n((?: .*\n)+)", dump)[1]
    assert len(annotate(name)) == body.count("\n"), name'

# ---- against what insns lists --------------------------------------------------------------

cat >>facts.py <<'END'
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
END
facts "all of a run" 'all_of("run.wmk")'
facts "a part of it" 'all_of("run.wmk", "--from", 20000, "--to", 24567)'
for guest in faults/overlap faults/repair faults/storm processes/tree; do
	"$WAYMARK" record -o run.wmk "$GUESTS/$guest.O3" >/dev/null 2>&1 || true
	facts "counts: $guest" 'all_of("run.wmk", "--to", 200000)'
done
"$WAYMARK" record -o run.wmk "$GUESTS/mixed.O3" >/dev/null
facts "counts: mixed" 'all_of("run.wmk")'
for jobs in 1 2 7; do
	"$WAYMARK" annotate '*' run.wmk -j $jobs >table.$jobs
done
same "-j 1 and -j 2" table.1 table.2
same "-j 1 and -j 7" table.1 table.7

# ---- inlined functions ----------------------------------------------------------------------

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O2 -g -static -o inlined \
	"$SRC/tests/cli/annotate/inlined.c"
"$WAYMARK" record -o inlined.wmk ./inlined >/dev/null
run "$WAYMARK" annotate mixed inlined.wmk
check "an inlined function is shown" [ "$status" -eq 0 ]
check "and where it is inlined" grep -qE \
	'^waymark: mixed is inlined into (first|second) .inlined.c:[0-9]+. and at 1 more place: ' stderr
facts "with its instructions in both callers" '
table = annotate("mixed", "-f", "executions,function,number,share", file="inlined.wmk")
assert {row["function"] for row in table} == {"first", "second"}
source = open(os.environ["SRC"] + "/tests/cli/annotate/inlined.c").read().splitlines()
first = source.index("INLINED unsigned mixed(unsigned a, unsigned n)") + 1
assert all(first <= number(row["number"]) <= first + 8 for row in table), table
assert max(number(r["executions"]) for r in table if r["function"] == "first") == 100
assert max(number(r["executions"]) for r in table if r["function"] == "second") == 10
assert abs(sum(float(row["share"]) for row in table) - 1) < 1e-4'
refused "an inlined function that did not run" \
	'*no function "idle" ran: it is inlined into main (inlined.c:*), and did not run there' \
	"$WAYMARK" annotate idle inlined.wmk
for option in --only --except --start --stop; do
	refused "record $option of an inlined function" \
		'"mixed" has no code of its own: it is inlined into * and at 1 more place; name *' \
		"$WAYMARK" record -o none.wmk $option mixed ./inlined
done
refused "of a file" '"mixed" has no code of its own*' \
	"$WAYMARK" record -o none.wmk --only inlined:mixed ./inlined
refused "a pattern" '"mix?d" has no code of its own*' \
	"$WAYMARK" record -o none.wmk --except 'mix?d' ./inlined
for option in --only --except --start; do
	run "$WAYMARK" record -o both.wmk $option both ./inlined
	check "record $option of a function that is also inlined" [ "$status" -eq 0 ]
	check "says so" grep -q \
		'^waymark: both is also inlined into main (inlined.c:[0-9]*): there it is part of' stderr
done
run "$WAYMARK" record -o both.wmk --only 'bot?' ./inlined
check "but of a pattern not" [ ! -s stderr ]
riscv64-linux-gnu-strip -g inlined
refused "without debugging information" './inlined has no function "mixed"*' \
	"$WAYMARK" record -o none.wmk --only mixed ./inlined

# ---- refused -------------------------------------------------------------------------------

refused "no such function" '*no function "nowhere" ran*' "$WAYMARK" annotate nowhere run.wmk
run "$WAYMARK" annotate
check "no function" test "$status" -eq 2
check "no function is understood" grep -q 'which function' stderr
finish
