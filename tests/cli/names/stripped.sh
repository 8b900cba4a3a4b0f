#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Code without symbols and without tables for unwinding is divided into functions, as nm has
# them before it is stripped; all commands have the same names for them.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
facts="$SRC/tests/cli/names/stripped_facts.py"

# try NAME CC STRIP NM: a program of that compiler. The names of a vDSO, which i686 calls under
# QEMU from 8.2 on, are in the trace.
try() {
	"$2" -O2 -static -fno-asynchronous-unwind-tables -fno-unwind-tables -o "whole.$1" \
		"$SRC/tests/cli/names/stripped.c"
	"$3" -o "stripped.$1" "whole.$1"
	"$WAYMARK" record -o "$1.wmk" "./stripped.$1" >out
	"$WAYMARK" insns --format jsonl "$1.wmk" >insns
	check "$1: functions are those of nm" "$PYTHON" "$facts" nm insns "$4" "whole.$1"
}

for arch in riscv64-linux-gnu aarch64-linux-gnu arm-linux-gnueabihf x86_64-linux-gnu \
	i686-linux-gnu; do
	command -v $arch-gcc >/dev/null && command -v "qemu-$("$PYTHON" "$facts" qemu $arch)" \
		>/dev/null || continue
	try ${arch%%-*} $arch-gcc $arch-strip $arch-nm
done

# ---- one name in all commands ------------------------------------------------

"$WAYMARK" insns --format jsonl riscv64.wmk >insns
"$WAYMARK" hot --format csv -f function,insns riscv64.wmk >hot
"$WAYMARK" calls --format csv -f function,self_insns riscv64.wmk >calls
"$WAYMARK" annotate --format csv -f function,executions '*' riscv64.wmk >annotate
"$WAYMARK" sql --format csv riscv64.wmk \
	"select function, count(*) from insns group by function" >sql
for table in calls annotate sql; do
	check "$table has the functions of hot" "$PYTHON" "$facts" sums hot $table
done
check "insns has them" "$PYTHON" "$facts" insns hot insns
"$WAYMARK" export folded -o folded riscv64.wmk
check "folded stacks have them" "$PYTHON" "$facts" folded hot folded
"$WAYMARK" export callgrind -o callgrind riscv64.wmk
check "callgrind has them" "$PYTHON" "$facts" names hot callgrind
"$WAYMARK" report -o report.html riscv64.wmk
check "the report has the hottest" grep -q "$(sed -n '2s/,.*//p' hot)" report.html
"$WAYMARK" record --no-pack -o other.wmk ./stripped.riscv64 more arguments >out
"$WAYMARK" diff --by function --format csv riscv64.wmk other.wmk >diff || true
check "diff has no others" "$PYTHON" "$facts" names hot diff
"$WAYMARK" record --no-pack -o bare.wmk ./stripped.riscv64 >out
"$WAYMARK" hot --format csv -f function,insns bare.wmk >bare
mv stripped.riscv64 gone
"$WAYMARK" hot --format csv -f function,insns riscv64.wmk >packed
same "the same from what the trace has" bare packed
finish
