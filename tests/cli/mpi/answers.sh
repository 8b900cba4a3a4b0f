#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Under MPI the processes of a job answer together: the same bytes as one, on stdout and stderr.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

if [ ! -e "$BUILD/waymark-mpi.so" ] || ! command -v mpirun >/dev/null; then
	echo "ok MPI # SKIP there is no Open MPI"
	exit 0
fi
# A folder of its own, so that jobs do not meet.
export TMPDIR="$PWD" OMPI_MCA_orte_tmpdir_base="$PWD"
# All processes are here: Open MPI 5 remarks on networks that it would not use.
export OMPI_MCA_btl=^tcp

# job N WORD...: as N processes
job() {
	n=$1
	shift
	run timeout "$GUARD" mpirun --allow-run-as-root --oversubscribe -n "$n" "$@"
}

# together WORD...: of 1, 2, 3 and 7 processes.
together() {
	run "$WAYMARK" "$@"
	mv stdout wanted
	mv stderr remarks
	good=yes
	for n in 1 2 3 7; do
		job "$n" "$WAYMARK" "$@"
		[ "$status" -eq 0 ] || good="$n: status $status, $(cat stderr)"
		cmp -s wanted stdout || good="$n: $(diff wanted stdout | head -n 5)"
		cmp -s remarks stderr || good="$n: $(cat stderr)"
	done
	[ -s wanted ] || good="no answer"
	check "$*" test "$good" = yes
}

"$WAYMARK" record -L /usr/riscv64-linux-gnu -o long.wmk "$GUESTS/threads/names.O3" >/dev/null
"$BUILD/tests/unit/rechunk" long.wmk waymark.wmk 900
together hot
together cfg --loops --trips
together calls --format folded
together calls --tree -F main
together mix --interval 1000 --format csv
together bpred --format csv

# mpirun gives the first process a terminal as standard output, which takes binary formats, too.
together calls --format pprof
together cover --format drcov

# export runs a command that is answered together, or by the first process alone.
together export folded
together export drcov
together export insns-spike -n 1000
for format in folded pprof blocks-pc; do
	"$WAYMARK" export $format -o wanted
	job 3 "$WAYMARK" export $format -o got
	same "export $format -o: by 3 processes" wanted got
	check "export $format -o: nothing else is left behind" sh -c '[ "$(echo got*)" = got ]'
	rm -f got
done
job 2 "$WAYMARK" export nothing
check "export of no format" test "$status" -eq 2

# Caches: rank 0 goes on with its own, and replays what the others have logged.
"$WAYMARK" record --mem --last=256k -o churn.wmk "$GUESTS/churn.O0" >/dev/null
together cache --by level --interval 20000 churn.wmk
together cache --l1d 1k,2,32 --l2 8k,4,64,plru --format csv churn.wmk
together cache --by level --shared-llc churn.wmk
# All of it by the first process.
together cache --by object --shared-llc churn.wmk

"$WAYMARK" record -o short.wmk "$GUESTS/signal.O3" >/dev/null
together hot waymark.wmk short.wmk waymark.wmk

# The trace's definitions are read by the first process only: in the folders of the others the
# file has nothing but chunks, as if it could not be read there.
mkdir rank0 rank1 rank2
for rank in 0 1 2; do
	cp waymark.wmk rank$rank/run.wmk
done
"$PYTHON" "$SRC/tests/cli/mpi/spoil.py" rank1/run.wmk rank2/run.wmk
(cd rank0 && run "$WAYMARK" calls --format folded run.wmk && mv stdout ../wanted)
# shellcheck disable=SC2016 # the shell of each process expands it
job 3 sh -c 'cd rank$OMPI_COMM_WORLD_RANK && exec "$@"' job "$WAYMARK" calls --format folded run.wmk
same "definitions are read once" wanted stdout
run "$WAYMARK" calls rank1/run.wmk
check "nor can they be" test "$status" -eq 2

# Only the first process writes a file, and answers what is not shared; and says what is wrong.
"$WAYMARK" hot -o wanted waymark.wmk
for attempt in 1 2 3; do
	job 3 "$WAYMARK" hot -o got waymark.wmk
	same "-o, attempt $attempt" wanted got
	rm -f got
done
"$WAYMARK" info waymark.wmk >wanted
job 3 "$WAYMARK" info waymark.wmk
same "one answer to what is not shared" wanted stdout
job 3 "$WAYMARK" hot --by nothing waymark.wmk
check "one sentence of a wrong command line" test "$(grep -c '^waymark hot: --by takes' stderr)" -eq 1

# A process that fails says why, once.
job 3 "$WAYMARK" hot missing.wmk
check "one sentence" test "$(grep -c '^waymark: cannot open missing.wmk' stderr)" -eq 1
check "and its exit status" test "$status" -eq 2
job 3 "$WAYMARK" cover waymark.wmk missing.wmk
check "one of several traces" test "$(grep -c '^waymark: cannot open missing.wmk' stderr)" -eq 1
check "of which there is no answer" test "$status" -eq 2 -a ! -s stdout
check "no answer" test ! -s stdout
for words in "annotate nothing" "mem"; do
	# shellcheck disable=SC2086 # several words
	run "$WAYMARK" $words
	mv stderr wanted
	# shellcheck disable=SC2086
	job 3 "$WAYMARK" $words
	grep "^waymark" stderr >got
	same "one sentence of what each finds out: $words" wanted got
done

# Alone it loads nothing of MPI, so that the ordinary command starts as fast as without.
LD_DEBUG=files "$WAYMARK" hot >/dev/null 2>alone
check "alone it loads no MPI" sh -c '! grep -qE "libmpi|waymark-mpi" alone && grep -q libzstd alone'
job 2 env LD_DEBUG=files "$WAYMARK" hot
check "in a job it does" grep -q waymark-mpi stderr

"$WAYMARK" record -o other.wmk "$GUESTS/signal.O3" >/dev/null
# shellcheck disable=SC2016 # the shell of each process expands it
job 2 sh -c '[ $OMPI_COMM_WORLD_RANK = 0 ] || set -- other.wmk; exec "$WAYMARK" hot "$@"'
check "different questions" grep -q "^waymark.* ask different questions" stderr
job 2 env WAYMARK_MPI=no "$WAYMARK" info --format json
check "each for itself" test "$(grep -c '"instructions"\|"insns"' stdout)" -ge 2

# A process that is killed ends the job: the others do not wait for it.
# shellcheck disable=SC2016 # the shell of each process expands it
job 3 sh -c '[ $OMPI_COMM_WORLD_RANK != 1 ] || kill -9 $$; exec "$@"' job "$WAYMARK" calls
# Open MPI 4 says so, too; 5 only has the exit status, of signal 9.
check "a killed process ends the job" test "$status" -eq 137
check "and no answer" test ! -s stdout
finish
