#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The programs of examples/ that use the library, built from an installed tree as users
# build theirs, and held against what the commands say of the same trace.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/library/common
. "$(dirname "$0")/common"

for example in outcomes covered listing watchpoint; do
	check "$example builds from an installed tree" build $example "$SRC/examples/$example.c"
	run ./$example
	check "$example without a trace" test "$status" -eq 2
	check "$example says how it is used" grep -q "^$example: usage: $example TRACE" stderr
	address=
	[ $example != watchpoint ] || address=0x1000
	run ./$example missing.wmk $address
	check "$example of a trace that is not there" test "$status" -eq 2
	check "$example says why not" grep -q "^$example: cannot open missing.wmk: " stderr
done
check "branch outcomes per function take 40 lines" \
	test "$(wc -l <"$SRC/examples/outcomes.c")" -le 40

check "a watchpoint takes 40 lines" test "$(wc -l <"$SRC/examples/watchpoint.c")" -le 40

"$WAYMARK" record -o run.wmk "$GUESTS/branches.O3" >/dev/null || true

# ---- outcomes: the ways of all branches, as annotate has them, added up by function ----
run ./outcomes run.wmk
check "outcomes" test "$status" -eq 0
"$WAYMARK" annotate '*' run.wmk --format csv -f place,taken,not_taken >ways.csv
"$PYTHON" - <<'END'
import csv, re

# Two functions of one name are one here.
commands, library = {}, {}
for row in csv.DictReader(open("ways.csv")):
    sums = commands.setdefault(re.sub(r"\+0x[0-9a-f]+$", "", row["place"]), [0, 0])
    sums[0] += int(row["taken"] or 0)
    sums[1] += int(row["not_taken"] or 0)
for line in open("stdout"):
    taken, left, name = re.match(r" *(\d+) taken +(\d+) not  (.*)", line).groups()
    sums = library.setdefault(name, [0, 0])
    sums[0] += int(taken)
    sums[1] += int(left)
different = [name for name in commands | library
             if commands.get(name, [0, 0]) != library.get(name, [0, 0])]
good = not different and sum(sum(s) for s in library.values()) > 10000
print("ok" if good else "not ok", "outcomes: as annotate")
for name in different[:9]:
    print("#", name, commands.get(name), library.get(name))
END

# ---- covered: the lines of hot -----------------------------------------------
run ./covered run.wmk
mv stdout covered.out
"$WAYMARK" hot --by line run.wmk --format csv -f source,number >lines.csv
"$PYTHON" -c 'import csv
lines = {(r["source"], int(r["number"])) for r in csv.DictReader(open("lines.csv")) if r["source"]}
for line in sorted(lines, key=lambda x: (x[0].encode(), x[1])): print("%s:%d" % line)' >hot.out
same "covered: as hot --by line" covered.out hot.out

# ---- listing: the addresses and texts of insns -------------------------------
run ./listing run.wmk 0 1000 500
sed -n 's/^ *\([0-9]*\)  0x\([0-9a-f]*\) <[^>]*>  \(.*\)/\1 \2 \3/p' stdout |
	sed 's/  ; .*//' | tr -s ' ' >listing.out
"$WAYMARK" insns --from 1000 -n 500 --format jsonl run.wmk | "$PYTHON" -c 'import json, sys
for line in sys.stdin:
    insn = json.loads(line)
    if "address" in insn:
        print(insn["ordinal"], insn["address"][2:], insn["disassembly"])' | tr -s ' ' >insns.out
same "listing: as insns" listing.out insns.out
./listing run.wmk 0 0 100000000 >stdout
check "listing: with events" grep -q '^ *exit_group(0)$' stdout
check "listing: with lines" grep -q '; main, .*/branches.c:[0-9]' stdout

# ---- watchpoint: a trace without accesses of memory has none -------------------------------
run ./watchpoint run.wmk 0x10000
check "watchpoint of a trace without accesses" test "$status" -eq 0 -a ! -s stdout
finish
