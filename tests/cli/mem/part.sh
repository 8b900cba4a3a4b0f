#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Owners of memory in a part of a run. QEMU's first block has all of the first round, the next one
# starts at the loop: the part has only blocks whose instructions are in another block, too.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

cat >guest.S <<'END'
	.globl _start
	.type _start, @function
_start:	addi	sp, sp, -16
	li	a0, 5
	.type loop, @function
loop:	sd	a0, 8(sp)
	ld	a1, 8(sp)
	addi	a0, a0, -1
	bnez	a0, loop
	.size loop, . - loop
	li	a7, 93
	ecall
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static -o guest guest.S
"$WAYMARK" record --qemu "$QEMU" --mem -o run.wmk -- ./guest
echo "object,loads,stores
frames of loop,3,3" >want
for command in mem cache; do
	"$WAYMARK" $command run.wmk --from loop@3 --by object -f object,loads,stores --format csv \
		>got
	same "$command: what a part accesses by the stack pointer is in frames" want got
done
finish
