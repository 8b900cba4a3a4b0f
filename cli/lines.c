// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A loop prints the same lines a million times, so each is formatted once. Every block
 * has a slot, found by its id; the texts are on the heap, and once they exceed KEPT_BYTES
 * all of them are dropped and made again as they are asked for: a program's phase has far
 * fewer blocks than that.
 */
#include "cli/lines.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_BYTES = 64 << 20 };

struct lines {
	const struct wm_trace *trace;
	lines_print *print;
	void *cookie;
	bool per_insn;
	uint32_t known;		   /* blocks */
	size_t kept;		   /* bytes of all texts */
	struct block_lines *slots; /* [known + 1] by id; text NULL: not made */
};

int lines_new(struct lines **lines, const struct wm_trace *trace, bool per_insn,
	      lines_print *print, void *cookie, struct wm_error *err)
{
	struct wm_summary summary;
	struct lines *new = calloc(1, sizeof(*new));

	wm_trace_summary(trace, &summary);
	if (new) {
		new->slots =
			calloc((size_t)summary.known_blocks + 1, sizeof(*new->slots));
		new->trace = trace;
		new->per_insn = per_insn;
		new->print = print;
		new->cookie = cookie;
		new->known = summary.known_blocks;
	}
	if (!new || !new->slots) {
		lines_free(new);
		return wm_fail_nomem(err, "lines of the listing");
	}
	*lines = new;
	return WM_OK;
}

static void drop_all(struct lines *lines)
{
	for (uint32_t id = 0; id <= lines->known; id++) {
		free((char *)lines->slots[id].text);
		free((uint32_t *)lines->slots[id].ends);
		lines->slots[id] = (struct block_lines){ 0 };
	}
	lines->kept = 0;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	if (lines->slots)
		drop_all(lines);
	free(lines->slots);
	free(lines);
}

/* Makes the text of n lines and notes their ends; NULL when out of memory. */
static char *render(struct lines *lines, uint32_t id, uint32_t *ends, uint32_t n)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		lines->print(lines->cookie, out, id, i);
		fflush(out);
		ends[i] = (uint32_t)bytes;
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static bool make(struct lines *lines, uint32_t id)
{
	struct block_lines *slot = &lines->slots[id];
	struct wm_block block;
	uint32_t *ends;

	if (wm_trace_block(lines->trace, id, &block))
		return false;
	slot->n = lines->per_insn ? block.insns : 1;
	ends = calloc((size_t)slot->n + 1, sizeof(*ends));
	if (ends)
		slot->text = render(lines, id, ends, slot->n);
	if (!slot->text) {
		free(ends);
		return false;
	}
	slot->ends = ends;
	lines->kept += (slot->n ? ends[slot->n - 1] : 0) + slot->n * sizeof(*ends);
	return true;
}

const struct block_lines *lines_get(struct lines *lines, uint32_t id)
{
	struct block_lines *slot = &lines->slots[id];

	if (__builtin_expect(slot->text != NULL, 1))
		return slot;
	if (lines->kept > KEPT_BYTES)
		drop_all(lines);
	return make(lines, id) ? slot : NULL;
}
