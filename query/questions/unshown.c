// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Few programs have such instructions, so the code is searched for them before executions are
 * counted. What they access cannot be told from the path: their addresses are in registers.
 */
#include "query/questions/unshown.h"

#include <stdlib.h>

#include "analysis/executed.h"
#include "base/error.h"
#include "isa/unshown.h"
#include "trace/modes.h"

struct search {
	const struct wm_trace *trace;
	enum alone_isa isa;
	bool since;	/* QEMU is one that shows fewer */
	bool machine;	/* it ran one */
	uint64_t count; /* executions */
};

/* "9.1" and later; false for what is no version. */
static bool shows_fewer(const char *version)
{
	char *end;
	unsigned long major = strtoul(version, &end, 10);

	return major > 9 ||
	       (major == 9 && *end == '.' && strtoul(end + 1, NULL, 10) >= 1);
}

/* How many of the instructions begin <= index < end of a block. */
static uint64_t count_in(const struct search *search, const struct wm_block *block,
			 uint32_t begin, uint32_t end)
{
	const uint8_t *code = block->code;
	uint64_t count = 0;

	for (uint32_t i = 0; i < end; code += block->sizes[i++]) {
		enum unshown unshown =
			i < begin ? UNSHOWN_NOT :
				    unshown_of(search->isa, code, block->sizes[i]);

		count += unshown == UNSHOWN_EVER ||
			 (unshown == UNSHOWN_USER && !search->machine) ||
			 (unshown == UNSHOWN_SINCE && !search->machine && search->since);
	}
	return count;
}

/* Blocks that cannot be read are another's matter. */
static bool has_any(const struct search *search)
{
	struct wm_summary summary;
	struct wm_block block;

	wm_trace_summary(search->trace, &summary);
	for (uint32_t id = 1; id <= summary.known_blocks; id++)
		if (!wm_trace_block(search->trace, id, &block) &&
		    count_in(search, &block, 0, block.insns))
			return true;
	return false;
}

static int add(void *cookie, const struct executed *executed)
{
	struct search *search = cookie;

	search->count += executed->count * count_in(search, &executed->block,
						    executed->begin, executed->end);
	return 0;
}

int unshown_warn(const struct query *query, const struct counts *counts,
		 struct wm_error *err)
{
	struct search search = { .trace = query->source.trace };
	const char *isa = wm_trace_meta(search.trace, "guest-isa");
	const char *version = wm_trace_meta(search.trace, "qemu-version");
	struct counts own = COUNTS_INIT;
	int ret = 0;

	/* An imported trace has what its log has. */
	if (!isa || !version)
		return 0;
	search.isa = alone_isa(isa);
	search.since = shows_fewer(version);
	search.machine = trace_is_of_machine(search.trace);
	if (!has_any(&search))
		return 0;
	if (!counts)
		ret = counts_gather(&own, search.trace, &query->selection, err);
	if (ret)
		return ret;
	ret = executed_each(counts ? counts : &own, search.trace, add, &search);
	counts_fini(&own);
	if (ret)
		return wm_fail(err, ret, 0, "a block that ran is not in the trace");
	if (search.count)
		listener_warn(query->listener,
			      "accesses of %llu executed instructions are missing: QEMU "
			      "shows them to no plugin (waymark-record(1), --mem)",
			      (unsigned long long)search.count);
	return 0;
}
