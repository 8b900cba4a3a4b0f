// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Offsets in three structures. `state` is QEMU's CPU state, in which the general
 * registers of these ISAs have been the first member (on aarch64 the second, after the
 * 32-bit ones) in every version that takes plugins; that is QEMU's implementation, so
 * users check what they read. `context` and `pc` are in Linux's ucontext; `plain_*` are
 * in the frames of handlers without SA_SIGINFO. Example: riscv64's ucontext has its
 * registers at 176, pc first, then x1; so x10 (a0, the signal) is at 176 + 10 * 8.
 */
#include "plugin/user/abi.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "kernel/kernel.h"

/* RISC-V's pc is where x0 would be. */
static const int8_t saved_riscv[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
				      11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
				      22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };
static const int8_t saved_aarch64[] = { -32, -31, -30, -29, -28, -27, -26, -25,
					-24, -23, -22, -21, -20, -19, -18, -17,
					-16, -15, -14, -13, -12, -11, -10, -9,
					-8,  -7,  -6,  -5,  -4,	 -3,  -2,  -1 };
static const int8_t saved_x86_64[] = { -3,  -5,	 -2,  -4,  -7,	-8,  -6,  -1,
				       -16, -15, -14, -13, -12, -11, -10, -9 };

static const struct abi abis[] = {
	{
		.target = "riscv64",
		.machine = EM_RISCV,
		.word = 8,
		.code_mask = ~1ull,
		/* a0, a1, a2, sp are x10, x11, x12, x2. */
		.state = { 10 * 8, 11 * 8, 12 * 8, 2 * 8 },
		.context = { 176 + 10 * 8, 176 + 11 * 8, 176 + 12 * 8, 176 + 2 * 8 },
		.pc = 176,
		.saved = saved_riscv,
	},
	{
		.target = "riscv32",
		.machine = EM_RISCV,
		.word = 4,
		.code_mask = ~1ull,
		.state = { 10 * 4, 11 * 4, 12 * 4, 2 * 4 },
		.context = { 160 + 10 * 4, 160 + 11 * 4, 160 + 12 * 4, 160 + 2 * 4 },
		.pc = 160,
		.saved = saved_riscv,
	},
	{
		.target = "aarch64",
		.machine = EM_AARCH64,
		.word = 8,
		.code_mask = ~0ull,
		/* x0, x1, x2, sp; the state has 16 32-bit registers before x0. */
		.state = { 64, 64 + 8, 64 + 16, 64 + 31 * 8 },
		.context = { 184, 184 + 8, 184 + 16, 184 + 31 * 8 },
		.pc = 184 + 32 * 8,
		.saved = saved_aarch64,
		.plain_pc = 128 + 184 + 32 * 8,
	},
	{
		.target = "x86_64",
		.machine = EM_X86_64,
		.word = 8,
		.code_mask = ~0ull,
		/* rdi, rsi, rdx, rsp. */
		.state = { 7 * 8, 6 * 8, 2 * 8, 4 * 8 },
		.context = { 104, 112, 136, 160 },
		.pc = 168,
		.saved = saved_x86_64,
		.plain_pc = 8 + 168,
		.plain_context = true,
	},
	{
		.target = "i386",
		.machine = EM_386,
		.word = 4,
		.code_mask = ~0ull,
		/* eax, edx, ecx, esp. */
		.state = { 0, 2 * 4, 1 * 4, 4 * 4 },
		.context = { 64, 56, 60, 48 },
		.pc = 76,
		.plain_pc = 8 + 56,
		.plain_signal = 4,
	},
	{
		.target = "arm",
		.machine = EM_ARM,
		.word = 4,
		.code_mask = ~1ull,
		/* r0, r1, r2, r13. */
		.state = { 0, 4, 8, 13 * 4 },
		.context = { 32, 32 + 4, 32 + 8, 32 + 13 * 4 },
		.pc = 32 + 15 * 4,
		.plain_pc = 32 + 15 * 4,
	},
};

/* Fills in the numbers of system calls, from the kernel's tables. */
static void number_calls(struct abi *abi)
{
	const struct kernel *kernel = kernel_find(abi->target);

#define CALL(name) abi->name = kernel_number(kernel, #name);
#include "plugin/user/abi_calls.def"
}

const struct abi *abi_find(const char *target)
{
	static struct abi found;

	for (size_t i = 0; i < sizeof(abis) / sizeof(*abis); i++) {
		/*
		 * An unknown target leaves `abi` NULL: blocks are recorded, but neither
		 * signals nor execve() nor mappings are followed.
		 */
		if (strcmp(abis[i].target, target) != 0)
			continue;
		found = abis[i];
		number_calls(&found);
		return &found;
	}
	return NULL;
}
