// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is in a gap depends on all frames that the thread is in, so the walk begins where the
 * thread does, however late the listing begins. It goes no further than to the bytecode that
 * answers what was asked.
 */
#include "managed/gap_ways.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/error.h"

struct gap_ways {
	struct walk *walk;
	struct wm_cursor *cursor;
	struct walk_step *known; /* [n] gaps that were answered, from `next` on */
	size_t n, next;
	bool ended;
};

static int take(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct gap_ways *gaps = cookie;

	if (step->unit || !step->ways)
		return 0;
	return APPEND(gaps->known, gaps->n, *step) ? 0 : wm_fail_nomem(err, "gaps");
}

int gap_ways_new(struct gap_ways **out, const struct units *units,
		 const struct wm_trace *trace, unsigned stream, struct wm_error *err)
{
	struct gap_ways *gaps = calloc(1, sizeof(*gaps));
	int ret;

	*out = gaps;
	if (!gaps)
		return wm_fail_nomem(err, "gaps");
	ret = walk_new(&gaps->walk, units, trace, stream, take, gaps, err);
	if (!ret)
		ret = walk_recover(gaps->walk, stream, err);
	return ret ? ret : wm_cursor_new(&gaps->cursor, trace, stream, err);
}

void gap_ways_free(struct gap_ways *gaps)
{
	if (!gaps)
		return;
	wm_cursor_free(gaps->cursor);
	walk_free(gaps->walk);
	free(gaps->known);
	free(gaps);
}

/* Lets the walk see the next run. */
static int go_on(struct gap_ways *gaps, struct wm_error *err)
{
	const uint32_t *ids;
	struct wm_step step;
	size_t n;
	int ret = wm_cursor_next_run(gaps->cursor, &ids, &n, &step, err);

	if (gaps->next == gaps->n)
		gaps->n = gaps->next = 0;
	gaps->ended = ret == WM_END;
	if (gaps->ended)
		return walk_end(gaps->walk, err);
	return ret ? ret : walk_pass(gaps->walk, gaps->cursor, ids, n, &step, err);
}

int gap_ways_at(struct gap_ways *gaps, uint64_t block, struct walk_step *gap,
		struct wm_error *err)
{
	int ret = 0;

	*gap = (struct walk_step){ .block = block };
	for (;;) {
		while (gaps->next < gaps->n && gaps->known[gaps->next].block < block)
			gaps->next++;
		if (gaps->next < gaps->n || gaps->ended || ret)
			break;
		ret = go_on(gaps, err);
	}
	if (gaps->next < gaps->n && gaps->known[gaps->next].block == block)
		*gap = gaps->known[gaps->next];
	return ret;
}

const char *gap_ways_text(const struct walk_step *gap)
{
	return gap->ways == BRIDGE_SEVERAL ? "several ways" :
	       gap->ways == BRIDGE_NONE	   ? "no way known" :
					     NULL;
}
