// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bounds of one side of a comparison. An ordinal needs no search. A position such as
 * `main` or `marker:7@3` is found by going through the whole side once (analysis/reach.h)
 * and asking of each instruction whether it is one of the two positions
 * (query/landing.h).
 *
 * A side that never reaches its bounds is no error here: several threads may be compared
 * of which only some do. The caller gets the sentence and decides.
 */
#include "query/bounds.h"

#include <inttypes.h>

#include "base/error.h"

/* Without positions there is no landing, which callers test. */
int bounds_open(struct bounds *bounds, const struct source *source, struct wm_error *err)
{
	if (bounds->from.kind == POSITION_NONE && bounds->to.kind == POSITION_NONE)
		return 0;
	return landing_new(&bounds->landing, source, &bounds->from, &bounds->to, err);
}

void bounds_fini(struct bounds *bounds)
{
	landing_free(bounds->landing);
	position_fini(&bounds->from);
	position_fini(&bounds->to);
	bounds->landing = NULL;
}

struct looking {
	const struct bounds *bounds;
	const struct bounded *bounded;
};

/*
 * Called for each instruction of the side. A unit of a trace gives the block that ran; a
 * log has addresses only, and id 0 stands for "no block".
 */
static unsigned look(void *cookie, uint32_t unit, uint64_t address)
{
	const struct looking *looking = cookie;
	const struct bounded *bounded = looking->bounded;
	uint32_t id = 0, space = bounded->log_space;

	if (!bounded->is_log)
		diff_trace_unit(bounded->source, unit, &id, &space);
	return landing_at(looking->bounds->landing, space, id, address);
}

/*
 * Writes the reason why the part does not exist. from_hits tells a wrong name from a
 * wrong count.
 */
static void explain(const struct bounds *bounds, const struct reach *reach,
		    struct wm_error *err)
{
	if (!reach->opened)
		wm_fail(err, WM_E_RANGE, 0,
			"--from %.100s is not reached: it comes there %" PRIu64 " time%s",
			bounds->from_text, reach->from_hits,
			reach->from_hits == 1 ? "" : "s");
	else if (!reach->closed)
		wm_fail(err, WM_E_RANGE, 0, "--to %.100s is not reached after --from",
			bounds->to_text);
	else
		wm_fail(err, WM_E_RANGE, 0, "--to is before --from");
}

int bounds_find(const struct bounds *bounds, const struct bounded *bounded,
		struct diff_part *part, bool *reached, struct wm_error *err)
{
	struct looking looking = { bounds, bounded };
	struct reach reach = {
		.look = look,
		.cookie = &looking,
		.from_times = bounds->from.times,
		.to_times = bounds->to.times,
		.from = part->from,
		.to = part->to,
		/*
		 * A bound that is no position is known: its ordinal is in part->from or
		 * part->to.
		 */
		.opened = bounds->from.kind == POSITION_NONE,
		.closed = bounds->to.kind == POSITION_NONE,
	};
	int ret = reach_run(&reach, bounded->source, err);

	if (ret)
		return ret;
	*reached = reach.opened && reach.closed && reach.from <= reach.to;
	part->from = reach.from;
	part->to = reach.to;
	if (!*reached)
		explain(bounds, &reach, err);
	return 0;
}
