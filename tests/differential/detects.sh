#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A comparison that cannot fail proves nothing: logs with one fault each must be refused.
# shellcheck disable=SC2016 # $ is awk's

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

guest=$GUESTS/status.O0

# expect NAME STATUS: verify --against ./log must end so, and say something.
expect() {
	status=0
	"$WAYMARK" verify run.wmk --against log >verdict 2>&1 || status=$?
	if [ "$status" -eq "$2" ] && [ -s verdict ]; then
		passed "$1" "$(tail -n 1 verdict)"
	else
		failed "$1" "exit status $status instead of $2: $(cat verdict)"
	fi
}

# fault NAME AWK: the log with one line changed.
fault() {
	awk "$2" good >log
	expect "$1" 1
}

# shellcheck disable=SC2086 # a list of words
"$WAYMARK" record --qemu "$QEMU" $LOGGED -o run.wmk -- "$guest" >out 2>&1 || true
cp log good
expect "a log in a file" 0

fault "a block less" '/^Trace/ && ++n == 1000 { next } 1'
fault "a block twice" '/^Trace/ && ++n == 1000 { print } 1'
fault "two blocks swapped" '
	/^Trace/ && ++n > 300 && !done && prev && $4 != prev4 {
		print; print prev; prev = ""; done = 1; next
	}
	/^Trace/ && n >= 300 && !done { if (prev) print prev; prev = $0; prev4 = $4; next }
	prev { print prev; prev = "" }
	1'
fault "a block less at the end" '{ if (NR > 1) print last; last = $0 }'
fault "another disassembly" '/^0x/ && ++n == 500 { sub(/[a-z]+ /, "nop ") } 1'
fault "other bytes" '/^0x/ && ++n == 500 { sub(/:  ./, ":  f") } 1'
fault "an instruction less" '/^0x/ && ++n == 500 { next } 1'

grep -v '^0x' good >log
expect "no in_asm" 2
echo "this is not a log" >log
expect "no log at all" 2
: >log
expect "an empty log" 2
rm log
expect "a log that is missing" 2

"$QEMU" -d in_asm,exec -D log "$guest" >out 2>&1 || true
expect "a log without nochain" 1
exit $((failures > 0))
