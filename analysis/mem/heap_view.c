// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The live objects of a heap at one moment.
 *
 * All addresses at which an object of the space ever begins are known, and sorted: slots.
 * A bit says that an object is live at a slot. A bit of the level above, one for each
 * word, says that the word has any bit. So the nearest live object below an address is at
 * most twice LEVELS words away, whatever the heap's size.
 *
 *	slots	0      1      2      3    ... 64
 *	bits	1      0      1      0        0		words[0][0] = 5, words[0][1] = 0
 *	above	1 (of slots 0 to 63), 0 (of 64 to 127)	words[1][0] = 1
 *
 * Invariant: a bit of a level above is set if and only if its word is not 0. A new object
 * ends those that begin inside of it; an older one that reaches into it ends where it
 * begins.
 *
 * Changes can only be applied forwards. A move back, when a view is used for another part
 * of its thread, clears all bits and applies the changes again.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/mem/heap-data.h"
#include "base/bisect.h"

enum { LEVELS = 6 }; /* 64^6 slots are more than a u32 has */

struct heap_view {
	const struct heap *heap;
	const struct heap_space *space;
	const struct heap_marks *marks; /* of the thread */
	struct heap_log_reader marks_in, changes_in;
	struct heap_mark next; /* the next mark, */
	bool more;	       /* if there is one */
	uint32_t index;	       /* of the space */
	uint64_t insn;	       /* the moment: before this instruction */
	uint64_t changes;      /* how many are applied */
	uint32_t *numbers;     /* [n_starts] of objects; valid where a bit is set */
	uint64_t *words[LEVELS];
	size_t n_words[LEVELS];
};

/* ---- bits ------------------------------------------------------------------------------ */

/* Upper bits may be set already: to set them again costs less than to ask. */
static void set_bit(struct heap_view *view, uint32_t slot)
{
	for (unsigned i = 0; i < LEVELS; i++, slot /= 64)
		view->words[i][slot / 64] |= UINT64_C(1) << slot % 64;
}

static void clear_bit(struct heap_view *view, uint32_t slot)
{
	for (unsigned i = 0; i < LEVELS; i++, slot /= 64) {
		view->words[i][slot / 64] &= ~(UINT64_C(1) << slot % 64);
		if (view->words[i][slot / 64])
			return; /* other objects keep the bits above */
	}
}

/* The lowest slot below the bit at `at` of a level (up), or the highest (not). */
static uint32_t descend(const struct heap_view *view, unsigned level, uint32_t at,
			bool up)
{
	while (level--) {
		/* Not 0, by the invariant: its bit led here. */
		uint64_t word = view->words[level][at];

		at = at * 64 +
		     (uint32_t)(up ? __builtin_ctzll(word) : 63 - __builtin_clzll(word));
	}
	return at;
}

/*
 * The last live slot below `slot`; UINT32_MAX: none. Climbs to the first level with a bit
 * below, then descends by highest bits. `slot` may be n_starts, whose word may not exist.
 */
static uint32_t before(const struct heap_view *view, uint32_t slot)
{
	for (unsigned i = 0; i < LEVELS; i++, slot /= 64) {
		uint64_t below = (UINT64_C(1) << slot % 64) - 1;
		uint64_t word = slot / 64 < view->n_words[i] ?
					view->words[i][slot / 64] & below :
					0;

		if (word)
			return descend(view, i,
				       slot / 64 * 64 + 63 -
					       (uint32_t)__builtin_clzll(word),
				       false);
	}
	return UINT32_MAX;
}

/*
 * The first live slot from `slot` on; UINT32_MAX: none. The mirror of before(). A level
 * above is asked only from the next word on, as the rest of this one is empty.
 */
static uint32_t after(const struct heap_view *view, uint32_t slot)
{
	for (unsigned i = 0; i < LEVELS; i++) {
		uint64_t word = slot / 64 < view->n_words[i] ?
					view->words[i][slot / 64] >> slot % 64 :
					0;

		if (word)
			return descend(view, i, slot + (uint32_t)__builtin_ctzll(word),
				       true);
		slot = slot / 64 + 1;
	}
	return UINT32_MAX;
}

/* ---- the life of a view --------------------------------------------------------------- */

static bool make_words(struct heap_view *view)
{
	size_t n = view->space->n_starts;

	for (unsigned i = 0; i < LEVELS; i++) {
		n = n / 64 + 1;
		view->n_words[i] = n;
		view->words[i] = calloc(n, sizeof(**view->words));
		if (!view->words[i])
			return false;
	}
	view->numbers = calloc(view->space->n_starts + 1ul, sizeof(*view->numbers));
	return view->numbers;
}

