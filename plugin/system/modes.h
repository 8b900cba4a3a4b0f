/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which privilege mode a hart is, and why it got there: RISC-V's control registers, by
 * QEMU's function for registers. To be asked in callbacks that have registers.
 */
#ifndef PLUGIN_SYSTEM_MODES_H
#define PLUGIN_SYSTEM_MODES_H

#include <stdbool.h>
#include <stdint.h>

/* As RISC-V numbers them. */
enum mode { MODE_USER, MODE_KERNEL, MODE_FIRMWARE = 3 };

/* The trap that a hart has just taken. */
struct mode_trap {
	uint64_t cause; /* WM_TRAP_... */
	uint64_t value; /* stval or mtval: an address, mostly */
	uint64_t before, after;
};

/* Where the return instruction at hand leads. */
struct mode_return {
	uint64_t before, after, to;
};

/* False: QEMU has no such registers. */
bool modes_read_trap(struct mode_trap *trap);
/* Before an sret, or an mret, runs. */
bool modes_read_return(bool is_mret, struct mode_return *ret);

#endif
