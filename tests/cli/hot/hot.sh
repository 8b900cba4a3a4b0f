#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hot functions, blocks, lines and loops: of a program whose counts are known by hand, and
# of others against counting what `insns` lists.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
here=$SRC/tests/cli/hot
export PYTHONPATH="$here"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O0 -g -static -o counted "$here/counted.c"
"$WAYMARK" record -o run.wmk ./counted

cat >facts.py <<'END'
import json, os, re, sys
from witness import *
def hot(by, *options):
    return rows("hot", "run.wmk", "-b", by, *options)
def only(by, key, value, *options):
    found = [row for row in hot(by, *options) if row[key] == value]
    assert len(found) == 1, (value, found)
    return found[0]
END
facts() { check "$1" "$PYTHON" -c "$(cat facts.py)
$2"; }

# ---- known by hand -------------------------------------------------------------------

facts "functions: instructions and executions" '
wanted = {"spin": (3, 3 * 2002), "nest": (1, 2 + 30 + 400), "zigzag": (1, 4 + 28 + 3),
          "outer": (1, 3), "inner": (1, 2)}
for name, (executions, insns) in wanted.items():
    row = only("function", "function", name)
    assert (number(row["executions"]), number(row["insns"])) == (executions, insns), row
    assert row["module"] == "counted"'
facts "functions: --function" '
found = hot("function", "--function", "[sn][pe][is][nt]")
assert [row["function"] for row in found] == ["spin", "nest"], found'
facts "lines: executions" '
source = open(os.environ["SRC"] + "/tests/cli/hot/counted.c").read().splitlines()
got = {number(row["number"]): number(row["executions"])
       for row in hot("line", "-f", "source,number,executions") if "counted.c" in row["source"]}
wanted = {}
for n, text in enumerate(source, 1):
    m = re.search(r"// = (\d+)", text)
    if m and int(m[1]): wanted[n] = int(m[1])
assert got == wanted and len(wanted) == 15, (got, wanted)'
facts "loops: iterations, entries, trips, instructions" '
loops = {(row["function"], number(row["depth"])): row for row in hot("loop", "-f",
         "function,depth,iterations,entries,trips,insns,self_insns")}
def loop(function, depth):
    row = loops[function, depth]
    return tuple(number(row[k]) for k in ("iterations", "entries", "insns", "self_insns"))
assert loop("spin", 1) == (3000, 3, 6000, 6000)
assert loop("nest", 1) == (10, 1, 430, 30)
assert loop("nest", 2) == (200, 10, 400, 400)
assert loop("zigzag", 1) == (7, 1, 31, 31)
assert float(loops["spin", 1]["trips"]) == 1000 and float(loops["nest", 2]["trips"]) == 20'

# ---- against what insns lists ------------------------------------------------------------

cat >>facts.py <<'END'
def all_of(file, *options):
    counted = Counter(file, *options)
    table = rows("hot", file, *options, "-f", "function,symbol,insns,executions,share,cumulative")
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
END
facts "all of a run" 'all_of("run.wmk")'
for range in "--from 20000 --to 24567" "--from 21003" "--to 1"; do
	facts "a part of it: $range" "all_of('run.wmk', *'$range'.split())"
done
cat >blocks.py <<'END'
wanted = collections.Counter()
for row in rows("blocks", "run.wmk"):
    wanted[number(row["block"])] += 1
got = {number(row["block"]): (number(row["executions"]), number(row["insns"]), number(row["size"]))
       for row in hot("block", "-f", "block,executions,insns,size")}
assert {k: v[0] for k, v in got.items()} == wanted
for executions, insns, size in got.values():
    assert insns == executions * size
END
facts "blocks" "$(cat blocks.py)"

# Blocks that were left early, threads, forked children, other programs.
for guest in faults/overlap faults/repair faults/patch faults/nested processes/tree \
	threads/generations; do
	"$WAYMARK" record -o run.wmk "$GUESTS/$guest.O3" >/dev/null 2>&1 || true
	facts "counts: $guest" 'all_of("run.wmk")'
done
"$WAYMARK" record -o run.wmk -L /usr/riscv64-linux-gnu "$GUESTS/qsort.dyn" >/dev/null
facts "counts: qsort.dyn, --from and --to" 'all_of("run.wmk", "--from", 100000, "--to", 300000)'

# ---- the same however it is computed ---------------------------------------------------------

for by in function block line loop; do
	for jobs in 1 2 7; do
		"$WAYMARK" hot run.wmk -b $by -j $jobs >table.$jobs
	done
	same "by $by: -j 1 and -j 2" table.1 table.2
	same "by $by: -j 1 and -j 7" table.1 table.7
done
facts "csv and json tell the same" '
table = json.loads(waymark("hot", "run.wmk", "--format", "json"))
for row, other in zip(hot("function"), table):
    assert row["function"] == other["function"] and number(row["insns"]) == other["insns"]
assert len(table) == len(hot("function"))'
"$WAYMARK" record -o run.wmk ./counted
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O1 -g -static -o counted "$here/counted.c"
run "$WAYMARK" hot run.wmk -b line --format csv
check "a file that has changed: it is said" grep -q 'counted' stderr
facts "a file that has changed has no lines, and the same sum" '
table = list(csv.DictReader(open("stdout")))
assert table and not any(row["line"] for row in table)
assert sum(number(row["insns"]) for row in table) == Counter("run.wmk").total'

# ---- refused -----------------------------------------------------------------------------------

run "$WAYMARK" hot run.wmk -b colour
check "no such table" test "$status" -eq 2
check "no such table is understood" grep -q 'takes function, block, line or loop, not "colour"' stderr
run "$WAYMARK" hot run.wmk -s colour
check "no such column" test "$status" -eq 2
refused "no such trace" '*nothing.wmk*' "$WAYMARK" hot nothing.wmk
run sh -c "'$WAYMARK' hot run.wmk >/dev/full"
check "full disk" test "$status" -eq 2 -a -s stderr
finish
