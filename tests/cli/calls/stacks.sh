#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls of a program with several stacks in one thread: each stack keeps its callers, whether what
# changes them is known or not, and however many processes share the work.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$SRC/tests/cli/calls

# stacks NAME TURNS COMPILER OPTION...
stacks() {
	name=$1 turns=$2
	shift 2
	"$@" -DTURNS="$turns" -DSPIN="${spin:-0}" -std=gnu17 -O2 -static "$here/stacks.c" -o "$name"
	"$WAYMARK" record -o "$name.wmk" "./$name" >out 2>errors || cat errors >&2
	check "$name: no caller is lost" "$PYTHON" "$here/stacks.py" "$name.wmk" "$turns"
}
cc=${CROSS_CC:-riscv64-linux-gnu-gcc}
stacks context 240 "$cc"
stacks own 240 "$cc" -DOWN
stacks context.aarch64 240 aarch64-linux-gnu-gcc
stacks context.x86_64 240 x86_64-linux-gnu-gcc

check "what comes back is told" sh -c '"$WAYMARK" calls --tree --format csv context.x86_64.wmk |
	grep -q ",entry,.*,0,resumed,run_blue,"'
"$WAYMARK" calls --tree context.x86_64.wmk >tree
check "also in the tree" grep -q " run_blue() {  /\* resumed \*/$" tree

# ---- parts ---------------------------------------------------------------------

# same OPTION...: one process and three say the same
same() {
	"$WAYMARK" calls -j 1 "$@" long.wmk >one && "$WAYMARK" calls -j 3 "$@" long.wmk >three &&
		cmp one three
}
spin=10000
stacks long 2400 "$cc" -DOWN
check "there are several parts" test "$("$WAYMARK" info long.wmk --format json |
	"$PYTHON" "$SRC/tests/cli/calls/calls_facts.py" chunks)" -ge 2
check "in parts" same
check "in parts, the graph" same --graph
check "in parts, one by one" same --tree -D 1
finish
