#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Flushes and snapshots at any moment change nothing of what is recorded: blocks that are
# left early by a fault, signals, what is uncertain. Witnesses are QEMU's own log of the same
# run, and a run that nobody asked anything.

# shellcheck source=tests/cli/ctl/common
. "$(dirname "$0")/common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -O1 -o steps "$SRC/tests/cli/ctl/faults.c"

begin plain
for byte in a b c d; do step $byte; done
end

: >flushes
begin often --qemu-arg -d --qemu-arg in_asm,exec,nochain --qemu-arg -D --qemu-arg log
while "$WAYMARK" ctl flush && "$WAYMARK" ctl snapshot snap.wmk; do
	mv snap.wmk last.wmk
	echo >>flushes
done >flushed 2>&1 3>&- &
n=0
for byte in a b c d; do
	n=$((n + 1))
	until_true has_lines flushes $n
	step $byte
done
end
wait

check "there were many" test "$(wc -l <flushes)" -ge 4
run "$WAYMARK" verify often.wmk --against log
check "blocks are those of QEMU's log" test "$status" -eq 0
check "a snapshot is whole" sh -c '"$WAYMARK" verify last.wmk | grep -q "complete and sound"'
listed last.wmk
listed often.wmk
starts "a snapshot is how it begins" last.wmk often.wmk

# Where the libc looks at the environment, runs differ.
for file in plain often; do
	for function in main fault on_fault on_user __sigsetjmp raise; do
		"$WAYMARK" hot --function $function --format csv -f insns,executions,function $file.wmk
	done >$file.hot
	"$WAYMARK" info --format json $file.wmk | grep -m 1 '"uncertain"' >$file.uncertain
done
same "faults leave what they leave otherwise" plain.hot often.hot
check "all functions are there" test "$(grep -c '^[1-9]' often.hot)" -eq 6
same "no more is uncertain" plain.uncertain often.uncertain
chunks() {
	"$WAYMARK" info --format json "$1" | sed -n 's/^  "chunks": \([0-9]*\).*/\1/p'
}
check "it was really cut" test "$(chunks often.wmk)" -gt "$(chunks plain.wmk)"
finish
