/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the QEMU this plugin is in prints RISC-V instructions. */
#ifndef PLUGIN_CORE_DIALECT_H
#define PLUGIN_CORE_DIALECT_H

#include "isa/riscv.h"

/* The dialect of this process, when its QEMU is of that version ("": not known). */
enum riscv_dialect dialect_here(const char *qemu_version);

#endif
