#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Answers about accesses say how many instructions have some that QEMU shows to no plugin.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

cat >clear.c <<'END'
static char room[4096] __attribute__((aligned(2048)));

int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < argc; i++)
		__asm__ volatile("dc zva, %0" : : "r"(room) : "memory");
	return room[0];
}
END
"${AARCH64_CC:-aarch64-linux-gnu-gcc}" -O1 -static -o clear clear.c
"$WAYMARK" record --qemu "${QEMU%riscv64}aarch64" --mem -o run.wmk -- ./clear a b
# A newer C library copies by instructions that QEMU does not show either.
executed=$("$WAYMARK" insns run.wmk | grep -cE "dc.*zva|[[:space:]](set|cpy)f?[pme]")
check "it ran them" [ "$executed" -ge 3 ]
# lacks NAME COUNT WORD...: the command says that COUNT instructions lack accesses, or with ""
# nothing of that kind.
lacks() {
	name=$1 count=$2
	shift 2
	"$@" >/dev/null 2>err || true
	check "$name" [ "$(sed -n 's/.*accesses of \([0-9]*\) executed instructions are missing.*/\1/p' \
		err)" = "$count" ]
}
lacks "a list" "$executed" "$WAYMARK" mem run.wmk
lacks "sums" "$executed" "$WAYMARK" mem run.wmk --by page
lacks "caches" "$executed" "$WAYMARK" cache run.wmk
lacks "only what is selected" "" "$WAYMARK" mem run.wmk --to 10
"$WAYMARK" record --qemu "${QEMU%riscv64}aarch64" -o path.wmk -- ./clear a b
lacks "a path without accesses" "" "$WAYMARK" cache path.wmk
"$WAYMARK" record --qemu "$QEMU" --mem -o plain.wmk -- "$GUESTS/echo.O3" a >/dev/null
lacks "a program without" "" "$WAYMARK" mem plain.wmk
finish
