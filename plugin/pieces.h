/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translation blocks are recorded in *pieces*: as a whole where nothing speaks against it,
 * else cut where filters begin or end to hold, at points of windows, and before markers.
 */
#ifndef PLUGIN_PIECES_H
#define PLUGIN_PIECES_H

#include <stdint.h>

#include "plugin/modules.h"
#include "plugin/qemu_api.h"

void pieces_init(const char *target_name, bool precise);
/* Registers what is to happen when `tb` is entered. Callers hold link_lock(). */
void pieces_register(struct qemu_plugin_tb *tb, struct maps_place place);
/* Before anything may run unrecorded. Callers hold link_lock(). */
void pieces_need_gap(void);
/* What the thread executes next is not recorded: a gap, unless it stands in one. */
void pieces_pass(unsigned vcpu);
/* How many instructions it executed so since it began, as far as they are counted. */
uint64_t pieces_passed(unsigned vcpu);
/* Of the block or piece it entered last, what is behind the instruction at `pc` did not run. */
void pieces_left(unsigned vcpu, uint64_t pc);

#endif
