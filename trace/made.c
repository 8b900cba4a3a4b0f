// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ranges of all MADE sections are in one array, so that an index finds one at once; each has
 * the index of its section's file. Nothing refers to a range by its number, so the sections
 * need no order among themselves.
 */
#include "trace/made.h"

#include "base/append.h"
#include "trace/trace.h"

static int add_ranges(struct wm_trace *trace, const struct made_range *ranges, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct trace_made made = { ranges[i], trace->made_file_count - 1 };

		if (made.range.space >= trace->space_count)
			return TRACE_MALFORMED;
		if (!APPEND(trace->made, trace->made_count, made))
			return WM_E_NOMEM;
	}
	return 0;
}

int trace_add_made(struct wm_trace *trace, struct span *span)
{
	uint32_t before = trace->made_count, n;
	struct module_record file = { 0 };
	struct made_range *ranges;
	struct symtab_head head;
	int ret;

	if (!symtab_get_head(span, &head))
		return span->failed ? TRACE_MALFORMED : WM_E_NOMEM;
	file.path = head.path;
	file.build_id = head.build_id;
	if (!APPEND(trace->made_files, trace->made_file_count, file)) {
		module_fini(&file);
		return WM_E_NOMEM;
	}
	if (!made_get(span, &ranges, &n))
		return span->failed ? TRACE_MALFORMED : WM_E_NOMEM;
	ret = add_ranges(trace, ranges, n);
	/* All of a section, or nothing of it. */
	if (ret)
		trace->made_count = before;
	free(ranges);
	return ret;
}

uint32_t trace_made_count(const struct wm_trace *trace)
{
	return trace->made_count;
}

void trace_made(const struct wm_trace *trace, uint32_t index, struct wm_module *module)
{
	const struct trace_made *made = &trace->made[index];
	const struct module_record *file = &trace->made_files[made->file];

	*module = (struct wm_module){
		.space = made->range.space,
		.start = made->range.start,
		.end = made->range.end,
		.file_off = made->range.file_off,
		.path = file->path,
		.known_blocks = made->range.known,
		.build_id = file->build_id,
	};
}
