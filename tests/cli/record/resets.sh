#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# QEMU translates all code again, whenever a window begins or ends, while threads end: the program
# notices nothing. (QEMU 7.2 would write to memory that such a thread has freed.)

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

TURNS=120

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O2 -static -pthread -o resets \
	"$SRC/tests/cli/record/resets.c"
windows=$(seq 2 4 $TURNS | while read -r at; do echo "--window turn@$at..turn@$((at + 2))"; done)
export G_SLICE=always-malloc # as in tests/differential/common
for run in 1 2 3 4 5 6 7 8; do
	# shellcheck disable=SC2086 # a list of words
	run "$WAYMARK" record -o run.wmk $windows ./resets $TURNS
	check "run $run: the program ends" test "$status" -eq 0
	check "run $run: the trace is sound" sh -c '"$WAYMARK" verify run.wmk >verdict'
	check "run $run: what is recorded" test \
		"$("$WAYMARK" insns --format csv run.wmk | grep -c ',turn,0,')" -eq $((TURNS / 2))
done
finish
