# SPDX-License-Identifier: GPL-2.0-or-later
#
# golang.S - what a Go program has: functions, and the table by which its runtime knows them.
#
# MAGIC makes it the table of another release. DAMAGE makes its second entry lead nowhere. TEXT
# is where starts count from. ENTRY is the name of the function where the program is entered.

#ifndef MAGIC
#define MAGIC 0xfffffff1
#endif
#ifndef DAMAGE
#define DAMAGE 0
#endif
#ifndef TEXT
#define TEXT _start
#endif
#ifndef ENTRY
#define ENTRY "_rt0_riscv64_linux"
#endif

	.text
	.globl _start
_start:
	call work
	call more
	call far
	li a7, 93
	ecall
work:
	li a0, 3
1:	addi a0, a0, -1
	bnez a0, 1b
	ret
inside:	# a mapping symbol of C code is no function
	nop
more:
	beqz a0, inside_more
	nop
inside_more:
	ret
far:	# a call that is too far goes through the linker's trampoline, here to its middle
	j inside_more
end:

	.section .gopclntab, "a"
table:
	.word MAGIC
	.byte 0, 0, 2, 8
	.dword 5, 0, TEXT, names - table, 0, 0, 0, entries - table
names:
	.asciz ""
start_name:
	.asciz ENTRY
work_name:
	.asciz "main.(*Shop).work"
mapping_name:
	.asciz "$xrv64i2p1"
more_name:
	.asciz "main.more"
far_name:
	.asciz "main.more-tramp0"
	.balign 4
entries:
	.word 0, start_detail - entries
	.word work - _start, work_detail - entries + DAMAGE
	.word inside - _start, mapping_detail - entries
	.word more - _start, more_detail - entries
	.word far - _start, far_detail - entries
	.word end - _start
start_detail:
	.word 0, start_name - names
work_detail:
	.word work - _start, work_name - names
mapping_detail:
	.word inside - _start, mapping_name - names
more_detail:
	.word more - _start, more_name - names
far_detail:
	.word far - _start, far_name - names
