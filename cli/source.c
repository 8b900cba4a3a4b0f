// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/source.h"

#include "base/error.h"
#include "cli/fail.h"

#include <string.h>
#include <unistd.h>

static int no_such_thread(const struct wm_trace *trace, unsigned thread,
			  struct wm_error *err)
{
	struct wm_summary summary;

	wm_trace_summary(trace, &summary);
	if (!summary.streams)
		return wm_fail(err, WM_E_RANGE, 0, "no thread ran in this recording");
	if (summary.streams == 1)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no thread %u: the only one is 0", thread);
	return wm_fail(err, WM_E_RANGE, 0, "there is no thread %u: they are 0 to %u",
		       thread, summary.streams - 1);
}

static void remark_missing(const struct wm_trace *trace, const struct range *range)
{
	struct wm_summary summary;

	wm_trace_summary(trace, &summary);
	if (!summary.complete)
		remark("%s is cut short: %s", range->file, summary.cut);
	if (summary.streams > 1 && !range->thread_named && isatty(STDERR_FILENO))
		remark("this is thread %u of %u; --thread chooses another", range->thread,
		       summary.streams);
}

int source_open(struct source *source, const struct range *range, struct wm_error *err)
{
	int ret = wm_trace_open(&source->trace, range->file, err);

	if (ret)
		return ret;
	if (wm_trace_stream(source->trace, range->thread, &source->stream))
		ret = no_such_thread(source->trace, range->thread, err);
	if (!ret)
		ret = symbols_new(&source->symbols, source->trace, err);
	if (ret)
		wm_trace_close(source->trace);
	else
		remark_missing(source->trace, range);
	return ret;
}

void source_close(struct source *source)
{
	symbols_free(source->symbols);
	wm_trace_close(source->trace);
}

void source_place(const struct source *source, uint64_t address, struct place *place)
{
	struct symbol symbol = { 0 };
	const char *slash;

	symbols_find(source->symbols, source->stream.process, address, &symbol);
	slash = symbol.module ? strrchr(symbol.module, '/') : NULL;
	place->symbol = symbol.name;
	place->module = slash ? slash + 1 : symbol.module;
	place->offset = symbol.offset;
}
