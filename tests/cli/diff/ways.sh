#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where two runs part and meet, to the instruction, of a program whose every instruction is
# known: with other arguments, moved, under other QEMUs, cut into other blocks.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"
# shellcheck source=tests/cli/diff/common
. "$SRC/tests/cli/diff/common"

bare rounds "$HERE/rounds.c"
bare moved -DMOVED "$HERE/rounds.c"
record 3.wmk ./rounds 2 3
record 5.wmk ./rounds 2 3 4 5
record moved5.wmk ./moved 2 3 4 5
record moved3.wmk ./moved 2 3
record precise3.wmk --precise ./rounds 2 3
record precise5.wmk --precise ./rounds 2 3 4 5
record step3.wmk --qemu-arg -singlestep ./rounds 2 3

# 3 instructions, 100 rounds of 13, three more in one of them, 3 instructions.
identical "the same run" 1309 3.wmk 3.wmk
identical "the same program run again" 1309 3.wmk moved3.wmk
identical "every instruction a block of its own" 1309 3.wmk precise3.wmk
identical "the same the other way round" 1309 precise3.wmk 3.wmk
identical "QEMU steps singly" 1309 3.wmk step3.wmk

# An instruction that faults has begun, whatever block it was in.
record repair.wmk "$GUESTS/faults/repair.O3"
record preciserepair.wmk --precise "$GUESTS/faults/repair.O3"
identical "blocks left early" any repair.wmk preciserepair.wmk

# A has more in round 3, behind 3 + 2 * 13 + 2; B in round 5, behind 3 + 4 * 13 + 2.
json 3.wmk moved3.wmk
facts "what is compared by symbol is said" '
assert [(p["a"].split("/")[-1], p["b"].split("/")[-1]) for p in d["by_symbol"]] == \
	[("rounds", "moved")]'
json 3.wmk precise3.wmk
facts "and what is of one build, not" 'assert d["by_symbol"] == []'

for pair in "3.wmk 5.wmk" "3.wmk moved5.wmk" "moved3.wmk 5.wmk" "precise3.wmk 5.wmk" \
	"step3.wmk precise5.wmk"; do
	# shellcheck disable=SC2086 # two words
	json $pair
	check "$pair: exit status 1" test "$status" -eq 1
	facts "$pair: divergences at rounds 3 and 5" '
assert h == [(31, 31, 3, 0), (60, 57, 0, 3)], h
assert t["divergences"] == 2 and not t["identical"] and not d["identical"]
assert (t["common"], t["a_only"], t["b_only"]) == (1306, 3, 3), t
assert t["a_not_compared"] == t["b_not_compared"] == 0
first, second = t["first_divergences"]
assert [f["common_before"] for f in (first, second)] == [31, 26]
assert first["then"] == second["then"] == "together"
assert first["last_common"]["disassembly"].split()[0] == "bne"
assert first["a_next"]["symbol"] == "_start"
assert first["b_next"]["disassembly"].split()[0] == "jal"
assert second["a_next"]["disassembly"].split()[0] == "jal"
assert first["a_next"]["disassembly"] == "addi s2,s2,1", first
assert second["b_next"]["symbol"] == "_start"'
done

# ---- parts of a run -------------------------------------------------------------------

json --from 60:57 3.wmk 5.wmk
facts "from where A and B are told to begin" '
assert h == [(60, 57, 0, 3)], h
assert (t["common"], t["a_instructions"], t["b_instructions"]) == (1249, 1249, 1252), t'
json --from 31 3.wmk 5.wmk
facts "from the same number" 'assert h[0] == (31, 31, 3, 0), h'
json --to 31 3.wmk 5.wmk
facts "up to where they part" 'assert t["identical"] and t["common"] == 31, t'
json --to 33:31 3.wmk 5.wmk
facts "a little further" '
assert h == [(31, 31, 2, 0)] and t["first_divergences"][0]["then"] == "end", t'
json --from 33:31 --to 34:32 3.wmk 5.wmk
facts "one instruction" 'assert h == [(33, 31, 1, 1)] and t["a_only"] == 1, t'
identical "nothing" 0 --from 5000 3.wmk 5.wmk

json -n 1 3.wmk 5.wmk
facts "-n 1 lists one" 'assert len(h) == 1 and t["divergences"] == 2'
json -n 0 3.wmk 5.wmk
facts "-n 0 lists none" 'assert len(h) == 0 and t["divergences"] == 2'

# ---- text -----------------------------------------------------------------------------

