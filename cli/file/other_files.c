// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A log has the code that ran, and only names and lines come from the files of --elf. So a file
 * of another build, or at another address, would give wrong names or none. The blocks of the
 * trace that was made say both: whether any lies in the file, and whether what lies there has
 * the file's code.
 */
#include "cli/file/other_files.h"

#include <string.h>

#include "base/error.h"
#include "cli/fail.h"
#include "program/sample.h"

/* Of addresses that several files claim, the last one has them, as for all commands. */
static bool extents_of(struct extents *extents, const struct wm_trace *trace)
{
	struct wm_module module;

	for (unsigned i = 0; !wm_trace_module(trace, i, &module); i++) {
		const struct extent extent = { .start = module.start,
					       .end = module.end,
					       .space = module.space,
					       .order = i,
					       .until = EXTENT_FOREVER,
					       .what = i };

		if (!extents_add(extents, &extent))
			return false;
	}
	extents_sort(extents);
	return true;
}

/* Whether no code that ran where a file lies is other code than the file has. */
static bool is_what_ran(const struct import_module *file, const struct wm_trace *trace,
			const struct extents *extents)
{
	struct wm_module module;
	bool same = true;

	for (unsigned i = 0; same && !wm_trace_module(trace, i, &module); i++) {
		const struct sample_of of = { trace, extents, i, &module };

		if (!strcmp(module.path, file->path))
			same = sample_is_what_ran(&of, file->fd);
	}
	return same;
}

/* Whether a block of the trace lies in the file. */
static bool has_run(const struct import_module *file, const struct wm_trace *trace)
{
	struct wm_summary summary;
	struct wm_block block;

	wm_trace_summary(trace, &summary);
	for (uint32_t id = 1; id <= summary.known_blocks; id++) {
		if (wm_trace_block(trace, id, &block))
			continue;
		for (size_t i = 0; i < file->n; i++)
			if (block.address - file->base >= file->loads[i].start &&
			    block.address - file->base < file->loads[i].end)
				return true;
	}
	return false;
}

static void remark_other_file(const struct import_module *file,
			      const struct wm_trace *trace, const struct extents *extents)
{
	if (!has_run(file, trace))
		remark("no code of %s ran where it is said to lie: if it was loaded "
		       "elsewhere, say where with FILE@ADDRESS",
		       file->path);
	else if (!is_what_ran(file, trace, extents))
		remark("%s has other code than the record: names and lines may be wrong",
		       file->path);
}

void remark_other_files(const char *path, const struct import_module *files, size_t n)
{
	struct extents extents = { NULL, 0 };
	struct wm_trace *trace;
	struct wm_error err;

	if (!n || wm_trace_open(&trace, path, &err))
		return;
	if (extents_of(&extents, trace))
		for (size_t i = 0; i < n; i++)
			remark_other_file(&files[i], trace, &extents);
	extents_fini(&extents);
	wm_trace_close(trace);
}
