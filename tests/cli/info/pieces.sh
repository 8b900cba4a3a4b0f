#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file whose code ran in very many pieces has one row in the text, and all of them in the JSON.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >pages.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	int fd = open("image", O_RDONLY);

	/* Every other page, so that the kernel does not join them. */
	for (long i = 0; i < atoi(argv[argc - 1]); i++) {
		char *code = mmap((char *)0x70000000 + 8192 * i, 4096, PROT_READ | PROT_EXEC,
				  MAP_PRIVATE | MAP_FIXED, fd, 0);

		((void (*)(void))code)();
	}
	return 0;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o pages pages.c
printf '\202\200' >image # ret

# rows N: records a run with N pieces. Prints how many the JSON has; ./rows gets the text's rows.
rows() {
	"$WAYMARK" record -o run.wmk ./pages "$1"
	"$WAYMARK" info run.wmk | grep 'image$' | sed 's/^ *[0-9.]* *//' >rows
	"$WAYMARK" info --format json run.wmk | grep -oE '"path": *"[^"]*/image"' | wc -l
}

check "the JSON has all 2,000 pieces" test "$(rows 2000)" -eq 2000
check "the text has one row" test "$(sed 's/  */ /g' rows)" = \
	"0 0x70000000-0x70f9f000 file 2,000 pieces of image"
check "eight pieces are in the JSON" test "$(rows 8)" -eq 8
check "eight pieces have their rows" test "$(wc -l <rows)" -eq 8
finish
