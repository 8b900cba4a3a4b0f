/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translation blocks are recorded in *pieces*, each with an id of its own. A block is one
 * piece unless it must be cut: where a filter's range begins or ends, at points of
 * windows, before markers, and around what QEMU may run alone. With --precise, and near a
 * bound, every instruction is a piece.
 */
#ifndef PLUGIN_CORE_PIECES_H
#define PLUGIN_CORE_PIECES_H

#include <stdint.h>

#include "plugin/core/emulation.h"
#include "plugin/qemu_api.h"

void pieces_init(const char *target_name, bool precise);
/* Registers what is to happen when `tb` is entered. Callers hold link_lock(). */
void pieces_register(struct qemu_plugin_tb *tb, struct code_origin origin);
/*
 * The thread left the block or piece it entered last at `pc`: takes the instructions
 * after that one back from what was counted.
 */
void pieces_left(unsigned vcpu, uint64_t pc);

#endif
