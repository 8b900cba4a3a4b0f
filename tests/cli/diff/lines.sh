#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# diff --by line, function, calls: the difference of what `waymark hot` and `calls` say of either
# run. --lines: the lines of insns --lines beside the instructions around a divergence.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -Wl,--build-id=sha1 -o program \
	"$SRC/tests/cli/names/inlined.c"
for n in 5 9; do
	"$WAYMARK" record -q -o $n.wmk ./program $n >out
	"$WAYMARK" hot --by line --format csv -f line,insns $n.wmk | tr -d '\r"' |
		grep '^inlined\.c:' | sort >lines.$n
done
"$WAYMARK" diff --by line --format csv -f name,a,b 5.wmk 9.wmk | tr -d '\r"' >rows
# Only lines that differ have a row.
join -t, -a 1 -a 2 -e 0 -o 0,1.2,2.2 lines.5 lines.9 | awk -F, '$2 != $3' | sort >wanted
grep '^inlined\.c:' rows | sort >got
check "some lines differ" [ -s wanted ]
same "lines of source are those of hot" wanted got
"$WAYMARK" diff --by line --format csv -f difference 5.wmk 9.wmk | awk 'NR > 1 { n += $1 } END { print n }' \
	>sum
insns() { "$WAYMARK" info --format json "$1" | sed -n 's/^ *"instructions": *\([0-9]*\).*/\1/p' | head -1; }
check "differences add up to that of the runs" \
	[ "$(cat sum)" -eq $(($(insns 9.wmk) - $(insns 5.wmk))) ]
check "code without lines is a row" grep -q '^\[program\],' rows
"$WAYMARK" diff --by line --function sum --format csv -f name 5.wmk 9.wmk >none
check "--function leaves others out" sh -c '! grep -q program none'

# ---- functions that were inlined -----------------------------------------------------------
cat >often.c <<'END'
#include <stdlib.h>

static inline __attribute__((always_inline)) unsigned square(unsigned x)
{
	return x * x;
}

__attribute__((noinline)) unsigned step(unsigned x)
{
	return square(x) + square(x + 1) * 3;
}

int main(int argc, char **argv)
{
	unsigned sum = 0;

	for (int i = 0; i < atoi(argv[argc - 1]); i++)
		sum ^= step((unsigned)i) ^ square(sum);
	return sum == 1;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -o often often.c
for n in 50 90; do
	"$WAYMARK" record -q -o often.$n.wmk ./often $n
done
# sides COMMAND...: the names in which both runs differ, and what they have, in CSV.
sides() {
	for n in 50 90; do
		"$WAYMARK" "$@" --format csv often.$n.wmk | tail -n +2 | tr -d '"' | sort >side.$n
	done
	join -t, -a 1 -a 2 -e 0 -o 0,1.2,2.2 side.50 side.90 | awk -F, '$2 != $3' | sort
}
for flag in "" --no-inline; do
	for by in function calls; do
		case $by in
		function) sides hot ${flag:+"$flag"} -f function,insns ;;
		calls) sides calls ${flag:+"$flag"} -f function,calls ;;
		esac >wanted
		"$WAYMARK" diff --by $by ${flag:+"$flag"} --format csv -f name,a,b \
			often.50.wmk often.90.wmk | tail -n +2 | tr -d '"' | sort >"got.$by$flag"
		same "by $by $flag: both sides" wanted "got.$by$flag"
	done
done
check "inlined functions make a difference" sh -c '! cmp -s got.function got.function--no-inline'
misused "--no-inline without a table" '*--no-inline goes with --by*' \
	"$WAYMARK" diff --no-inline 5.wmk 9.wmk

# Another build of another name: the C library in it, which has no lines, is still one row.
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -Wl,--build-id=sha1 -o rebuilt \
	"$SRC/tests/cli/names/inlined.c"
"$WAYMARK" record -q -o rebuilt.wmk ./rebuilt 9 >out
"$WAYMARK" diff --by line --format csv -f name,a,b -s b 5.wmk rebuilt.wmk | tr -d '\r"' |
	grep '^\[' >files
check "code without lines of two builds shares a row" \
	awk -F, '$2 == 0 || $3 == 0 { split_up = 1 } END { exit NR != 1 || split_up }' files
check "equal runs have no row, and the status says so" "$WAYMARK" diff --by line 5.wmk 5.wmk

"$WAYMARK" diff --lines -n 1 -U 3 5.wmk 9.wmk >ways || test $? -eq 1
"$WAYMARK" diff -n 1 -U 3 5.wmk 9.wmk >without || test $? -eq 1
check "without --lines there are none" sh -c '! grep -q "inlined\.c:" without'
sed -E 's/ +[a-z_-]+\.[chS]:[0-9]+$//' ways >stripped
same "lines are added, and nothing else changes" without stripped
# An instruction that both executed, by its ordinal in A.
sed -nE 's/^  +([0-9]+) +[0-9]+  0x.* ([^ ]*\.[chS]:[0-9]+)$/\1 \2/p' ways | head -n 1 >shown
check "lines are shown" test -s shown
read -r ordinal line <shown
"$WAYMARK" insns --lines --from "$ordinal" -n 1 5.wmk >insn
check "a line is that of insns" grep -q " $line\$" insn
"$WAYMARK" diff --lines --format json -n 1 5.wmk 9.wmk >ways.json || test $? -eq 1
check "JSON has it" grep -q '"source":.*inlined\.c' ways.json
misused "a table has no lines beside it" "*--by line counts lines*" \
	"$WAYMARK" diff --by function --lines 5.wmk 9.wmk
finish
