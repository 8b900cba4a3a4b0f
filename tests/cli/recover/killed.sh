#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A recorder at work is not disturbed; one that was killed leaves a file to recover.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >spin.c <<'END'
#include <stdio.h>
int main(void)
{
	volatile unsigned x = 1;
	for (;;) {
		for (unsigned i = 0; i < 1000000; i++)
			x = x * 5 + i % 7;
		putchar('.');
		fflush(stdout);
	}
}
END
${CROSS_CC:-riscv64-linux-gnu-gcc} -static -O1 -o spin spin.c

"$WAYMARK" record -o run.wmk ./spin >said 2>recorded &
guest=$!
# Until there are chunks in the file: some ten million blocks.
until_true sh -c '[ "$(wc -c <said)" -ge 40 ]'
for how in "-o other.wmk" --in-place; do
	# shellcheck disable=SC2086 # two words
	refused "a recorder at work ($how)" '*run.wmk is still being written*' \
		"$WAYMARK" recover run.wmk $how
done
kill -KILL "$(recorder_of $guest)"
kill -KILL $guest
wait $guest 2>/dev/null || true

run "$WAYMARK" verify run.wmk
check "the file is cut short" sh -c 'test "$0" -eq 1 && grep -q "cut short" stdout' "$status"
check "it is recovered" "$WAYMARK" recover run.wmk
run "$WAYMARK" verify run.wmk.recovered
check "it is sound" sh -c \
	'test "$0" -eq 1 && grep -q "sound as far as it goes, but cut short: its end is missing" stdout' "$status"
"$WAYMARK" blocks --format pc --count 100000 run.wmk 2>/dev/null >wanted
"$WAYMARK" blocks --format pc --count 100000 run.wmk.recovered 2>/dev/null >got
same "it has what was served before" wanted got
"$WAYMARK" info run.wmk | grep -E '^(instructions|blocks)' >wanted
"$WAYMARK" info run.wmk.recovered | grep -E '^(instructions|blocks)' >got
same "it has the same counts" wanted got
check "in place" "$WAYMARK" recover --in-place run.wmk
check "the file in place is the same" cmp run.wmk run.wmk.recovered
finish
