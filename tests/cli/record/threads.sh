#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads are streams of their own, whole and apart. Forked children are processes of their
# own or, with --no-follow, leave no trace in their parent's, run on unharmed, and are told
# of.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

guest=./threads
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O2 -static -pthread -o "$guest" \
	"$SRC/tests/cli/record/threads.c"

# processes FILE: how many there are
processes() {
	"$PYTHON" "$SRC/tests/cli/record/threads_facts.py" count_processes <"$1"
}

"$QEMU" "$guest" >plain
"$WAYMARK" record --no-follow -o run.wmk -- "$guest" >traced
"$WAYMARK" info run.wmk --format json >info
"$WAYMARK" info run.wmk >text
check "the program prints what it does untraced" cmp -s plain traced
check "12 threads beside the first, all alike" \
	"$PYTHON" "$SRC/tests/cli/record/threads_facts.py" threads_are_alike run.wmk <info
check "forked children are counted" grep -q '^children *3 forked' text
check "the trace is sound" sh -c '"$WAYMARK" verify run.wmk >verdict'

"$WAYMARK" record -o all.wmk -- "$guest" >traced
"$WAYMARK" info all.wmk --format json >all
check "followed, it prints the same" cmp -s plain traced
check "children are processes" test "$(processes all)" = 4
check "that trace is sound" sh -c '"$WAYMARK" verify all.wmk >verdict'
finish
