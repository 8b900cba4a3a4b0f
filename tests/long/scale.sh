#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# scale.sh - a trace of 10^12 instructions: answers, memory, counts beyond 32 bits.
#
# usage: tests/long/scale.sh                    as a test, through tests/run.sh
#        tests/long/scale.sh efficiency TRACE [QUESTION...]
#                                               of two processes over one, for `calls`, `cfg` or
#                                               the question; WAYMARK names the command
#                                               (build/waymark)
#        tests/long/scale.sh cpu TRACE [QUESTION...]
#                                               the CPU seconds of each rank instead, which a
#                                               busy machine does not change much
#        tests/long/scale.sh broadcast [BYTES...]
#                                               what MPI takes to bring them to 2, 3 and 7 ranks,
#                                               through shared memory and by TCP

if [ "${1-}" = efficiency ]; then
	set -eu
	: "${WAYMARK:=$(dirname "$0")/../../build/waymark}" "${2:?no trace is given}"
	clock() { date +%s.%N; }
	trace=$2
	shift 2
	measure() {
		for round in ${ROUNDS-1 2 3}; do
			a=$(clock)
			"$WAYMARK" "$@" -j 1 "$trace" >/dev/null
			b=$(clock)
			mpirun --allow-run-as-root -n 2 "$WAYMARK" "$@" "$trace" >/dev/null
			c=$(clock)
			echo "$1 $round $a $b $c" |
				awk '{ one = $4 - $3; two = $5 - $4
					printf "%s: 1 rank %.2f s, 2 ranks %.2f s, efficiency %.3f\n",
						$1, one, two, one / two / 2 }'
		done
	}
	if [ $# -gt 0 ]; then
		measure "$@"
	else
		measure calls
		measure cfg
	fi
	exit 0
fi

# ranks N WORD...: as N processes, each of which says its CPU seconds.
ranks() {
	n=$1
	shift
	# shellcheck disable=SC2016 # the shell of each process expands it
	mpirun --allow-run-as-root --oversubscribe -n "$n" bash -c '
		TIMEFORMAT="rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE: %U + %S s of CPU"
		time "$@"' job "$@" 2>&1 >/dev/null | grep "^rank" | sort
}

if [ "${1-}" = cpu ]; then
	set -eu
	: "${WAYMARK:=$(dirname "$0")/../../build/waymark}" "${2:?no trace is given}"
	trace=$2
	shift 2
	[ $# -gt 0 ] || set -- calls
	ranks 1 "$WAYMARK" "$@" -j 1 "$trace"
	ranks 2 "$WAYMARK" "$@" "$trace"
	exit 0
fi

if [ "${1-}" = broadcast ]; then
	set -eu
	shift
	[ $# -gt 0 ] || set -- 160000 10000000 31000000
	program=$(mktemp)
	trap 'rm -f "$program"' EXIT
	mpicc -O2 -o "$program" "$(dirname "$0")/broadcast.c"
	for n in 2 3 7; do
		for way in vader tcp; do
			mpirun --mca btl "$way,self" --mca btl_tcp_if_include lo --allow-run-as-root \
				--oversubscribe -n "$n" "$program" "$@" |
				sed "s/^/$n ranks, $way: bytes and seconds /"
		done
	done
	exit 0
fi

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

repeat=$BUILD/tests/unit/repeat
cat >loop.c <<'END'
int __attribute__((noinline)) work(int n)
{
	return n * 3 + 1;
}
int main(void)
{
	volatile int x = 0;
	for (int i = 0; i < 6000000; i++)
		x = work(x);
	return 0;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -o loop loop.c
"$WAYMARK" record -o in.wmk ./loop >/dev/null
"$repeat" in.wmk one.wmk 1
"$repeat" in.wmk big.wmk 1000000000000
check "the file is small" test "$(stat -c %s big.wmk)" -lt 2000000000
"$WAYMARK" record --mem --max-insns 10M -o mem.wmk ./loop >/dev/null
mkdir forked
ln "$WAYMARK" forked/waymark 2>/dev/null || cp "$WAYMARK" forked/waymark
ln -s "$BUILD/tests/unit/forked-team.so" forked/waymark-mpi.so
for fact in info multiples seek parts ranges seams lists texts; do
	check "$fact" "$PYTHON" "$SRC/tests/long/scale_facts.py" "$fact"
done
finish
