#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Listings for people have the names of C++ as they are in the source, formats for machines as
# the file has them; and templates are found without their arguments.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >program.c <<'END'
#include <signal.h>
#include <stdlib.h>

__attribute__((noinline)) int sum_int(int n) __asm__("_ZN4shop3sumIiEET_S1_");
__attribute__((noinline)) int sum_int(int n)
{
	__asm__ volatile("");
	return n + 1;
}

__attribute__((noinline)) int sum_long(int n) __asm__("_ZN4shop3sumIlEET_S1_");
__attribute__((noinline)) int sum_long(int n)
{
	__asm__ volatile("");
	return n + 2;
}

__attribute__((noinline)) int first(int *n) __asm__("_ZN4shop5firstERA3_i");
__attribute__((noinline)) int first(int *n)
{
	__asm__ volatile("");
	return n[0];
}

void note(int signal) __asm__("_ZN4shop4noteEi");
void note(int signal)
{
	__asm__ volatile("" : : "r"(signal));
}

int main(int argc, char **argv)
{
	signal(SIGUSR1, note);
	raise(SIGUSR1);
	first(&argc);
	return atoi(argv[1]) ? sum_int(argc) > 100 : sum_long(argc) > 100;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -o program program.c
"$WAYMARK" record -o int.wmk ./program 1
"$WAYMARK" record -o long.wmk ./program 0

# has WHAT TEXT COMMAND...: a command prints a text, whatever its status.
has() {
	what=$1 text=$2
	shift 2
	run "$WAYMARK" "$@"
	check "$what" grep -qF "$text" stdout stderr
}
has "insns" ' int shop::sum<int>(int)  ' insns --from sum --count 1 int.wmk
has "insns: another one" ' long shop::sum<long>(long)  ' insns --from shop::sum --count 1 long.wmk
has "insns: with an offset" '(int)+0x' insns --from sum --count 2 int.wmk
has "blocks" ' int shop::sum<int>(int)  ' blocks --count 2 --from sum int.wmk
has "csv" ,_ZN4shop3sumIiEET_S1_,0, insns --from sum --count 1 --format csv int.wmk
has "json" '"_ZN4shop3sumIiEET_S1_"' insns --from sum --count 1 --format jsonl int.wmk
has "events" ' <shop::note(int)>' events int.wmk
has "hot" 'int shop::sum<int>(int)' hot --function sum int.wmk
has "diff" ' int shop::sum<int>(int)  ' diff int.wmk long.wmk
has "a mistyped one" 'did you mean "shop::sum"' insns --from shop::sun int.wmk

# A name is taken as it is listed, also where a pattern would have a set of letters.
array='shop::first(int (&) [3])'
has "hot: with brackets" "$array" hot --function "$array" int.wmk
has "calls" "$array" calls --function "$array" int.wmk
has "calls: a tree" "$array;" calls --tree -F "$array" int.wmk
has "annotate" "$array" annotate "$array" int.wmk
"$WAYMARK" hot --format csv -f insns,executions --function "$array" int.wmk >wanted
"$WAYMARK" record -q --only "$array" -o only.wmk ./program 1
"$WAYMARK" hot --format csv -f insns,executions only.wmk >got
same "record --only" wanted got
for name in "$array" shop::first sum 'su*'; do
	"$WAYMARK" cover --format csv -f all --function "$name" int.wmk >got
	check "cover: $name" [ "$(sed -n 2p got)" != 0 ]
done

"$WAYMARK" record --value sum:a0,ret -o values.wmk ./program 1
"$WAYMARK" mem --registers --format csv -f value values.wmk >got
check "record: its argument and result" [ "$(tail -n +2 got | tr '\n' ' ')" = "0x0000000000000002 0x0000000000000003 " ]
finish
