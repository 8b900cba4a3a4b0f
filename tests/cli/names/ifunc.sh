#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The symbol of an IFUNC is that of the code that chooses the function: who names it to `record` is
# told so, because the chosen one has another name.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >program.S <<'END'
	.globl	_start
	/* Nothing relocates this program, so it calls the code of work by another name. */
	.type	work, @gnu_indirect_function
	.type	work_fast, @function
_start:
	call	choose
	jalr	a0
	li	a7, 93
	ecall
choose:
work:
	lla	a0, work_fast
	ret
	.size	work, . - work
work_fast:
	li	a0, 0
	ret
	.size	work_fast, . - work_fast
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static -o program program.S

# told OPTION VALUE, not_told OPTION VALUE: whether `record` remarks that work is an IFUNC
remark='work is an IFUNC: .* `waymark hot` shows the name'
told() {
	run "$WAYMARK" record -o run.wmk "$1" "$2" ./program
	check "$1 $2: it says so" grep -q "$remark" stderr
	check "$1 $2: it records" test "$status" -eq 0
}
not_told() {
	run "$WAYMARK" record -o run.wmk "$1" "$2" ./program
	check "$1 $2: no word of it" sh -c '! grep -q IFUNC stderr'
}

told --only work
told --window work..
told --value work:a0
not_told --only work_fast
not_told --only 'work*'
not_told --window _start..
exit $((failures > 0))
