/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gaps: what a lane contains instead of code that ran and was not recorded. A gap is one
 * id, however much code it stands for. So two recorded blocks stand side by side in a
 * lane only if they ran one after the other.
 */
#ifndef PLUGIN_CORE_GAPS_H
#define PLUGIN_CORE_GAPS_H

#include <stdbool.h>
#include <stdint.h>

/* Before anything may run unrecorded. Callers hold link_lock(). */
void gaps_prepare(void);
/*
 * What the thread executes next is not recorded: stores a gap unless the last id is one.
 */
void gaps_enter(unsigned vcpu);
/* Whether `id` is that of a gap. */
bool gaps_has(uint32_t id);
/* Instructions that the thread executed unrecorded so far, as far as they are counted. */
uint64_t gaps_insns(unsigned vcpu);

#endif
