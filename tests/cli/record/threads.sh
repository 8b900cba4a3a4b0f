#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads are streams of their own, whole and apart; forked children leave no trace in
# their parent's, run on unharmed, and are told of.

set -eu

guest=./threads
failures=0
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O2 -static -pthread -o "$guest" \
	"$SRC/tests/cli/record/threads.c"

# check NAME CONDITION...
check() {
	name=$1
	shift
	if "$@"; then
		echo "ok $name"
	else
		echo "not ok $name"
		failures=$((failures + 1))
	fi
}

# field NAME: how many threads have this number of it
equal_counts() {
	[ "$("$PYTHON" -c '
import json, sys
threads = json.load(sys.stdin)["threads"]
print(len(threads), len({t["blocks"] for t in threads[1:]}))' <info)" = "13 1" ]
}

"${WAYMARK_QEMU:-qemu-riscv64}" "$guest" >plain
"$WAYMARK" record -o run.wmk -- "$guest" >traced
"$WAYMARK" info run.wmk --format json >info
"$WAYMARK" info run.wmk >text
check "the program prints what it does untraced" cmp -s plain traced
check "12 threads beside the first, all alike" equal_counts
check "children are told of" grep -q '^children *3 forked' text
check "the trace is sound" sh -c '"$WAYMARK" verify run.wmk >verdict'
exit $((failures > 0))