static void read_mark(struct heap_view *view)
{
	uint64_t numbers[HEAP_MARK];

	view->more = heap_log_next(&view->marks_in, numbers, HEAP_MARK);
	if (!view->more)
		return;
	view->next.insn += numbers[HEAP_MARK_INSN];
	view->next.changes += numbers[HEAP_MARK_CHANGES];
	view->next.space = (uint32_t)numbers[HEAP_MARK_SPACE];
}

static void rewind_logs(struct heap_view *view)
{
	view->marks_in = heap_log_read(&view->marks->log);
	view->changes_in = heap_log_read(&view->space->changes);
	view->changes = 0;
	view->next = (struct heap_mark){ .insn = 0 };
	read_mark(view);
}

struct heap_view *heap_view_new(const struct heap *heap, unsigned stream, uint32_t space)
{
	struct heap_view *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	view->heap = heap;
	view->space = &heap->spaces[space];
	view->index = space;
	view->marks = &heap->marks[stream];
	rewind_logs(view);
	if (make_words(view))
		return view;
	heap_view_free(view);
	return NULL;
}

void heap_view_free(struct heap_view *view)
{
	for (unsigned i = 0; view && i < LEVELS; i++)
		free(view->words[i]);
	if (view)
		free(view->numbers);
	free(view);
}

/* ---- moving ---------------------------------------------------------------------------- */

static uint64_t bytes_at(const struct heap_view *view, uint32_t slot)
{
	return view->heap->objects[view->numbers[slot] - 1].bytes;
}

static void apply_next(struct heap_view *view)
{
	const uint64_t *starts = view->space->starts;
	uint64_t change[HEAP_CHANGE];
	uint32_t slot, next;

	/* There are as many changes as the marks say. */
	if (!heap_log_next(&view->changes_in, change, HEAP_CHANGE))
		return;
	slot = view->space->slots[change[HEAP_CHANGE_SLOT]];
	if (!change[HEAP_CHANGE_NUMBER]) {
		clear_bit(view, slot);
		return;
	}
	view->numbers[slot] = (uint32_t)change[HEAP_CHANGE_NUMBER];
	set_bit(view, slot);
	/*
	 * An object that begins inside of the new one has been freed without a record: by
	 * an allocator whose values were not recorded, or by a call that was left early.
	 */
	while ((next = after(view, slot + 1)) != UINT32_MAX &&
	       starts[next] - starts[slot] < bytes_at(view, slot))
		clear_bit(view, next);
}

static void restart(struct heap_view *view)
{
	for (unsigned i = 0; i < LEVELS; i++)
		memset(view->words[i], 0, view->n_words[i] * sizeof(**view->words));
	rewind_logs(view);
}

bool heap_view_move(struct heap_view *view, uint64_t insn)
{
	/* To move back counts as a change: what callers found before may be wrong now. */
	bool moved = insn < view->insn;
	uint64_t until;

	if (moved)
		restart(view);
	until = view->changes;
	view->insn = insn;
	/* Marks of other spaces do not say what this space's heap looks like. */
	for (; view->more && view->next.insn <= insn; read_mark(view))
		if (view->next.space == view->index)
			until = view->next.changes;
	moved |= until > view->changes;
	for (; view->changes < until; view->changes++)
		apply_next(view);
	return moved;
}

void heap_view_find(const struct heap_view *view, uint64_t address,
		    struct heap_range *range)
{
	const uint64_t *starts = view->space->starts;
	uint32_t n = view->space->n_starts;
	uint32_t above = (uint32_t)BISECT(n, i, starts[i] <= address);
	uint32_t slot = before(view, above), next = after(view, above);
	uint64_t last = next == UINT32_MAX ? UINT64_MAX : starts[next] - 1;

	*range = (struct heap_range){ .last = last };
	/* No object below: the range without one begins at address 0. */
	if (slot == UINT32_MAX)
		return;
	if (address - starts[slot] < bytes_at(view, slot)) {
		range->start = starts[slot];
		range->number = view->numbers[slot];
		/*
		 * Lengths are compared instead of ends: start + bytes may overflow with a
		 * size that no object can have. The next object bounds the range, too.
		 */
		if (bytes_at(view, slot) - 1 < last - starts[slot])
			range->last = starts[slot] + bytes_at(view, slot) - 1;
	} else {
		range->start = starts[slot] + bytes_at(view, slot);
	}
}
