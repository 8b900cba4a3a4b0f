// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bimodal and gshare: one table of counters, and an index into it.
 *
 *	bimodal  the low bits of the branch's address
 *	gshare   the same, XOR the outcomes of the last branches, the newest in bit 0
 *
 * Example of gshare with 16 counters and a history of 3: the branch at pc 0x25 after
 * taken, not taken, taken has index 0x5 ^ 0b101 = 0. Bimodal is gshare without a history,
 * so both run through the same code. TAGE (tage.c) has a state of its own.
 *
 * Invariant: `history` has no bit beyond the history's length, and that is at most the
 * length of the index: an index never leaves the table.
 */
#include "analysis/bpred/direction.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/bpred/counter.h"
#include "analysis/bpred/tage.h"

struct direction {
	struct tage *tage; /* NULL: the counters */
	uint64_t index_mask, history_mask;
	uint64_t history;
	uint8_t counters[];
};

static struct direction *counters_new(const struct bpred_direction *spec)
{
	struct direction *direction = calloc(1, sizeof(*direction) + spec->entries);

	if (!direction)
		return NULL;
	direction->index_mask = spec->entries - 1;
	/* Bimodal's history has length 0, and so stays 0. */
	direction->history_mask = (1u << spec->history) - 1;
	memset(direction->counters, COUNTER_START, spec->entries);
	return direction;
}

struct direction *direction_new(const struct bpred_direction *spec)
{
	struct direction *direction;

	if (spec->kind != BPRED_TAGE)
		return counters_new(spec);
	direction = calloc(1, sizeof(*direction));
	if (direction)
		direction->tage = tage_new(spec);
	if (direction && direction->tage)
		return direction;
	free(direction);
	return NULL;
}

void direction_free(struct direction *direction)
{
	if (direction)
		tage_free(direction->tage);
	free(direction);
}

bool direction_next(struct direction *direction, uint64_t pc, bool taken)
{
	uint8_t *counter;
	bool predicted;

	if (direction->tage)
		return tage_next(direction->tage, pc, taken);
	counter = &direction->counters[(pc ^ direction->history) & direction->index_mask];
	predicted = counter_taken(*counter);
	*counter = counter_next(*counter, taken);
	direction->history = (direction->history << 1 | taken) & direction->history_mask;
	return predicted;
}
