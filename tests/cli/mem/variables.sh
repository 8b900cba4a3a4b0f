#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Variables are named as in the source: by their parts, with templates' arguments or without, and
# by each of several names.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

cat >program.c <<'END'
int table[4] __asm__("_ZN4shop5tableE");
int cell __asm__("_ZN4shop3BoxIiE4cellE");
int first;
extern int second __attribute__((alias("first")));

int main(void)
{
	for (int i = 0; i < 4; i++)
		table[i] = i;
	cell = 5;
	first = 6;
	return 0;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -fno-builtin -fno-tree-vectorize -static -o program \
	program.c
"$WAYMARK" record --mem -o run.wmk ./program

# stores NAME: what main() stores to a variable.
stores() { "$WAYMARK" mem run.wmk --watch "$1" --function main --format csv -f "$2" | tail -n +2; }
# object NAME WANTED: the name of the last object that is stored to.
object() { check "$1: $2" [ "$(stores "$1" object | tail -n 1)" = "$2" ]; }
object shop::table 'shop::table+0xc'
object table 'shop::table+0xc'
object _ZN4shop5tableE 'shop::table+0xc'
object 'shop::Box<int>::cell' 'shop::Box<int>::cell'
object Box::cell 'shop::Box<int>::cell'
check "one of two names" [ -n "$(stores first address)" ]
check "the other one" [ "$(stores first address)" = "$(stores second address)" ]
run "$WAYMARK" mem run.wmk --watch shop::tabel
check "a mistyped one" grep -q 'did you mean "shop::table"?' stderr
"$WAYMARK" mem run.wmk --watch table+16 >out 2>remark
check "behind its end: a remark" grep -q 'table+16 is behind table, which has 16 bytes' remark
stores table+15 address >out 2>remark
check "its last byte: none" [ ! -s remark ]

"$WAYMARK" mem run.wmk --watch 0x123 >out 2>remark
check "a byte that nobody accessed: a remark" grep -q 'no access to 0x123 is recorded' remark

# Names of variables come from the file, which may be another one by now.
mv program ran
sed 's/cell = 5/cell = 7/' program.c >other.c
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -static -o program other.c
run "$WAYMARK" mem run.wmk --watch table
check "of a file that was changed: which" grep -q "those of $PWD/program are not known" stderr
for command in "mem run.wmk" "mem run.wmk --by object" "cache run.wmk --by object"; do
	# shellcheck disable=SC2086
	"$WAYMARK" $command -n 1 >out 2>remark
	check "$command: variables are not known" \
		grep -q "$PWD/program is missing or was changed.*variables" remark
done
"$WAYMARK" mem run.wmk -n 1 -f insn,pc >out 2>remark
check "without objects nothing is missing" [ ! -s remark ]
mv ran program
"$WAYMARK" mem run.wmk --by object >out 2>remark
check "of the file that ran: all" [ ! -s remark ]

finish
