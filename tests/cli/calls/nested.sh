#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A nested function that is called through a pointer: GCC's trampoline on the stack jumps to it, on
# RISC-V through t0, which elsewhere is a return.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >program.c <<'END'
#include <stdio.h>

long calls;

__attribute__((noipa)) int apply(int (*f)(int), int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += f(i);
	return sum;
}

__attribute__((noipa)) int outer(int k)
{
	int nested(int x)
	{
		calls++;
		return x + k;
	}

	return apply(nested, 10);
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 5; i++)
		sum += outer(i);
	printf("%ld\n", calls);
	return sum != 325;
}
END

# The trampoline has no name but an address: it and the nested function are in apply's total.
cat >sums.awk <<'END'
{ self[$1] = $2; total[$1] = $3; calls[$1] = $4 }
$1 ~ /^\[anonymous\]/ { between = $2; through = $4 }
END {
	exit !(calls["nested.0"] == 50 && through == 50 && calls["apply"] == 5 &&
	       calls["outer"] == 5 && calls["main"] == 1 && self["nested.0"] > 0 &&
	       total["apply"] == self["apply"] + between + self["nested.0"])
}
END
for cc in "${CROSS_CC:-riscv64-linux-gnu-gcc}" aarch64-linux-gnu-gcc; do
	"$cc" -O2 -static -o program program.c 2>remarks
	"$WAYMARK" record -q -o run.wmk ./program >out
	check "its own count: $cc" [ "$(cat out)" = 50 ]
	"$WAYMARK" calls --format csv -f function,self_insns,total_insns,calls run.wmk |
		tr -d '\r"' >calls
	check "calls and totals: $cc" awk -F, -f sums.awk calls
	"$WAYMARK" calls --tree run.wmk -F outer >tree
	check "no other stack: $cc" sh -c '! grep -q resumed tree'
	check "five calls from one place: $cc" [ "$(grep -c '^ *[0-9,]*                 outer() {' tree)" -eq 5 ]
done
finish
