#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# QEMU's own trace events, beside ours of the same run.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

if ! "$QEMU" -d trace:help 2>&1 | grep -q guest_user_syscall; then
	echo "ok QEMU's trace # SKIP $QEMU has no trace event guest_user_syscall"
	exit 0
fi
guest=$GUESTS/signal.O3
"$WAYMARK" record --qemu "$QEMU" -o run.wmk --qemu-trace 'guest_user_sys*' \
	--qemu-trace user_setup_rt_frame "$guest" >out
"$WAYMARK" record --qemu "$QEMU" -o plain.wmk "$guest" >plain
same "the program does what it does" plain out
check "verify" "$WAYMARK" verify run.wmk
"$WAYMARK" events run.wmk --format jsonl >events
check "they are the calls, their returns and the signals, in this order" \
	"$PYTHON" "$SRC/tests/cli/events/qemu_facts.py" they_are_the_calls_their_returns_and_the
# A line is written after the call was reported, and read some time later.
check "the clock has them near by" \
	"$PYTHON" "$SRC/tests/cli/events/qemu_facts.py" the_clock_has_them_near_by
check "nothing is left behind" sh -c 'TMPDIR=$PWD/tmp; export TMPDIR; mkdir tmp
	"$1" record --qemu "$2" -o run2.wmk --qemu-trace "user*" "$3" >out && rmdir tmp' - \
	"$WAYMARK" "$QEMU" "$guest"
chain=$GUESTS/processes/chain.O3
"$WAYMARK" record --qemu "$QEMU" -o run.wmk --qemu-trace guest_user_syscall "$chain" 2 "$chain" \
	"$chain" >out || true
check "of all programs that a process becomes" test \
	"$("$WAYMARK" events run.wmk --only qemu --format csv | sed 1d | wc -l)" -eq \
	"$("$WAYMARK" events run.wmk --only syscall --format csv | sed 1d | wc -l)"
"$WAYMARK" record --qemu "$QEMU" -o run.wmk --events=-qemu --qemu-trace 'guest*' "$guest" >out
check "they can be off" sh -c '! "$1" events run.wmk | grep -q guest_user' - "$WAYMARK"

refused "a pattern that fits nothing" '*has no trace event "nothing\**' \
	"$WAYMARK" record --qemu "$QEMU" --qemu-trace 'nothing*' "$guest"
refused "beside a log of the user's" '*QEMU?s log for itself, and so does -d' "$WAYMARK" record \
	--qemu "$QEMU" --qemu-arg -d --qemu-arg strace --qemu-trace 'user*' "$guest"
QEMU_LOG=strace
export QEMU_LOG
refused "or in the environment" '*QEMU?s log for itself, and so does QEMU_LOG' \
	"$WAYMARK" record --qemu "$QEMU" --qemu-trace 'user*' "$guest"
finish
