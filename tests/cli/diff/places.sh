#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Two runs, or a run and a log, from one place to another: symbols, lines, addresses, markers.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"
# shellcheck source=tests/cli/diff/common
. "$SRC/tests/cli/diff/common"

bare rounds "$HERE/rounds.c"
bare moved -DMOVED "$HERE/rounds.c"
bare hand -I"$SRC/include" "$SRC/tests/cli/marks/hand.S"
bare lines -g -O2 -ffreestanding "$HERE/spike/syscalls.c"
record 3.wmk ./rounds 2 3
record moved3.wmk ./moved 2 3
record moved5.wmk ./moved 2 3 4 5
record hand.wmk ./hand
record lines.wmk ./lines
for run in 3 hand lines; do
	"$WAYMARK" insns --format spike $run.wmk >$run.log
done

# ---- symbols and addresses ---------------------------------------------------

# 3 instructions, rounds of 13, in which `work` is the fourth; three more in round 3 or 5.
identical "from a symbol, in another build" 1274 --from work@3 3.wmk moved3.wmk
identical "an instruction behind it" 1272 --from work+4@3 3.wmk moved3.wmk
identical "from one time to the next" 13 --from work@7 --to work@8 3.wmk moved5.wmk
identical "to the next that comes" 13 --from work@7 --to work 3.wmk moved5.wmk
identical "to an ordinal" 20 --from work@7 --to insn:107 3.wmk moved3.wmk
identical "a symbol of one file among those there are" 1303 --from 'round*:work' \
	--from 'mov*:work' 3.wmk moved3.wmk
json --from work@3 --from work@5 3.wmk moved5.wmk
facts "of each another" of_each_another
address=$(riscv64-linux-gnu-nm rounds | awk '$3 == "work" { print "0x" $1 }')
identical "an address" 1274 --from "$address@3" --from work@3 3.wmk moved3.wmk

# The file may be gone: then it is what was packed into the trace.
record packed.wmk --pack ./moved 2 3
mv moved away
identical "a symbol of a packed file" 1274 --from work@3 3.wmk packed.wmk
mv away moved

# ---- lines and markers -------------------------------------------------------

# The loop over k: the line begins it, and comes again after a piece of another line.
line=$(grep -n 's = s \*' "$HERE/spike/syscalls.c" | cut -d: -f1)
identical "from a line to the same line" any --from "syscalls.c:$line@3" \
	--to "syscalls.c:$line@4" lines.wmk --spike lines.log
facts "that is some of it" that_is_some_of_it
for other in hand.wmk "--spike hand.log"; do
	# shellcheck disable=SC2086 # one word or two
	for region in "7 3" "7@2 3" "8 1"; do
		set -- $region
		identical "marker $1, $other" "$2" --from "marker:$1" --to "marker:${1%@*}" \
			hand.wmk $other
	done
done

# ---- threads -----------------------------------------------------------------

record threaded.wmk "$GUESTS/threads/names.O3"
json --from main threaded.wmk threaded.wmk
facts "threads that do not come there are left out" threads_that_do_not_come_there_are_left
run "$WAYMARK" diff --from main threaded.wmk threaded.wmk
check "and the text lists them" grep -q '^thread 1 .*: left out: neither comes to --from' stdout
"$WAYMARK" insns --format execlog --interleave threaded.wmk >threaded.log
json --from main threaded.wmk --execlog threaded.log
facts "also with a log" also_with_a_log
record generations.wmk "$GUESTS/threads/generations.O3"
"$WAYMARK" insns --format execlog --interleave generations.wmk >generations.log
for bounds in 100 5000 100000; do
	identical "threads that a CPU had one after the other, from $bounds" any \
		--from $bounds --to 900000 generations.wmk --execlog generations.log
done

# ---- refused -----------------------------------------------------------------

# not_there NAME PATTERN WORD...
not_there() {
	what=$1 pattern=$2
	shift 2
	refused "$what" "$pattern" "$WAYMARK" diff "$@"
}
not_there "no such symbol" '3.wmk: no file of the run has a symbol "nothing"' \
	--from nothing 3.wmk moved3.wmk
not_there "not in B" 'moved3.wmk: no file of the run has a symbol "nothing"' \
	--to work --to nothing 3.wmk moved3.wmk
not_there "after its end" '3.wmk: work has 18 bytes: byte 50 is after its end' \
	--from work+50 3.wmk moved3.wmk
not_there "no such line" '*no code of the run is known to come from line 5 of rounds.c*' \
	--from rounds.c:5 3.wmk moved3.wmk
not_there "too often" '3.wmk: --from work@101 is not reached: it comes there 100 times' \
	--from work@101 3.wmk moved3.wmk
not_there "the end comes before" '3.wmk: --to work@3 is not reached after --from' \
	--from work@100 --to work@3 3.wmk moved3.wmk

finish
