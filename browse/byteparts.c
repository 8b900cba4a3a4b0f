// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To begin in the middle of a thread costs some tens of milliseconds: a chunk is decoded up to
 * there, and the walk begins before that. A part of 2 million instructions has 10^5 steps of an
 * interpreter, and some times as many of compiled code, of 100 bytes each.
 *
 * Example: the position is at 5,000,000. A look reads parts 0 to 2; a step to 5,000,020 and its
 * look find them there. At 6,300,000 part 3 takes the place of the one that was asked for least
 * recently.
 */
#include "browse/byteparts.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/error.h"

enum { PART_INSNS = 1 << 21, PARTS_KEPT = 6, PARTS_WALKED = 5 };

struct part {
	bool read;
	unsigned stream;
	uint64_t number;	 /* it begins at this times PART_INSNS */
	struct walk_step *steps; /* [n] */
	size_t n;
	uint64_t used; /* when it was asked for: ascends */
};

struct byteparts {
	const struct wm_trace *trace;
	const struct units *units;
	struct part all[PARTS_KEPT];
	uint64_t used;
};

int byteparts_new(struct byteparts **out, const struct wm_trace *trace,
		  const struct units *units, struct wm_error *err)
{
	struct byteparts *parts = calloc(1, sizeof(*parts));

	*out = parts;
	if (!parts)
		return wm_fail_nomem(err, "bytecodes");
	parts->trace = trace;
	parts->units = units;
	return 0;
}

static void forget(struct part *part)
{
	free(part->steps);
	*part = (struct part){ .read = false };
}

void byteparts_free(struct byteparts *parts)
{
	if (!parts)
		return;
	for (unsigned i = 0; i < PARTS_KEPT; i++)
		forget(&parts->all[i]);
	free(parts);
}

/* ---- a part -------------------------------------------------------------- */

static int keep(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct part *part = cookie;
	uint64_t begin = part->number * PART_INSNS;

	if (step->insn < begin)
		return 0;
	if (step->insn >= begin + PART_INSNS)
		return WM_END;
	return APPEND(part->steps, part->n, *step) ? 0 : wm_fail_nomem(err, "bytecodes");
}

/* The part with that number; one that is kept for nothing else, or was asked for least recently. */
static struct part *place_of(struct byteparts *parts, unsigned stream, uint64_t number)
{
	struct part *least = &parts->all[0];

	for (unsigned i = 0; i < PARTS_KEPT; i++) {
		struct part *part = &parts->all[i];

		if (part->read && part->stream == stream && part->number == number)
			return part;
		if (part->used < least->used)
			least = part;
	}
	forget(least);
	return least;
}

static int get(struct byteparts *parts, unsigned stream, uint64_t number,
	       const struct part **out, struct wm_error *err)
{
	struct part *part = place_of(parts, stream, number);
	int ret = 0;

	if (!part->read) {
		part->stream = stream;
		part->number = number;
		ret = walk_between(parts->units, parts->trace, stream, false,
				   number * PART_INSNS, (number + 1) * PART_INSNS, keep,
				   part, err);
		part->read = !ret;
	}
	if (ret)
		forget(part);
	part->used = ++parts->used;
	*out = part;
	return ret;
}

/* ---- walking ------------------------------------------------------------- */

struct bounds {
	uint64_t from, to;
	walk_take *take;
	void *cookie;
};

static int hand(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	const struct bounds *bounds = cookie;

	if (step->insn < bounds->from)
		return 0;
	return step->insn < bounds->to ? bounds->take(bounds->cookie, step, err) : WM_END;
}

int byteparts_walk(struct byteparts *parts, unsigned stream, uint64_t from, uint64_t to,
		   walk_take *take, void *cookie, struct wm_error *err)
{
	struct bounds bounds = { from, to, take, cookie };
	uint64_t first = from / PART_INSNS, end;
	struct wm_stream thread;
	int ret = 0;

	if (wm_trace_stream(parts->trace, stream, &thread))
		return wm_fail(err, WM_E_RANGE, 0, "there is no thread %u", stream);
	to = to < thread.insns ? to : thread.insns;
	if (from >= to)
		return 0;
	end = to / PART_INSNS + (to % PART_INSNS > 0);
	if (end > first + PARTS_WALKED)
		return walk_between(parts->units, parts->trace, stream, false, from, to,
				    hand, &bounds, err);
	for (uint64_t number = first; !ret && number < end; number++) {
		const struct part *part;

		ret = get(parts, stream, number, &part, err);
		for (size_t i = 0; !ret && i < part->n; i++)
			ret = hand(&bounds, &part->steps[i], err);
	}
	return ret == WM_END ? 0 : ret;
}
