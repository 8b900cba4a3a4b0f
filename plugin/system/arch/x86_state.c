// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU keeps a selector, a base, a limit and flags of each segment, 24 bytes, for es, cs, ss,
 * ds, fs, gs, the LDT, the TSS, the GDT and the IDT. Where the base of cs is harts.c has
 * learnt; the IDT is eight segments behind it. A hart's CPU state is seen when it loads the
 * table, which each does before its first trap. A machine that goes on from a snapshot has loaded it
 * before: then it is taken from the first hart that ran, since a kernel has one table for all.
 *
 * Example: the base of cs is at 216 of the state, so that of the IDT is at 216 + 8 * 24 = 408.
 */
#include "plugin/system/arch/x86_state.h"

#include <string.h>

#include "format/arena.h"
#include "plugin/core/state.h"
#include "plugin/system/harts.h"

enum { SEGMENT_BYTES = 24, FROM_CS = 8 };

static const uint8_t *states[LANES_MAX]; /* by hart; each writes its own */

__attribute__((used, visibility("hidden"))) void
x86_state_with(unsigned hart, void *unused, const uint8_t *state);
WITH_STATE(x86_state_on_load, x86_state_with);

void x86_state_with(unsigned hart, void *unused, const uint8_t *state)
{
	(void)unused;
	if (hart < LANES_MAX)
		states[hart] = state;
}

uint64_t x86_state_table(unsigned hart)
{
	const uint8_t *of_cs = hart < LANES_MAX ? harts_base(states[hart]) : NULL;
	uint64_t base = 0;

	if (of_cs)
		memcpy(&base, of_cs + FROM_CS * SEGMENT_BYTES, sizeof(base));
	return base;
}
