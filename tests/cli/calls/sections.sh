#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# LLVM's basic block sections (-fbasic-block-sections, Propeller): a function's parts have symbols
# of their own, and are that function all the same.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >program.s <<'END'
	.macro	function name
	.type	\name, @function
\name:
	.endm

	.globl	_start
	function _start
	li	s0, 7
again:
	call	work
	addi	s0, s0, -1
	bnez	s0, again
	li	a0, 0
	li	a7, 93
	ecall
	.size	_start, . - _start

	function work
	li	a1, 5
	j	work.__part.1
	.size	work, . - work

	function other
	ret
	.size	other, . - other

work.__part.1:
	addi	a1, a1, -1
	beqz	a1, work.__part.2
	j	work.__part.1
	.size	work.__part.1, . - work.__part.1

work.__part.2:
	ret
	.size	work.__part.2, . - work.__part.2
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static -o program program.s
"$WAYMARK" record -q -o run.wmk ./program
"$WAYMARK" calls --format csv -f function,calls,self_insns,total_insns run.wmk | tr -d '\r' |
	tail -n +2 | sort >got
# 2 + 4 times 3 + 2 + 1 instructions a call.
printf '%s\n' _start,1,25,144 work,7,119,119 >wanted
same "calls are those of the function" wanted got
"$WAYMARK" calls --tree run.wmk >tree
check "no jump among its parts is a call" [ "$(grep -c 'work();' tree)" -eq 7 ]
check "nothing else is called" sh -c '! grep -q __part tree'
finish
