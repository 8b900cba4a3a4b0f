/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's CPU state in a callback. Translated code keeps a pointer to it in a fixed host
 * register: that is QEMU's implementation, so whoever uses it checks what is read. At the
 * entry of a block the guest's registers are there; within a block only in a callback
 * that QEMU gives registers to, which versions before 9.0 do not do.
 */
#ifndef PLUGIN_CORE_STATE_H
#define PLUGIN_CORE_STATE_H

#include <stdbool.h>

/*
 * WITH_STATE(name, with) defines a callback `name`(vcpu, udata), which the user declares,
 * that calls with(vcpu, udata, state). In assembly, because a compiler may use that
 * register for anything.
 */
#if defined(__x86_64__)
#define HOST_SEES_STATE true
#define WITH_STATE(name, with)                             \
	__asm__(".pushsection .text\n"                     \
		".globl " #name "\n"                       \
		".hidden " #name "\n"                      \
		".type " #name ", @function\n" #name ":\n" \
		"	mov %rbp, %rdx\n"                        \
		"	jmp " #with "\n"                   \
		".popsection\n")
#elif defined(__aarch64__)
#define HOST_SEES_STATE true
#define WITH_STATE(name, with)                             \
	__asm__(".pushsection .text\n"                     \
		".globl " #name "\n"                       \
		".hidden " #name "\n"                      \
		".type " #name ", %function\n" #name ":\n" \
		"	mov x2, x19\n"                           \
		"	b " #with "\n"                     \
		".popsection\n")
#else
/* Never registered: nothing that needs it is recorded. */
#define HOST_SEES_STATE false
#define WITH_STATE(name, with)                      \
	void name(unsigned vcpu, void *udata)       \
	{                                           \
		with(vcpu, udata, (const void *)0); \
	}                                           \
	_Static_assert(1, "so that a semicolon follows")
#endif

#endif
