#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A linker's symbol for the table of stubs is no function: what the loader looks up through the
# table is called as without that symbol.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >say.c <<'END'
#include <stdio.h>

int main(void)
{
	puts("a");
	return puts("b") < 0;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -Wl,-z,lazy -o say say.c
# Binutils 2.40 has this symbol without a section, newer ones have it in .plt.
riscv64-linux-gnu-objcopy -N _PROCEDURE_LINKAGE_TABLE_ say plain
riscv64-linux-gnu-objcopy --add-symbol _PROCEDURE_LINKAGE_TABLE_=.plt:0,local,object plain marked
for program in plain marked; do
	mv $program say # both at one place: its length would change what the loader does
	cp say $program
	"$WAYMARK" record -o $program.wmk -L /usr/riscv64-linux-gnu ./say >out
	"$WAYMARK" calls --tree -F main $program.wmk >$program.tree
	"$WAYMARK" calls --graph -f caller,callee,calls --format csv $program.wmk >$program.graph
done
check "the symbol is there" \
	sh -c 'riscv64-linux-gnu-nm marked | grep -q " [a-z] _PROCEDURE_LINKAGE_TABLE_"'
check "puts is called by main" grep -qx 'main,_IO_puts,2' plain.graph
same "the tree is the same" plain.tree marked.tree
same "the graph is the same" plain.graph marked.graph

# The resolver of i386 ends in a return, to the function that it found.
i686-linux-gnu-gcc -O1 -Wl,-z,lazy -o say say.c
"$WAYMARK" record -o i386.wmk -L /usr/i686-linux-gnu ./say >out
"$WAYMARK" calls --graph -f caller,callee,calls --format csv i386.wmk >graph
check "i386: puts is called by main" grep -qx 'main,_IO_puts,2' graph
"$WAYMARK" calls --tree --format csv i386.wmk | cut -d, -f2,5 >kinds
check "i386: nothing is taken for another stack" \
	sh -c 'grep -q "^entry,call" kinds && ! grep -qE "resumed|origin" kinds'
finish