run "$WAYMARK" diff -U 2 -n 1 3.wmk 5.wmk
sed 's/ 0x[0-9a-f]* / ADDRESS /; s/ *# .*//; s/  */ /g; s/ $//' stdout >text
cat >expected <<'END'
A 3.wmk, thread 0 (rounds), 1,309 instructions
B 5.wmk, thread 0 (rounds), 1,309 instructions

divergence 1, after 31 instructions in common
by way of _start, work, _start, work, _start
 29 29 ADDRESS _start+0x8 addi s1,s1,1
 30 30 ADDRESS _start+0xa bne s1,s0,10
< 31 ADDRESS _start+0xe addi s2,s2,1
< 32 ADDRESS _start+0x10 addi s2,s2,1
< 1 more
together again after 3 instructions of A and 0 of B
 34 31 ADDRESS _start+0x14 jal ra,18
 35 32 ADDRESS work addi s3,s3,1

... and 1 more (-n)

2 divergences: 1,306 instructions in both, 3 only in A, 3 only in B
END
same "a divergence for people" expected text

# ---- functions of one name ---------------------------------------------------------------

for variant in "" moved; do
	for part in 1 2; do
		"$CC" -c -DPART=$part -o "part$part.o" "$HERE/namesakes.c"
	done
	bare "namesakes$variant" ${variant:+-DMOVED} -DPART=0 "$HERE/namesakes.c" part1.o part2.o
done
record first.wmk ./namesakes
record firstmoved.wmk ./namesakesmoved
record secondmoved.wmk ./namesakesmoved 2
identical "the first of two functions of a name is the first" 32 first.wmk firstmoved.wmk
json first.wmk secondmoved.wmk
facts "and not the second" '
assert t["divergences"] == 1 and t["a_only"] == t["b_only"] == 21, t'

# ---- other addresses, another QEMU ----------------------------------------------------------

# Where QEMU puts what a handler returns to depends on the room it has.
"$WAYMARK" record -o here.wmk "$GUESTS/signal.O3" >/dev/null
"$WAYMARK" record -o there.wmk --qemu-arg -R --qemu-arg 0x4000000000 "$GUESTS/signal.O3" \
	>/dev/null
identical "memory without a file, elsewhere" any here.wmk there.wmk
for run in here there; do
	"$WAYMARK" insns $run.wmk --format csv | awk -F, '!$3 { print $2 }' | sort -u >$run
done
check "it was elsewhere" sh -c '[ -s here ] && ! cmp -s here there'

if newer=$("$SRC/tests/qemu.sh" 10.2 2>/dev/null); then
	record newer3.wmk --qemu "$newer" ./rounds 2 3
	identical "QEMU 7.2 and 10.2" 1309 3.wmk newer3.wmk
	record newerprecise5.wmk --precise --qemu "$newer" ./moved 2 3 4 5
	json 3.wmk newerprecise5.wmk
	facts "all of it at once" 'assert h == [(31, 31, 3, 0), (60, 57, 0, 3)], h'
	record newer.wmk --qemu "$newer" "$GUESTS/branches.O3"
else
	echo "ok diff under QEMU 10.2 # SKIP it cannot be built here"
	record newer.wmk -E SOME=thing "$GUESTS/branches.O3"
fi

# ---- what is told to be common is -------------------------------------------------------------

# A C library does other things under another QEMU. What diff says of that, held against
# both listings by other means.
record older.wmk "$GUESTS/branches.O3"
json -n 1000000 older.wmk newer.wmk
for run in older newer; do
	"$WAYMARK" insns $run.wmk --format csv | cut -d, -f2- >$run.csv
done
facts "every common stretch is common, and ways part where they do" '
import csv
a, b = ([(r["symbol"], r["offset"], r["code"]) for r in
         csv.DictReader(open(f"{run}.csv"))] for run in ("older", "newer"))
assert len(a) == t["a_instructions"] and len(b) == t["b_instructions"]
assert len(h) == t["divergences"] > 3
i = j = common = 0
for x, y, only_a, only_b in h + [(len(a), len(b), 0, 0)]:
    assert a[i:x] == b[j:y], (i, j)
    assert x == len(a) or y == len(b) or only_a or only_b
    if x < len(a) and y < len(b):
        assert a[x] != b[y], (x, y)
    common += x - i
    i, j = x + only_a, y + only_b
assert common == t["common"]
assert (sum(x[2] for x in h), sum(x[3] for x in h)) == (t["a_only"], t["b_only"])
assert common > 0.9 * len(a)'

finish
