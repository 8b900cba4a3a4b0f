/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which assembler dialect the QEMU that loaded this plugin prints for RISC-V. */
#ifndef PLUGIN_CORE_DIALECT_H
#define PLUGIN_CORE_DIALECT_H

#include "isa/riscv.h"

/* The dialect of this process, whose QEMU has that version ("": unknown). */
enum riscv_dialect dialect_here(const char *qemu_version);

#endif
