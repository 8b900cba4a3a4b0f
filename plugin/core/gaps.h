/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gaps: what a lane has in the place of code that ran and was not recorded. One id, however
 * much ran, so that two recorded blocks of which one did not follow the other are apart.
 */
#ifndef PLUGIN_CORE_GAPS_H
#define PLUGIN_CORE_GAPS_H

#include <stdbool.h>
#include <stdint.h>

/* Before anything may run unrecorded. Callers hold link_lock(). */
void gaps_prepare(void);
/* What the thread executes next is not recorded: stores a gap unless the last id is one. */
void gaps_enter(unsigned vcpu);
/* Whether `id` is that of a gap. */
bool gaps_has(uint32_t id);
/* Instructions that the thread executed unrecorded so far, as far as they are counted. */
uint64_t gaps_insns(unsigned vcpu);

#endif
