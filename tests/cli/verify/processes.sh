#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A log that several processes wrote is told of, because such a log cannot prove anything.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >family.c <<'END'
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc > 1 && !fork())
		_exit(0);
	wait(0);
	return 0;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o family family.c
record() {
	"$WAYMARK" record -o run.wmk --qemu-arg -d --qemu-arg in_asm,exec,nochain \
		--qemu-arg -D --qemu-arg log ./family "$@"
}

record with-a-child
run "$WAYMARK" verify run.wmk --against log
check "the log of two processes differs" test "$status" -eq 1
check "and the reason is told" grep -qx 'log: only process 0 is compared; the run has 2 processes, and a log does not say which of them wrote a line' stdout
record
run "$WAYMARK" verify run.wmk --against log
check "the log of one is equal" test "$status" -eq 0
check "and nothing is told" sh -c '! grep -q "only process" stdout'
finish
