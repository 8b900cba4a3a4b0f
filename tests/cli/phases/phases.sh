#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The phases of a program that has three, and vectors of others against those made from a
# listing of blocks.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O1 -static -o phases \
	"$SRC/tests/cli/phases/phases.c"
"$WAYMARK" record -o run.wmk ./phases
"$WAYMARK" phases run.wmk --interval 100k --simpoint sp --format json >json

# facts NAME FUNCTION ARGUMENT...: of phases_facts.py.
facts() {
	what=$1
	shift
	check "$what" "$PYTHON" "$SRC/tests/cli/phases/phases_facts.py" "$@"
}

# ---- what is known of the program --------------------------------------------

# Intervals at the ends and bounds of phases are of two.
facts "its phases" its_phases
facts "weights and SimPoints are of the labels" weights_and_simpoints_are_of_the_labels
facts "the files of SimPoint say the same" the_files_of_simpoint_say_the_same
facts "as many clusters as the criterion says" as_many_clusters_as_the_criterion_says

# ---- vectors, and what follows from them -------------------------------------

facts "vectors" the_vectors
facts "similarity" similarity
facts "the scatter has all of the hottest blocks" the_scatter_has_all_of_the_hottest_block
facts "columns have what ran in them" columns_have_what_ran_in_them
facts "estimates: blocks" estimates_blocks
facts "estimates: multiplications and loads" estimates_multiplications_and_loads

# ---- intervals of all sorts, parts, other programs ---------------------------

"$WAYMARK" record -o other.wmk "$GUESTS/signal.O3" >/dev/null
facts "vectors, with signals, blocks cut anywhere" vectors_with_signals_blocks_cut_anywhere
facts "a run shorter than an interval is one" a_run_shorter_than_an_interval_is_one

for jobs in 1 2 3; do
	"$WAYMARK" phases run.wmk --interval 9999 -j $jobs --simpoint jobs.$jobs >jobs.$jobs
	"$WAYMARK" phases run.wmk --interval 9999 -j $jobs --format json >>jobs.$jobs
	cat jobs.$jobs.bb jobs.$jobs.simpoints jobs.$jobs.weights >>jobs.$jobs
done
check "the same for every -j" cmp jobs.1 jobs.2
check "the same for every -j" cmp jobs.1 jobs.3

# ---- text --------------------------------------------------------------------

"$WAYMARK" phases run.wmk --interval 100k >text
cp run.wmk "a run.wmk"
"$WAYMARK" phases "a run.wmk" --interval 100k | tail -n 1 >line
check "the command that it ends with can be pasted" \
	grep -q "^The first SimPoint as a trace: waymark cut 'a run.wmk' --thread 0 " line
check "a timeline" grep -qE '^[0-9]{16,17}$' text
facts "its length" its_length
check "the error of the SimPoints" grep -qE '^SimPoints against the whole run: blocks off by [0-9.]+%, instructions by [0-9.]+%$' text
"$WAYMARK" phases run.wmk --interval 100k --format csv >csv
check "csv" grep -qE '^[0-9]+,[0-9]+,[0-9]+00000,[0-9]+,0\.[0-9]+,multiply$' csv
"$WAYMARK" record -o threads.wmk "$GUESTS/threads/names.O3" >/dev/null
run "$WAYMARK" phases threads.wmk --interval 10k
check "one thread of several" test "$status" -eq 0
check "the warning names the thread" grep -qE 'of [0-9]+ threads the longest is taken, [0-9]+ \(' stderr
run "$WAYMARK" phases threads.wmk --interval 10k --thread 0
check "no warning when a thread is given" test "$status" -eq 0 -a ! -s stderr

# ---- refused -----------------------------------------------------------------

refused "too many intervals" '*are too many: make them longer' "$WAYMARK" phases run.wmk --interval 3
refused "an empty range" '*nothing ran there*' "$WAYMARK" phases run.wmk --from 5 --to 5
refused "no folder for SimPoint's files" '*cannot write no/where.bb*' \
	"$WAYMARK" phases run.wmk --simpoint no/where
for wrong in "--interval 0" "--interval x" "-k 0" "--function main" "-s nothing"; do
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" phases run.wmk $wrong
	check "refused: $wrong" test "$status" -eq 2 -a ! -s stdout
done
run sh -c "'$WAYMARK' phases run.wmk --format json >/dev/full"
check "full disk, of stdout" test "$status" -eq 2 -a -s stderr

# A signal while the vectors are written leaves no file of another name. Short intervals take
# long, so it comes before the end; if it came after, nothing could be left, either.
ended_or_writes() {
	! kill -0 $! 2>/dev/null || [ -e "$(echo left.bb.??????)" ]
}
"$WAYMARK" phases run.wmk --interval 250 --simpoint left >/dev/null 2>&1 &
until_true ended_or_writes
kill -TERM $! 2>/dev/null || true
wait $! 2>/dev/null || true
check "a signal leaves no file" [ ! -e "$(echo left.bb.??????)" ]
finish
