// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace has the bytes of all its blocks, in the order in which they were translated: what
 * the recorder knew of code that was made at run time can be found out again from it.
 */
#include "program/made/traced.h"

struct walk {
	const struct wm_trace *trace;
	uint32_t id;
};

static bool next_block(void *cookie, struct made_block *out)
{
	struct walk *walk = cookie;
	struct wm_block block;

	if (wm_trace_block(walk->trace, ++walk->id, &block))
		return false;
	*out = (struct made_block){ block.address, block.code, block.bytes, walk->id };
	return true;
}

bool made_settle_traced(struct made *made, const char *text, const struct wm_trace *trace)
{
	struct walk walk = { trace, 0 };

	return made_settle(made, text, next_block, &walk);
}
