/* SPDX-License-Identifier: GPL-2.0-or-later OR 0BSD */
/*
 * Markers for programs that are recorded with Waymark. This one file may be copied into
 * any program, whatever its terms are. For C, C++ and assembly; it includes nothing.
 *
 *	WAYMARK_BEGIN(7);
 *	work();
 *	WAYMARK_END(7);
 *	WAYMARK_POINT(8);
 *
 * A marker is one instruction that does nothing, in QEMU and on hardware, in user and in
 * kernel mode. Waymark knows it by its form, and what ran between two of them to the
 * instruction. An id is a constant from 0 to 1023; the compiler refuses any other.
 *
 * The compiler moves no access to memory, no call and no other marker past a marker. What
 * it computes in registers alone it may still move; where that matters, name it:
 *
 *	WAYMARK_BEGIN(7);
 *	WAYMARK_VALUE(x);
 *	y = a * x + b;
 *	WAYMARK_VALUE(y);
 *	WAYMARK_END(7);
 *
 * WAYMARK_VALUE takes a variable that is an integer or a pointer. Its value is computed
 * by then, and from then on taken to be one that nobody knows. It is no instruction.
 *
 * Where an ISA has no markers, WAYMARK_HAS_MARKERS is 0, and in place of each the compiler
 * is kept in order as it would be, and nothing else. 32-bit ARM is one: what does nothing
 * in one of its two instruction sets branches in the other.
 */
#ifndef WAYMARK_MARK_H
#define WAYMARK_MARK_H

#define WAYMARK_ID_MAX 1023

/* ---- the instructions, whose operand is a marker's kind and its id ------- */

#if defined(__riscv)

/*
 * A HINT for custom use, see the chapter RV32I of the unprivileged specification. The
 * operand has 12 bits and a sign; `what` is never 3, so it is never -256, at which some
 * cores halt.
 */
#define WAYMARK_HAS_MARKERS 1
#define WAYMARK_OPERAND_(what, id) (((what) << 10 | (id)) - ((what) >> 1 << 12))
#define WAYMARK_IN_C_ "slti zero, zero, %c0"
#define WAYMARK_IN_ASSEMBLY_(operand) slti zero, zero, operand

#elif defined(__aarch64__)

#define WAYMARK_HAS_MARKERS 1
#define WAYMARK_OPERAND_(what, id) (0x5000 | (what) << 10 | (id))
#define WAYMARK_IN_C_ "movz xzr, %c0, lsl 48"
#define WAYMARK_IN_ASSEMBLY_(operand) movz xzr, operand, lsl 48

#elif defined(__x86_64__) || defined(__i386__)

/* The NOP of eight bytes with a displacement. Of the 32-bit CPUs the Pentium Pro has it. */
#define WAYMARK_HAS_MARKERS 1
#define WAYMARK_OPERAND_(what, id) (0x574b0000 | (what) << 12 | (id))
#define WAYMARK_IN_C_ ".byte 0x0f, 0x1f, 0x84, 0x00; .long %c0"
#define WAYMARK_IN_ASSEMBLY_(operand) \
	.byte 0x0f, 0x1f, 0x84, 0x00; \
	.long operand

#else

#define WAYMARK_HAS_MARKERS 0
#define WAYMARK_OPERAND_(what, id) ((what) + (id))
#define WAYMARK_IN_C_ ""
#define WAYMARK_IN_ASSEMBLY_(operand)

#endif

#define WAYMARK_IS_WRONG_(id) ((id) != ((id)&WAYMARK_ID_MAX))

#if defined(__ASSEMBLER__)

#define WAYMARK_(what, id)                            \
	.if WAYMARK_IS_WRONG_ (id);                   \
	.error "an id of a marker is from 0 to 1023"; \
	.endif;                                       \
	WAYMARK_IN_ASSEMBLY_(WAYMARK_OPERAND_(what, (id)))

#else

/* A field of -1 bits, or of a number that is no constant, is an error in every dialect. */
#define WAYMARK_(what, id)                                                           \
	do {                                                                         \
		struct waymark_id {                                                  \
			unsigned is_from_0_to_1023 : WAYMARK_IS_WRONG_(id) ? -1 : 1; \
		};                                                                   \
		__asm__ volatile(WAYMARK_IN_C_                                       \
				 :                                                   \
				 : "i"(WAYMARK_OPERAND_(what, (int)(id)))            \
				 : "memory");                                        \
	} while (0)

#define WAYMARK_VALUE(variable) __asm__ volatile("" : "+r"(variable))

#endif

/* ---- what to use --------------------------------------------------------- */

#define WAYMARK_POINT(id) WAYMARK_(0, id)
#define WAYMARK_BEGIN(id) WAYMARK_(1, id)
#define WAYMARK_END(id) WAYMARK_(2, id)

#endif
