// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory of compiled code is used again, and an agent hears of a piece some time after it
 * may run. So neither addresses nor times say whose a block is: its bytes do, as they do
 * for names (program/made/made.h).
 *
 * Example: space 2 has pieces 0 to 811, space 5, another JVM, 812 to 1,400. The extent of
 * the latter's first has `what` 812, and spaces[1].first is 812.
 */
#include "managed/compiled.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "program/made/noted.h"
#include "program/made/traced.h"

void compiled_fini(struct compiled *compiled)
{
	for (size_t i = 0; i < compiled->n; i++) {
		made_fini(&compiled->spaces[i].made);
		buf_fini(&compiled->spaces[i].text);
	}
	free(compiled->spaces);
	extents_fini(&compiled->extents);
	*compiled = (struct compiled){ .n = 0 };
}

/* ---- reading ------------------------------------------------------------- */

static struct compiled_space *space_of(struct compiled *compiled, uint32_t space)
{
	for (size_t i = 0; i < compiled->n; i++)
		if (compiled->spaces[i].space == space)
			return &compiled->spaces[i];
	if (!APPEND(compiled->spaces, compiled->n,
		    ((struct compiled_space){ .space = space, .made = MADE_INIT })))
		return NULL;
	return &compiled->spaces[compiled->n - 1];
}

static bool keep_notes(struct compiled *compiled, const struct notes_trace *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		const struct trace_note *from = &notes->notes[i];
		struct note note = { .kind = from->kind,
				     .ns = from->ns,
				     .data = from->data,
				     .bytes = from->bytes };
		struct compiled_space *space;

		if (note.kind != NOTE_CODE)
			continue;
		space = space_of(compiled, from->space);
		if (!space)
			return false;
		made_keep_note(&space->text, &note);
		if (space->text.failed)
			return false;
	}
	return true;
}

/* What did not run is of no use. */
static bool place(struct compiled *compiled, const struct compiled_space *space)
{
	bool good = true;

	for (uint32_t i = 0; good && i < space->made.n; i++) {
		const struct made_piece *piece = &space->made.pieces[i];
		struct extent extent = {
			.start = piece->start,
			.end = piece->end,
			.space = space->space,
			.order = space->first + i,
			.from = piece->known,
			.until = EXTENT_FOREVER,
			.what = space->first + i,
		};

		if (piece->ran)
			good = extents_add(&compiled->extents, &extent);
	}
	return good;
}

static bool read_all(struct compiled *compiled, const struct wm_trace *trace)
{
	uint32_t first = 0;

	for (size_t i = 0; i < compiled->n; i++) {
		struct compiled_space *space = &compiled->spaces[i];
		const char *text = (const char *)space->text.data;

		space->first = first;
		if (!made_read_notes(&space->made, text, space->text.len) ||
		    !made_settle_traced(&space->made, text, trace) ||
		    !place(compiled, space))
			return false;
		first += space->made.n;
	}
	extents_sort(&compiled->extents);
	return true;
}

int compiled_read(struct compiled *compiled, const struct notes_trace *notes,
		  const struct wm_trace *trace, struct wm_error *err)
{
	*compiled = (struct compiled){ .n = 0 };
	if (keep_notes(compiled, notes) && read_all(compiled, trace))
		return 0;
	return wm_fail_nomem(err, "compiled code");
}

/* ---- questions ----------------------------------------------------------- */

const struct made_piece *compiled_find(const struct compiled *compiled,
				       const struct wm_trace *trace, uint32_t space,
				       uint64_t address, uint32_t id,
				       const struct compiled_space **space_of)
{
	const struct extent *extent =
		extents_find(&compiled->extents, trace, space, address, id);
	const struct compiled_space *all = compiled->spaces;
	size_t i;

	if (!extent)
		return NULL;
	i = BISECT(compiled->n, k, all[k].first <= extent->what) - 1;
	*space_of = &all[i];
	return &all[i].made.pieces[extent->what - all[i].first];
}

bool compiled_enters(const struct compiled_space *space, const struct made_piece *piece,
		     uint64_t address, const uint8_t *bytes, uint32_t n)
{
	return piece->entry == address && n <= piece->end - address &&
	       !memcmp(space->text.data + piece->code + (address - piece->start), bytes,
		       n);
}
