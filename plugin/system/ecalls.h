/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls that programs in the machine make of its Linux, as events of user mode are. */
#ifndef PLUGIN_SYSTEM_ECALLS_H
#define PLUGIN_SYSTEM_ECALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/qemu_api.h"

/* Before the machine runs: QEMU's name of the guest. */
void ecalls_init(const char *target_name);
/* Adds a callback to a block that ends in such a call. */
void ecalls_instrument(struct qemu_plugin_tb *tb);
/* The hart has trapped from user mode by the ecall at `from`. */
void ecalls_trapped(unsigned hart, uint64_t from);
/* The hart is about to return to user mode at `to`, in a callback with registers. */
void ecalls_returns(unsigned hart, uint64_t to);

#endif
