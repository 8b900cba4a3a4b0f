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

# job N WORD...: as N processes
job() {
	n=$1
	shift
	run timeout 300 mpirun --allow-run-as-root --oversubscribe -n "$n" "$@"
}

# together WORD...: of 2, 3 and 7 processes.
together() {
	run "$WAYMARK" "$@"
	mv stdout wanted
	mv stderr remarks
	good=yes
	for n in 2 3 7; do
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
together mix --interval 1000 --format csv
# All of it by the first process.
together bpred --format csv

# A process that fails says why, once.
job 3 "$WAYMARK" hot missing.wmk
check "one sentence" test "$(grep -c '^waymark: cannot open missing.wmk' stderr)" -eq 1
check "and its exit status" test "$status" -eq 2
check "no answer" test ! -s stdout

"$WAYMARK" record -o other.wmk "$GUESTS/signal.O3" >/dev/null
# shellcheck disable=SC2016 # the shell of each process expands it
job 2 sh -c '[ $OMPI_COMM_WORLD_RANK = 0 ] || set -- other.wmk; exec "$WAYMARK" hot "$@"'
check "different questions" grep -q "^waymark.* ask different questions" stderr
job 2 env WAYMARK_MPI=no "$WAYMARK" info --format json
check "each for itself" test "$(grep -c '"instructions"\|"insns"' stdout)" -ge 2
finish
