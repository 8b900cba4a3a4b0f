# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions whose number of accesses is not in their code: vectors, with a length, a
# stride, indexes and a mask; atomic ones; and store-conditionals that fail. Then some that
# lie across the end of a page.
	.attribute arch, "rv64gcv1p0"
	.text
	.globl _start
_start:
	li	s0, 200
again:
	la	a0, source
	la	a1, target
	li	a2, 100
bytes:
	vsetvli	t0, a2, e8, m2, ta, ma
	vle8.v	v2, (a0)
	vadd.vi	v2, v2, 3
	vse8.v	v2, (a1)
	sub	a2, a2, t0
	add	a0, a0, t0
	add	a1, a1, t0
	bnez	a2, bytes

	la	a0, source
	la	a1, target
	li	a3, 12
	vsetivli t0, 7, e32, m2, ta, ma
	vlse32.v v4, (a0), a3
	vid.v	v6
	vsll.vi	v6, v6, 3
	vluxei32.v v8, (a0), v6
	vand.vi	v10, v6, 8
	vmsne.vi v0, v10, 0
	vse32.v	v4, (a1), v0.t
	vsoxei32.v v8, (a1), v6
	ld	a4, 8(a1)
	vsetivli t0, 0, e32, m2, ta, ma
	vle32.v	v4, (a0)
	sd	a4, 16(a1)

	amoadd.w a4, s0, (a1)
	amomax.d a4, s0, (a1)
	lr.d	a4, (a1)
	add	a4, a4, s0
	sc.d	a5, a4, (a1)
	sc.d	a5, a4, (a1)
	ld	a5, 0(a1)
	lr.w	a4, (a1)
	sc.w	a5, a4, (a0)

	la	a0, end_of_page
	ld	a4, -3(a0)
	sh	a4, -1(a0)
	lw	a4, 5(a0)
	addi	s0, s0, -1
	bnez	s0, again

	li	a0, 0
	li	a7, 93
	ecall

	.data
	.balign 64
source:
	.set	i, 0
	.rept 128
	.byte	i
	.set	i, i + 1
	.endr
target:
	.zero 256
	.balign 4096
	.zero 4096
end_of_page:
	.zero 64
