#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A guest that opens its recorder's memory, by /proc, and sets parts of it to zeros or punches
# holes into it: the recorder goes on, and the trace says that it is not whole.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O1 -static -I"$SRC" -I"$SRC/include" \
	-o vandal "$SRC/tests/cli/record/vandal.c"
mkfifo to from

# vandal WORD...: records it; $ended is its status, $status that of verify.
vandal() {
	rm -f run.wmk
	ended=0
	timeout "$GUARD" "$WAYMARK" record --qemu "$QEMU" -o run.wmk -- ./vandal "$@" \
		<to >from 2>stderr &
	recorder=$!
	exec 3>to 4<from
	read -r pid <&4
	"$SRC/tests/collector.sh" "$pid" >&3
	exec 3>&- 4<&-
	wait "$recorder" || ended=$?
	run "$WAYMARK" verify run.wmk
}

# spoilt NAME STATUS WORD...: the guest ends with that status, any when it is "-", and the
# trace tells what was done to it.
spoilt() {
	name=$1 wanted=$2
	shift 2
	vandal "$@"
	text=$(cat stdout)
	if [ "$status" -ne 1 ]; then
		failed "$name: verify" "status $status" "$text" "$(cat stderr)"
	elif ! echo "$text" | grep -q "cut short: the guest overwrote"; then
		failed "$name: the reason" "$text"
	elif [ "$wanted" != - ] && [ "$ended" != "$wanted" ]; then
		failed "$name: the guest" "status $ended"
	else
		passed "$name"
	fi
}

vandal zero nothing stop
check "nothing spoilt: the guest ends as it does" test "$ended" -eq 7
check "nothing spoilt: the trace is whole" grep -q "complete and sound" stdout
for how in zero punch; do
	for part in board places header tail; do
		spoilt "$how $part" 7 $how $part
		spoilt "$how $part, unread" 7 $how $part stop
	done
	# The guest's own code goes by what stands there.
	for part in heads all; do
		spoilt "$how $part" - $how $part
		spoilt "$how $part, unread" - $how $part stop
	done
	for part in messages lane; do
		spoilt "$how $part, unread" 7 $how $part stop
	done
done
finish
