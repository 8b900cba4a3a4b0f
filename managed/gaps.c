// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Example: a window closes when 40 instructions have been passed in all, at block 1000. The
 * next opens at 1001, and 95 have been passed then: block 1000 is a gap of 55.
 */
#include "managed/gaps.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"

int gaps_read(struct gaps *gaps, const struct wm_trace *trace, unsigned stream,
	      struct wm_error *err)
{
	struct wm_cursor *cursor;
	struct wm_event event;
	uint64_t passed = 0;
	int ret = wm_cursor_new(&cursor, trace, stream, err);

	*gaps = (struct gaps){ .all = NULL };
	while (!ret && !(ret = wm_cursor_next_event(cursor, &event, err))) {
		struct gap_length length = { event.block_ordinal, 0 };

		if (event.kind != WM_EVENT_WINDOW || event.n_fields < 3)
			continue;
		length.insns = event.fields[2] - passed;
		passed = event.fields[2];
		if (event.fields[0] == WM_WINDOW_OPENS &&
		    !APPEND(gaps->all, gaps->n, length))
			ret = wm_fail_nomem(err, "gaps");
	}
	wm_cursor_free(cursor);
	return ret == WM_END ? 0 : ret;
}

uint64_t gaps_insns(const struct gaps *gaps, uint64_t block)
{
	size_t i = BISECT(gaps->n, k, gaps->all[k].block <= block);

	/* The next one that opens is right behind it. */
	return i < gaps->n && gaps->all[i].block == block + 1 ? gaps->all[i].insns :
								UINT64_MAX;
}
