/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a RISC-V guest's CPU is, and how the QEMU that loaded this plugin prints its code. */
#ifndef PLUGIN_CORE_DIALECT_H
#define PLUGIN_CORE_DIALECT_H

#include "isa/riscv.h"

/* Which CPU this process's QEMU has. */
enum dialect_cpu {
	CPU_DEFAULT,
	CPU_CHOSEN, /* by the user: it may have any extensions */
	CPU_ANY,    /* not known, or one of 128 bits: words may be any instructions */
};
enum dialect_cpu dialect_cpu(void);
/* The dialect of this process, whose QEMU has that version ("": unknown). */
enum riscv_dialect dialect_here(const char *qemu_version);

#endif
