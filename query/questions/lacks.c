// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A cache that sees no loads has other misses of stores, too, and a variable without a name
 * counts as nobody's: such answers look complete and are not. (What QEMU does not show:
 * unshown.h.)
 */
#include "query/questions/lacks.h"

#include "analysis/methods/unguided.h"
#include "trace/values.h"

bool lacks_kind(const struct wm_trace *trace, const char **recorded, const char **missing)
{
	unsigned kinds = trace_values_recorded(trace) & VALUES_ALL;

	*recorded = kinds == VALUES_LOADS ? "loads" : "stores";
	*missing = kinds == VALUES_LOADS ? "stores" : "loads";
	return kinds == VALUES_LOADS || kinds == VALUES_STORES;
}

void lacks_kind_warn(const struct query *query)
{
	const char *recorded, *missing;

	if (lacks_kind(query->source.trace, &recorded, &missing))
		listener_warn(query->listener,
			      "only %s were recorded, so this is as if there were no %s: "
			      "waymark record --mem records both",
			      recorded, missing);
}

void lacks_variables_warn(const struct query *query, const struct objects *objects)
{
	const char *path;
	uint32_t next = 0;

	while ((path = objects_unread(objects, &next)))
		listener_warn(query->listener,
			      "%s is missing or was changed since it ran: its variables "
			      "are not known (--symfs)",
			      path);
}

void lacks_guides_warn(const struct query *query)
{
	char text[UNGUIDED_TEXT];

	if (unguided_tell(query->source.trace, text))
		listener_warn(query->listener, "%s", text);
}
