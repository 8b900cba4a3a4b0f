#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Phases that several traces have in common: one clustering, the weights of each trace.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

cat >kernels.c <<'END'
#include <stdlib.h>
volatile unsigned sink;
__attribute__((noinline)) void add(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
}
__attribute__((noinline)) void multiply(int n)
{
	unsigned x = 1;
	for (int i = 0; i < n; i++)
		x = x * 33 + 7;
	sink = x;
}
__attribute__((noinline)) void shift(int n)
{
	unsigned x = 9;
	for (int i = 0; i < n; i++)
		x = x << 3 ^ x >> 5 ^ x;
	sink = x;
}
/* A letter of the argument: a kernel that runs for 400,000 iterations. */
int main(int argc, char **argv)
{
	for (const char *at = argv[1]; argc > 1 && *at; at++)
		(*at == 'a' ? add : *at == 'm' ? multiply : shift)(400000);
	return 0;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o kernels kernels.c
for letters in aam ms aammss; do
	"$WAYMARK" record -o $letters.wmk ./kernels $letters >/dev/null
done
# Elsewhere, under another name: the code is the same.
mkdir elsewhere
cp kernels elsewhere/other
"$WAYMARK" record -o other.wmk elsewhere/other aam >/dev/null

"$WAYMARK" phases --interval 100k --format csv aam.wmk ms.wmk aammss.wmk other.wmk >phases.csv
"$WAYMARK" phases --interval 100k --by trace --format csv aam.wmk ms.wmk aammss.wmk \
	other.wmk >traces.csv
for trace in aam ms aammss other; do
	"$WAYMARK" phases --interval 100k --format csv -f intervals $trace.wmk |
		awk -v t=$trace 'NR > 1 { n += $1 } END { print t, n }'
done >lengths
for fact in columns weights functions same_code points; do
	check "$fact" "$PYTHON" "$SRC/tests/cli/phases/common_facts.py" "$fact"
done

for jobs in 1 2 3; do
	"$WAYMARK" phases --interval 100k --by trace -j $jobs --format csv aam.wmk ms.wmk \
		aammss.wmk other.wmk >got
	same "-j $jobs" traces.csv got
done
"$WAYMARK" phases --interval 100k aam.wmk ms.wmk >text
check "as text" grep -q "^ *phase.*trace.*simpoint.*weight.*function" text
run "$WAYMARK" phases --interval 100k --by trace -f weight --format csv aam.wmk
check "by trace of one" test "$(grep -c '^0\.' stdout)" -ge 2
misused "other formats" "*is of one FILE*" "$WAYMARK" phases --format json aam.wmk ms.wmk
misused "files" "*is of one FILE*" "$WAYMARK" phases --simpoint x aam.wmk ms.wmk
for part in 1 2; do
	"$WAYMARK" phases --interval 100k --by trace --format csv --part $part/2 \
		--state $part.wms aam.wmk ms.wmk aammss.wmk other.wmk
done
"$WAYMARK" merge 1.wms 2.wms >got
same "parts" traces.csv got
refused "a missing trace" "*cannot open missing.wmk*" "$WAYMARK" phases aam.wmk missing.wmk
finish
