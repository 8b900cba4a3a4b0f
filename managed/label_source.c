// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A walk for each stream that was asked about. Streams are kept apart because callers mix
 * them: rows of all threads come in the order of the clock.
 */
#include "managed/label_source.h"

#include <stdlib.h>

#include "base/error.h"
#include "managed/labels.h"
#include "managed/methods.h"

struct label_source {
	const struct wm_trace *trace;
	struct units units;
	struct labels **streams; /* [n]; NULL: not asked for yet */
	unsigned n;
};

int label_source_new(struct label_source **out, const struct wm_trace *trace,
		     struct wm_error *err)
{
	struct label_source *source = calloc(1, sizeof(*source));
	struct wm_summary summary;
	int ret;

	*out = source;
	if (!source)
		return wm_fail_nomem(err, "labels");
	wm_trace_summary(trace, &summary);
	source->trace = trace;
	source->n = summary.streams;
	source->streams = calloc(source->n + 1ul, sizeof(*source->streams));
	if (!source->streams)
		return wm_fail_nomem(err, "labels");
	ret = units_read(&source->units, trace, err);
	return !ret && !source->units.n ? methods_missing(trace, "the trace ", err) : ret;
}

void label_source_free(struct label_source *source)
{
	if (!source)
		return;
	for (unsigned i = 0; source->streams && i < source->n; i++)
		labels_free(source->streams[i]);
	free(source->streams);
	units_fini(&source->units);
	free(source);
}

int label_source_at(struct label_source *source, unsigned stream, uint64_t insn,
		    struct walk_step *label, struct wm_error *err)
{
	int ret = 0;

	if (stream >= source->n)
		return wm_fail(err, WM_E_RANGE, 0, "there is no stream %u", stream);
	if (!source->streams[stream])
		ret = labels_new(&source->streams[stream], &source->units, source->trace,
				 stream, err);
	return ret ? ret : labels_at(source->streams[stream], insn, label, err);
}
