#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A wish that reaches a thread as it begins to sleep in a system call is obeyed by the others
# while it sleeps.

# shellcheck source=tests/cli/ctl/common
. "$(dirname "$0")/common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -pthread -O1 -o asleep "$SRC/tests/cli/ctl/asleep.c"
mkfifo sleeper worker
: >out
"$WAYMARK" record --qemu "$QEMU" -o run.wmk ./asleep <sleeper 3<worker >out &
exec 8>sleeper 9>worker
stepped=0

# work: the second thread does something.
work() {
	printf w >&9
	stepped=$((stepped + 1))
	until_true has_lines out $stepped
}

# insns: what the first thread has executed.
insns() {
	"$WAYMARK" ctl status --format json | "$PYTHON" -c \
		'import json, sys; print(json.load(sys.stdin)["threads"][0]["instructions"])'
}

has_moved() { [ "$(insns)" != "$was" ]; }

work
was=$(insns)
"$WAYMARK" ctl off
printf s >&8
until_true has_moved
for i in 1 2 3 4 5; do
	work
done
"$WAYMARK" ctl on
for i in 1 2 3 4 5; do
	work
done
exec 8>&- 9>&-
wait $!
"$WAYMARK" insns --thread 1 --no-events --format csv run.wmk >list
ran=$(grep -c ',worked,0,' list)
check "off is obeyed while another thread sleeps, and so is on" test "$ran" -ge 5 -a "$ran" -le 7
check "the trace is sound" "$WAYMARK" verify run.wmk
finish
