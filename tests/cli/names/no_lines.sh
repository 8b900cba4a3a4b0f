#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Of code without debugging information an answer by source lines has none, and says why.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >add.c <<'END'
int main(void)
{
	volatile int x = 0;

	for (int i = 0; i < 100; i++)
		x += i;
	return 0;
}
END
for lines in without with; do
	"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 "$([ $lines = with ] && echo -g || echo -g0)" \
		-static -o $lines add.c
	"$WAYMARK" record --mem -o $lines.wmk ./$lines
done

why="waymark: no source line is known of any of this code: that needs debugging information"
for words in "hot -b line" "cover -b line" "cover -b source" "mem -b line" "insns --lines -n 9"; do
	# shellcheck disable=SC2086 # words they are
	run "$WAYMARK" $words without.wmk
	check "$words without lines" test "$status" -eq 0 -a "$(cat stderr)" = "$why"
	# shellcheck disable=SC2086
	run "$WAYMARK" $words --from main with.wmk
	check "$words with lines" test "$status" -eq 0 -a -s stdout -a ! -s stderr
done
run "$WAYMARK" hot -b line --to 0 without.wmk
check "nothing is selected" sh -c '! grep -q "source line" stderr'
finish
