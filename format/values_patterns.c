// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The firings of all patterns lie in one array, one pattern after the other, and behind them
 * those that are gathered: if they are a new pattern, they are in place already. A hash table
 * of numbers finds a pattern by its firings; at most half of its slots are taken.
 */
#include "format/values_patterns.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"

#define HASH_LEAST 256

void patterns_fini(struct value_patterns *patterns)
{
	free(patterns->all);
	free(patterns->firings);
	free(patterns->slots);
}

void patterns_reset(struct value_patterns *patterns)
{
	/* The empty pattern stays. */
	patterns->count = patterns->count ? 1 : 0;
	patterns->firing_count = patterns->gathered = 0;
	if (patterns->slot_count)
		memset(patterns->slots, 0,
		       patterns->slot_count * sizeof(*patterns->slots));
}

bool patterns_ready(struct value_patterns *patterns)
{
	struct value_pattern empty = { 0, 0 };

	return patterns->count || APPEND(patterns->all, patterns->count, empty);
}

const struct value_firing *patterns_firings(const struct value_patterns *patterns,
					    uint32_t pattern)
{
	return patterns->firings + patterns->all[pattern].first;
}

static uint32_t hash(const struct value_firing *firings, uint32_t n)
{
	uint64_t sum = n, word;

	for (uint32_t i = 0; i < n; i++) {
		memcpy(&word, &firings[i], sizeof(word));
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 29;
	}
	return (uint32_t)(sum >> 32);
}

_Static_assert(sizeof(struct value_firing) == sizeof(uint64_t), "without holes");

static bool equal(const struct value_patterns *patterns, uint32_t pattern,
		  const struct value_firing *firings, uint32_t n)
{
	return patterns->all[pattern].count == n &&
	       !memcmp(patterns_firings(patterns, pattern), firings,
		       n * sizeof(*firings));
}

/* The slot of a pattern, or the free one that it would take. */
static uint32_t *find(const struct value_patterns *patterns,
		      const struct value_firing *firings, uint32_t n)
{
	uint32_t mask = patterns->slot_count - 1, at = hash(firings, n) & mask;

	while (patterns->slots[at] && !equal(patterns, patterns->slots[at], firings, n))
		at = (at + 1) & mask;
	return &patterns->slots[at];
}

/* At most half of the slots are taken. */
static bool grow_slots(struct value_patterns *patterns)
{
	uint32_t n = patterns->slot_count ? 2 * patterns->slot_count : HASH_LEAST;
	uint32_t *slots;

	if (patterns->count < patterns->slot_count / 2)
		return true;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return false;
	free(patterns->slots);
	patterns->slots = slots;
	patterns->slot_count = n;
	for (uint32_t i = 1; i < patterns->count; i++)
		*find(patterns, patterns_firings(patterns, i), patterns->all[i].count) =
			i;
	return true;
}

static void put_pattern(struct buf *buf, const struct value_firing *firings, uint32_t n)
{
	uint16_t insn = 0;

	buf_put_varint(buf, n);
	for (uint32_t i = 0; i < n; i++) {
		buf_put_varint(buf, firings[i].insn - (unsigned)insn);
		buf_put_u8(buf, firings[i].kind);
		buf_put_u8(buf, firings[i].size);
		buf_put_varint(buf, firings[i].what);
		insn = firings[i].insn;
	}
}

bool patterns_intern(struct value_patterns *patterns, struct buf *string,
		     uint32_t *number)
{
	struct value_pattern fresh = { patterns->firing_count, patterns->gathered };
	const struct value_firing *firings;
	uint32_t *slot;

	*number = 0;
	if (!patterns->gathered)
		return true;
	if (!grow_slots(patterns))
		return false;
	firings = patterns->firings + patterns->firing_count;
	slot = find(patterns, firings, patterns->gathered);
	if (!*slot) {
		if (!APPEND(patterns->all, patterns->count, fresh))
			return false;
		*slot = patterns->count - 1;
		put_pattern(string, firings, patterns->gathered);
		patterns->firing_count += patterns->gathered;
	}
	*number = *slot;
	return true;
}

bool patterns_gather(struct value_patterns *patterns, const struct value_firing *firing)
{
	uint32_t n = patterns->firing_count + patterns->gathered;

	if (!APPEND(patterns->firings, n, *firing))
		return false;
	patterns->gathered++;
	return true;
}
