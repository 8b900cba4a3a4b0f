/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Atomic operations that a host may not be able to do while other threads run. A function
 * of constants, for any thread.
 */
#ifndef ISA_ALONE_H
#define ISA_ALONE_H

#include <stdbool.h>
#include <stdint.h>

enum alone_isa {
	ALONE_NONE,
	ALONE_RISCV,
	ALONE_AARCH64,
	ALONE_ARM,
	ALONE_I386,
	ALONE_X86_64
};

/* By QEMU's name of the guest, "riscv64". */
enum alone_isa alone_isa(const char *target);

/*
 * Whether QEMU may have to run the instruction of `size` bytes at `code` alone, in a program
 * on a 64-bit host. True for more than that: it costs no more than a cut.
 */
bool alone_may_run(enum alone_isa isa, const uint8_t *code, unsigned size);

#endif
