/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of instructions that only this QEMU's disassembler knows. */
#ifndef PLUGIN_CORE_TEXTS_H
#define PLUGIN_CORE_TEXTS_H

#include "plugin/core/tb_code.h"

/* Before anything else: QEMU's name of the guest, and its own version. */
void texts_init(const char *target_name, const char *qemu_version);
/*
 * Sends the texts of a block's instructions to the collector, each once. Callers hold
 * link_lock().
 */
void texts_send(const struct qemu_plugin_tb *tb, const struct tb_code *tb_code);

#endif
