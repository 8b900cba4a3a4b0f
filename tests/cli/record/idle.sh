#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A thread that sleeps while others go on has a chunk that is its own and nothing else.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O0 -static -pthread -o idle \
	"$SRC/tests/cli/record/idle.c"
"$QEMU" ./idle >plain

# What the recorder has not set is not 0 either.
MALLOC_PERTURB_=165 "$WAYMARK" record -o run.wmk -- ./idle >traced
check "the program prints what it does untraced" cmp -s plain traced
check "the trace is sound" sh -c '"$WAYMARK" verify run.wmk >verdict'
finish
