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

# ---- what the kernel stores -------------------------------------------------------------------
cat >reads.c <<'END'
#include <unistd.h>
volatile int limit;
char buffer[8], *volatile nothing;

int main(void)
{
	limit = 7;
	read(0, (void *)&limit, 4);
	read(0, buffer, sizeof(buffer));
	read(0, buffer, sizeof(buffer)); /* the end of the input: nothing comes */
	read(0, nothing, 8);
	return limit == 7;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o reads reads.c
echo abcdefg | "$WAYMARK" record --mem -o reads.wmk ./reads
# call N: the instruction behind the Nth read().
call() { "$WAYMARK" events reads.wmk | awk '/ read\(/ && ++n == '"$1"' { print $2 }'; }
# told WORDS ARGUMENT...: a remark ends in these words; of none there is no remark.
told() {
	words=$1
	shift
	"$WAYMARK" mem reads.wmk "$@" >out 2>remark
	if [ "$words" ]; then
		check "$*" grep -q "the kernel stored there.*$words\$" remark
	else
		check "$*: nothing" [ "$(grep -c kernel\ stored remark)" -eq 0 ]
	fi
}
told "later, .*1 system call, the last read() before instruction $(call 1)" --last-writer limit
told "later, .* before instruction $(call 1)" --last-writer "limit@0:$(call 1)"
told "" --last-writer "limit@$(($(call 1) - 1))"
told "" --last-writer "limit@0:$(($(call 1) - 1))"
told "1 system call, the last read() before instruction $(call 2)" --last-writer buffer
told "1 system call, the last read() before instruction $(call 2)" --watch buffer+3
told "" --watch buffer+4
told "" --watch buffer --from "$(call 2)"
told "1 system call, the last read() before instruction $(call 1)" --watch limit
told "" --watch limit -n 1
told "1 system call, the last read() before instruction $(call 2)" --watch buffer --by function
told "" --watch buffer --by page --from "$(call 2)"
finish
