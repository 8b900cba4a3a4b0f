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
case $("$QEMU" -version) in
*" version 7."*) step=-singlestep ;;
*) step=-one-insn-per-tb ;;
esac
record step3.wmk --qemu-arg $step ./rounds 2 3

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

# A has more in round 3, after 3 + 2 * 13 + 2; B in round 5, after 3 + 4 * 13 + 2.
json 3.wmk moved3.wmk
facts "what is compared by symbol is said" what_is_compared_by_symbol_is_said
json 3.wmk precise3.wmk
facts "and what is of one build, not" and_what_is_of_one_build_not

for pair in "3.wmk 5.wmk" "3.wmk moved5.wmk" "moved3.wmk 5.wmk" "precise3.wmk 5.wmk" \
	"step3.wmk precise5.wmk"; do
	# shellcheck disable=SC2086 # two words
	json $pair
	check "$pair: exit status 1" test "$status" -eq 1
	facts "$pair: divergences at rounds 3 and 5" pair_divergences_at_rounds_3_and_5
done

# The divergences have 26 instructions between them, which is less than 32.
for n in 1 2; do
	run "$WAYMARK" diff -U 32 -n $n 3.wmk 5.wmk
	facts "what is shown as common is, -n $n" what_is_shown_as_common_is stdout 3.wmk 5.wmk $n
done

# ---- parts of a run ----------------------------------------------------------

json --from 60:57 3.wmk 5.wmk
facts "from where A and B are told to begin" from_where_a_and_b_are_told_to_begin
json --from 31 3.wmk 5.wmk
facts "from the same number" from_the_same_number
json --to 31 3.wmk 5.wmk
facts "up to where they part" up_to_where_they_part
json --to 33:31 3.wmk 5.wmk
facts "a little further" a_little_further
json --from 33:31 --to 34:32 3.wmk 5.wmk
facts "one instruction" one_instruction
identical "nothing" 0 --from 5000 3.wmk 5.wmk

json -n 1 3.wmk 5.wmk
facts "-n 1 lists one" n_1_lists_one
json -n 0 3.wmk 5.wmk
facts "-n 0 lists none" n_0_lists_none

# ---- text --------------------------------------------------------------------

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

# ---- functions of one name ---------------------------------------------------

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
facts "and not the second" and_not_the_second

# ---- other addresses, another QEMU -------------------------------------------

# Where QEMU puts what a handler returns to depends on the room it has.
"$WAYMARK" record -o here.wmk "$GUESTS/signal.O3" >/dev/null
"$WAYMARK" record -o there.wmk --qemu-arg -R --qemu-arg 0x4000000000 "$GUESTS/signal.O3" \
	>/dev/null
identical "memory without a file, elsewhere" any here.wmk there.wmk
for run in here there; do
	"$WAYMARK" insns $run.wmk --format csv |
		awk -F, '!$3 || $3 == "__vdso_rt_sigreturn" { print $2 }' | sort -u >$run
done
check "it was elsewhere" sh -c '[ -s here ] && ! cmp -s here there'

if newer=$("$SRC/tests/qemu.sh" 10.2 2>/dev/null); then
	record newer3.wmk --qemu "$newer" ./rounds 2 3
	identical "QEMU 7.2 and 10.2" 1309 3.wmk newer3.wmk
	record newerprecise5.wmk --precise --qemu "$newer" ./moved 2 3 4 5
	json 3.wmk newerprecise5.wmk
	facts "all of it at once" all_of_it_at_once
	record newer.wmk --qemu "$newer" -E SOME=thing "$GUESTS/branches.O3"
else
	echo "ok diff under QEMU 10.2 # SKIP it cannot be built here"
	record newer.wmk -E SOME=thing "$GUESTS/branches.O3"
fi

# ---- what is reported as common is common ------------------------------------

# A C library does other things under another QEMU. What diff says of that, compared with
# both listings by other means.
record older.wmk "$GUESTS/branches.O3"
json -n 1000000 older.wmk newer.wmk
for run in older newer; do
	"$WAYMARK" insns $run.wmk --format csv | cut -d, -f2- >$run.csv
done
facts "every common stretch is common, and ways part where they do" every_common_stretch_is_common_and_ways

finish
