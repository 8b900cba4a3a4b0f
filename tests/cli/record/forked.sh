#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A child that is forked when a window has changed, but QEMU has not translated code again yet: it is
# recorded as the window wants it.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O2 -static -pthread -o forked \
	"$SRC/tests/cli/record/forked.c"

# worked TIMES OPTION...: how often work()'s loop ran in the child, in thousands.
worked() {
	times=$1
	shift
	run "$WAYMARK" record -o run.wmk "$@" ./forked
	check "$*: the program ends" test "$status" -eq 0
	check "$*: the trace is sound" sh -c '"$WAYMARK" verify run.wmk >verdict'
	"$WAYMARK" insns --format csv --process 1 run.wmk >insns 2>err || true
	check "$*: what the child does" test \
		$(($(cut -d, -f 2 insns | sort | uniq -c | sort -n | tail -n 1 | awk '{ print $1 }') / 1000)) \
		-eq "$times"
}
worked 1
worked 1 --start syscall:recvfrom
worked 0 --stop syscall:recvfrom
worked 1 --window syscall:recvfrom..insn:1000000
finish
