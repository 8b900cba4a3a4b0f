// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses of fetches are a program of their own, of an interpreter: most are a step from the
 * one before, and the others jump. What a call is, nobody says. So where an entry's words go
 * far away, the word before them is kept as a call's; and where they come back to just behind
 * one that was kept, they are returns. Each entry is of one place in the interpreter, which does
 * only one of these: its *role* is what it did most of late, and from then on it does the same
 * nearby, too, as where a function calls itself.
 *
 * Example: 100 103 then 9000 9001 at other entries, then 106. 9000 is far: 103 is kept. 106 is 3
 * above it: its entry is a return, of 3 bytes, and the next time foretells where it is to.
 *
 * Invariant: whatever a file says, `top` and `depth` only index rings of fixed size.
 */
#include "format/values_model.h"

/* Words that are no further from the one before are steps, or jumps in a method. */
#define NEAR 256u
/* Of the calls that are not back, how many may be over at once. */
#define SEARCHED 8u
/* From a call to what it comes back to, at most. */
#define CALL_BYTES 8u
#define ROLE_MAX 3

/* The call `depth` below the latest one. */
static uint64_t *call_at(struct values_model *model, unsigned depth)
{
	return &model->calls[(model->top - depth) % VALUE_CALLS];
}

static bool is_near(uint64_t got, uint64_t before)
{
	return got - before + NEAR <= 2 * NEAR;
}

static uint64_t own_guess(const struct value_entry *entry, uint64_t before)
{
	return before + (uint64_t)(int64_t)entry->stride;
}

static uint64_t return_guess(struct values_model *model, const struct value_entry *entry)
{
	return *call_at(model, entry->depth) + entry->back;
}

uint64_t values_fetch_guess(struct values_model *model, const struct value_entry *entry,
			    uint64_t site, uint64_t before)
{
	uint64_t other;

	if (entry->role > 0)
		return return_guess(model, entry);
	if (entry->trust < 0) {
		other = *values_context(model, before, site);
		if (other)
			return other;
	}
	return own_guess(entry, before);
}

/* ---- learning --------------------------------------------------------------------------- */

static bool is_return(const struct value_entry *entry, uint64_t bytes)
{
	return entry->role > 0 ? bytes == entry->back : bytes - 1 < CALL_BYTES;
}

/* Which of the calls it is back from, in *depth. */
static bool find_call(struct values_model *model, const struct value_entry *entry,
		      uint64_t got, unsigned *depth)
{
	*depth = entry->depth;
	if (entry->role > 0 && got == return_guess(model, entry))
		return true;
	for (*depth = 0; *depth < SEARCHED; ++*depth)
		if (is_return(entry, got - *call_at(model, *depth)))
			return true;
	return false;
}

static void learn_return(struct values_model *model, struct value_entry *entry,
			 uint64_t got, unsigned depth)
{
	entry->back = (uint8_t)(got - *call_at(model, depth));
	/* As with strides: one that is out of the row changes nothing. */
	if (depth == entry->latest_depth)
		entry->depth = (uint8_t)depth;
	entry->latest_depth = (uint8_t)depth;
	model->top -= depth + 1;
	entry->role += entry->role < ROLE_MAX;
}

static void push(struct values_model *model, uint64_t before)
{
	model->top++;
	*call_at(model, 0) = before;
}

static void learn_step(struct value_entry *entry, int32_t step)
{
	if (step == entry->latest || !entry->stride)
		entry->stride = step;
	entry->latest = step;
}

/* No return: a call, or a step. */
static void learn_other(struct values_model *model, struct value_entry *entry,
			uint64_t got, uint64_t before)
{
	if (!is_near(got, before)) {
		push(model, before);
		entry->role -= entry->role > -ROLE_MAX;
		return;
	}
	if (entry->role < -1)
		push(model, before);
	if (entry->role)
		entry->role += entry->role < 0 ? 1 : -1;
	learn_step(entry, (int32_t)(got - before));
}

/* What it foretold by itself and by its context, before it learns anything else. */
static void judge(struct values_model *model, struct value_entry *entry, uint64_t site,
		  uint64_t before, uint64_t got)
{
	uint64_t own = own_guess(entry, before), *cell;

	/* As in values_trusted_at(): what is foretold otherwise needs no cell. */
	if (entry->role > 0)
		return;
	if (entry->trust == VALUE_TRUST_MAX) {
		entry->trust -= got != own;
		return;
	}
	cell = values_context(model, before, site);
	value_entry_judge(entry, got == own, got == (*cell ? *cell : own));
	*cell = got;
}

void values_fetch_learn(struct values_model *model, struct value_entry *entry,
			uint64_t site, uint64_t before, uint64_t got)
{
	unsigned depth;

	judge(model, entry, site, before, got);
	if ((entry->role > 0 || !is_near(got, before)) &&
	    find_call(model, entry, got, &depth))
		learn_return(model, entry, got, depth);
	else
		learn_other(model, entry, got, before);
}
