#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An image that is no ELF file, as Lisps have, lacks no names when its program changes it in memory.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >lisp.c <<'END'
#include <fcntl.h>
#include <sys/mman.h>

int main(void)
{
	int fd = open("image", O_RDONLY);
	unsigned short *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE,
				    fd, 0);

	for (int i = 0; i < 16; i++)
		code[i] += 4; /* addi a0, a0, 1 to addi a0, a0, 2 */
	asm volatile("fence.i");
	return ((int (*)(int))code)(0) != 32;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o lisp lisp.c
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	printf '\005\005'
done >image
printf '\202\200' >>image
run "$WAYMARK" record -o run.wmk ./lisp
check "the image runs, changed" test "$status" -eq 0
for words in hot "hot -b line" calls cover "insns -n 9" "annotate main"; do
	# shellcheck disable=SC2086 # words they are
	run "$WAYMARK" $words run.wmk
	check "$words: nothing is said of the image" sh -c '! grep image stderr'
done
run "$WAYMARK" hot -f function,insns --format csv run.wmk
check "its code is one row" grep -qx '\[image\],17' stdout
finish
