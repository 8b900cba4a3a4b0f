#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What atomic operations store, while there is another thread and when it has ended. QEMU 9.2
# and newer give their operands instead; older ones tell of no loads meanwhile.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread -o atomics "$SRC/tests/cli/mem/atomics.c"
# stored VARIABLE: what was stored there, on one line.
stored() {
	"$WAYMARK" mem run.wmk --watch "$1" --function operate --format csv -f kind,value |
		sed -n 's/^store,0x0*\(.\)/\1/p' | tr '\n' ' '
}
for kinds in all stores; do
	"$WAYMARK" record --qemu "$QEMU" --mem=$kinds --mem-values -o run.wmk -- ./atomics >out
	check "$kinds: the program ran" [ "$(cat out)" = "4 6" ]
	check "$kinds: words of 8 bytes" [ "$(stored word)" = "11 21 121 120 \
fffffffffffffffe fffffffffffffffe 9 9 4 9 39 139 130 fffffffffffffffe fffffffffffffffe 9 9 4 " ]
	check "$kinds: words of 4 bytes" [ "$(stored half)" = \
		"ffffffff ffffffff 6 fffffffe fffffffe 6 " ]
done
finish
