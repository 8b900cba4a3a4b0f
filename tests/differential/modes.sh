#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is awkward about the way a program runs, rather than about the program.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

# equal NAME WORD...: `waymark record WORD...` gives what the log says.
equal() {
	name=$1
	shift
	if traced "$@"; then
		passed "$name" "$(tail -n 1 verdict)"
	else
		failed "$name" "$why"
	fi
}

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O2 -static -o alarm \
	"$SRC/tests/differential/alarm.c"
equal "timer signals" -- ./alarm
equal "one instruction in a block" --qemu-arg -singlestep -- "$GUESTS/qsort.O3"
equal "large guest pages" --qemu-arg -p --qemu-arg 65536 -- "$GUESTS/pageend.O0"
exit $((failures > 0))
