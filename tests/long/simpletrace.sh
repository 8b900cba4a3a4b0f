#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that QEMU's trace back end "simple" wrote, against what its back end "log" wrote of
# the same run. WAYMARK_QEMU_SIMPLE names a qemu-riscv64 that was configured with
# --enable-trace-backends=log,simple. With its ../share/qemu/trace-events-all, texts are
# compared, too.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

simple=${WAYMARK_QEMU_SIMPLE-}
if [ -z "$simple" ]; then
	echo "ok simpletrace # SKIP WAYMARK_QEMU_SIMPLE names no QEMU with the back ends log and simple"
	exit 0
fi

# The same events, in the same order in each thread, at about the same time; except for the
# last 64 KiB of QEMU's buffer, which user mode does not write out.
cp "$SRC/tests/long/simpletrace_compare.py" compare.py

# compared NAME GROUPS EVENT WORD...: records a guest with both back ends.
compared() {
	what=$1 groups=$2 event=$3
	shift 3
	rm -f t.bin
	"$WAYMARK" record --qemu "$simple" -o run.wmk \
		--qemu-trace 'guest_user_sys*,user_setup_rt_frame' \
		--qemu-arg -trace --qemu-arg file=t.bin "$@" >out
	check "$what" "$PYTHON" compare.py "$WAYMARK" "$groups" "$event" \
		--trace-events undeclared
	[ ! -f "$declared" ] || check "$what: texts" "$PYTHON" compare.py "$WAYMARK" \
		"$groups" "$event"
}
echo 'nothing(void) ""' >undeclared
declared=$(dirname "$simple")/../share/qemu/trace-events-all
compared "system calls" 1 guest_user_syscall "$GUESTS/signal.O3"
compared "signals" 2 user_setup_rt_frame "$GUESTS/signal.O3"
compared "threads" 4 guest_user_syscall_ret "$GUESTS/threads/generations.O3"
finish
