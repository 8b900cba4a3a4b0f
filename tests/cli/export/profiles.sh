#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Folded stacks, and profiles of pprof as pprof reads them: each function has the
# instructions, and the total, that `waymark calls` says.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/export/traces
. "$(dirname "$0")/traces"

# agrees TRACE [OPTION...]
agrees() {
	"$WAYMARK" export folded "$@" -o out.folded 2>errors
	check "folded: $*" facts profile_facts folded out.folded "$@"
	"$WAYMARK" export pprof "$@" -o out.pprof 2>>errors
	check "pprof: $*" facts profile_facts pprof_raw out.pprof "$@"
	check "no complaints: $*" test ! -s errors
}

for trace in inlined throws threads handlers gaps; do
	agrees $trace.wmk
done
for trace in inlined throws threads; do
	"$WAYMARK" export pprof $trace.wmk -o out.pprof
	check "pprof: lines: $trace" facts profile_facts pprof_lines out.pprof $trace.wmk
done
# Without stubs, which profiles of callgrind do not show.
for trace in inlined threads; do
	"$WAYMARK" export pprof $trace.wmk -o out.pprof
	check "pprof: lines of calls: $trace" facts profile_facts pprof_calls out.pprof $trace.wmk
done
check "pprof -list" sh -c "go tool pprof -list '^leaf\$' out.pprof 2>/dev/null |
	grep -qE '^ +[0-9]+ +[0-9]+ +[0-9]+:'"
agrees threads.wmk --thread 1
agrees inlined.wmk --no-inline
agrees inlined.wmk --from 1000 --to 20001
agrees inlined.wmk --from 1000 --to 1001
"$WAYMARK" export pprof inlined.wmk -o out.pprof
check "pprof -top" facts profile_facts pprof_top out.pprof inlined.wmk
check "the program comes first" sh -c "go tool pprof -top out.pprof 2>/dev/null |
	grep -qx 'File: inlined'"

# Recursion 5,000 deep has more frames than are written.
for format in folded pprof; do
	run "$WAYMARK" export $format deep.wmk
	check "too deep: $format" test "$status" -eq 0
	check "and it is said: $format" \
		grep -qxE 'waymark: calls deeper than [0-9]+ levels count for their callers' stderr
done
"$WAYMARK" export folded deep.wmk -o out.folded 2>errors
check "nothing is lost of it" test "$(awk '{ sum += $NF } END { print sum }' out.folded)" = \
	"$("$WAYMARK" info deep.wmk | sed -n 's/,//g; s/^instructions *//p')"

# 300,000 contexts at most 7 levels deep, and the instructions 40 levels deeper: these are kept. Of
# a recursion, whose stacks are long, the deepest levels go, and no other contexts for it.
cat >wide.c <<'END'
static volatile int n;
typedef void way(int level);
static way w0, w1, w2, w3, w4, w5, w6, w7, *const some[] = { w0, w1, w2, w3, w4, w5, w6, w7 };
static void each(int level)
{
	for (int i = 0; level && i < 8; i++)
		some[i](level - 1);
}
#define WAY(i) static void w##i(int level) { each(level); n = i; }
WAY(0) WAY(1) WAY(2) WAY(3) WAY(4) WAY(5) WAY(6) WAY(7)
static void leaf(int level)
{
	for (int i = 0; i < 1000000; i++)
		n = level;
}
static void down(int level)
{
	(level ? down : leaf)(level - 1);
	n++;
}
static void again(int level)
{
	if (level)
		again(level - 1);
	n++;
}
int main(void)
{
	each(6);
	down(39);
	again(20000);
	return 0;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -fno-inline -fno-optimize-sibling-calls -static -o wide wide.c
"$WAYMARK" record --qemu "$QEMU" -q -o wide.wmk ./wide
run "$WAYMARK" export folded wide.wmk
check "what is folded is said" \
	grep -qx 'waymark: stacks with at most [0-9,]* instructions, .* count for their callers' stderr
check "of more contexts than are written" test "$(wc -l <stdout)" -le 65536
check "a recursion leaves them their room" test "$(wc -l <stdout)" -gt 30000
check "the deepest has most" sh -c "grep -qE 'main(;down){40};leaf [0-9]{7}' stdout"
check "all instructions are there" test "$(awk '{ sum += $NF } END { print sum }' stdout)" = \
	"$("$WAYMARK" info wide.wmk | sed -n 's/,//g; s/^instructions *//p')"

# Two traces: the numbers of each are those of its own folded stacks.
for other in inlined throws nothing; do
	"$WAYMARK" export folded inlined.wmk --from 1000 -o this.folded
	"$WAYMARK" export folded $other.wmk --from 1000 -o other.folded
	run "$WAYMARK" export folded inlined.wmk --from 1000 --against $other.wmk -o both.folded
	check "against $other" test "$status" -eq 0 -a ! -s stderr
	check "both numbers: $other" facts profile_facts folded_both both.folded \
		other.folded this.folded
done
misused "--against with another format" "--against is for --format folded*" \
	"$WAYMARK" calls inlined.wmk --format pprof --against throws.wmk
misused "-n with a profile" "-n is for the calls of a timeline; folded is a profile*" \
	"$WAYMARK" calls inlined.wmk --format folded -n 5
misused "--against with a table" "--against is for --format folded*" \
	"$WAYMARK" calls inlined.wmk --against throws.wmk
refused "against no file" "cannot open none.wmk: *" \
	"$WAYMARK" calls inlined.wmk --format folded --against none.wmk

for file in nothing.wmk "inlined.wmk --from 999999999"; do
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" export folded $file
	check "folded: nothing ran: $file" test "$status" -eq 0 -a ! -s stdout
	# shellcheck disable=SC2086 # words
	"$WAYMARK" export pprof $file -o out.pprof
	check "pprof: nothing ran: $file" sh -c "go tool pprof -raw out.pprof >/dev/null"
done
run sh -c "'$WAYMARK' export pprof inlined.wmk >/dev/full"
check "full disk" test "$status" -eq 2 -a -s stderr
finish
