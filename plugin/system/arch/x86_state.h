/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of x86 only QEMU's CPU state has: the address of the table of handlers. */
#ifndef PLUGIN_SYSTEM_ARCH_X86_STATE_H
#define PLUGIN_SYSTEM_ARCH_X86_STATE_H

#include <stdint.h>

#include "plugin/qemu_api.h"

/* To be registered at the instruction that loads it. */
void x86_state_on_load(unsigned hart, void *unused);
/* 0: it is not known. */
uint64_t x86_state_table(unsigned hart);

#endif
