#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The vDSO, which QEMU gives programs from 8.2 on, is no file: its functions have the names that it has
# for them, in all processes.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o program "$SRC/tests/cli/names/vdso.c"
"$WAYMARK" record -q --qemu "$QEMU" -o run.wmk ./program vdso.so
if [ ! -s vdso.so ]; then
	"$WAYMARK" hot --format csv -f function,module run.wmk >hot
	check "no vDSO, no names of it" sh -c '! grep -q vdso hot'
	finish
fi

"$WAYMARK" hot --format csv -f function,executions,module run.wmk | tr -d '\r"' | grep 'vdso\]' |
	sort >got
echo '__vdso_clock_gettime,1230,[vdso]' >wanted
same "one function of three processes" wanted got

# Where readelf has it.
readelf --dyn-syms -W vdso.so | sed -n 's/.*: 0*\([0-9a-f]*\) .* __vdso_clock_gettime.*/0x\1/p' |
	sort -u >wanted
"$WAYMARK" insns --process 0 --format csv run.wmk | tr -d '\r"' |
	sed -n 's/^[0-9]*,\(.*\),__vdso_clock_gettime,0,.*/\1/p' | sort -u >got
same "its address is that of the file's symbol" wanted got

"$WAYMARK" calls --format csv -f function,calls run.wmk | tr -d '\r"' | grep __vdso_ >got
echo '__vdso_clock_gettime,1230' >wanted
same "calls of it" wanted got
"$WAYMARK" info --format json run.wmk >json
check "it is no code that a compiler listed" sh -c '! grep -q "\"generated\"" json'

"$WAYMARK" record -q --no-pack --qemu "$QEMU" -o bare.wmk ./program vdso.so
"$WAYMARK" hot --format csv -f function,executions bare.wmk | tr -d '\r"' >hot
check "--no-pack: without names" sh -c '! grep -q __vdso_ hot && grep -q "^\[anonymous\]" hot'
finish
