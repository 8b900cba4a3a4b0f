// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters over the time of a thread, some thousand values of each:
 *
 *	instructions per ms	how fast they came, by the clock of events
 *	L1D misses, LLC misses	of each interval, where accesses were recorded, in caches of
 *				the first preset of `waymark cache`
 *	working set		the lines that were touched in each interval, in bytes
 *
 *	TrackDescriptor	1 uuid, 2 name, 5 parent_uuid, 8 counter (6 unit_name)
 *	TrackEvent	9 type (4: a counter), 11 track_uuid, 30 counter_value
 *
 * A value is at the begin of what it is of. The time of a timeline is instructions, so the
 * first of the counters is all that it has of the real one.
 *
 * Example: events at instruction 0 and 9000, 3 ms apart: a value of 3000 at 0.
 */
#include "analysis/cache/profile.h"
#include "analysis/mem/workset.h"
#include "base/error.h"
#include "export/perfetto_format.h"
#include "trace/cursor.h"
#include "trace/values.h"

enum { VALUES_OF_EACH = 1000, INTERVAL_LEAST = 1000, LINE = 64, NS_OF_MS = 1000000 };

enum counter { COUNTER_SPEED, COUNTER_L1D, COUNTER_LLC, COUNTER_WORKSET, COUNTERS };

static const struct {
	const char *name, *unit;
} counters[COUNTERS] = {
	{ "instructions per ms", "insns" },
	{ "L1D misses", "misses" },
	{ "LLC misses", "misses" },
	{ "working set", "bytes" },
};

/* Tracks of counters have their numbers beyond those of threads and processes. */
static uint64_t track_of(unsigned stream, enum counter counter)
{
	return UINT64_C(1) << 40 | (uint64_t)stream * COUNTERS | counter;
}

static void put_track(struct perfetto *perfetto, unsigned stream, enum counter counter)
{
	protobuf_string(&perfetto->inner, 6, counters[counter].unit);
	protobuf_uint(&perfetto->message, 1, track_of(stream, counter));
	protobuf_string(&perfetto->message, 2, counters[counter].name);
	protobuf_uint(&perfetto->message, 5, perfetto_thread(stream));
	perfetto_inside(&perfetto->message, 8, &perfetto->inner);
	perfetto_inside(&perfetto->packet, 60, &perfetto->message);
	perfetto_put(perfetto);
}

static void put(struct perfetto *perfetto, unsigned stream, enum counter counter,
		uint64_t insn, uint64_t value)
{
	protobuf_uint(&perfetto->packet, 8, insn);
	protobuf_uint(&perfetto->message, 9, PERFETTO_COUNTER);
	protobuf_uint(&perfetto->message, 11, track_of(stream, counter));
	protobuf_uint(&perfetto->message, 30, value);
	perfetto_inside(&perfetto->packet, 11, &perfetto->message);
	perfetto_put(perfetto);
}

/* The length of an interval: the longest selected thread has VALUES_OF_EACH of them. */
static uint64_t interval_of(const struct calls_subject *subject)
{
	const struct selection *selection = subject->selection;
	uint64_t longest = 0, interval;

	for (unsigned i = 0; i < selection->n; i++) {
		struct wm_stream stream;

		if (!wm_trace_stream(subject->trace, selection->streams[i], &stream) &&
		    stream.insns > longest)
			longest = stream.insns;
	}
	if (longest > selection->to)
		longest = selection->to;
	interval = longest > selection->from ?
			   (longest - selection->from) / VALUES_OF_EACH :
			   0;
	return interval < INTERVAL_LEAST ? INTERVAL_LEAST : interval;
}

/* ---- speed ------------------------------------------------------------------------------- */

static int put_speed(struct perfetto *perfetto, const struct calls_subject *subject,
		     unsigned stream, uint64_t interval, struct wm_error *err)
{
	const struct selection *selection = subject->selection;
	uint64_t insn = 0, ns = 0;
	struct wm_cursor *cursor;
	struct wm_event event;
	bool any = false;
	int ret = wm_cursor_new(&cursor, subject->trace, stream, err);

	if (ret)
		return ret;
	while (!(ret = wm_cursor_next_event(cursor, &event, err))) {
		uint64_t insns = event.insn_ordinal - insn;

		if (event.insn_ordinal > selection->to)
			break;
		if (!event.ns || (ns && (insns < interval || event.ns <= ns)))
			continue;
		if (ns && insn >= selection->from) {
			if (!any)
				put_track(perfetto, stream, COUNTER_SPEED);
			any = true;
			put(perfetto, stream, COUNTER_SPEED, insn,
			    insns * NS_OF_MS / (event.ns - ns));
		}
		insn = event.insn_ordinal;
		ns = event.ns;
	}
	wm_cursor_free(cursor);
	return ret < 0 ? ret : 0;
}

/* ---- memory ------------------------------------------------------------------------------ */

static uint64_t misses(const struct cache_interval *interval, enum cache_depth depth,
		       bool code)
{
	const uint64_t *all = interval->tally.misses[depth];

	return all[CACHE_LOAD] + all[CACHE_STORE] + (code ? all[CACHE_FETCH] : 0);
}

static int put_misses(struct perfetto *perfetto, const struct calls_subject *subject,
		      uint64_t length, struct wm_error *err)
{
	struct cache_profile profile;
	struct cache_spec spec;
	int ret;

	cache_spec_init(&spec);
	ret = cache_profile_gather(&profile, subject->trace, subject->selection, &spec,
				   length, NULL, err);
	if (ret)
		return ret;
	for (size_t i = 0; i < profile.n_intervals; i++) {
		const struct cache_interval *interval = &profile.intervals[i];
		unsigned stream = interval->stream;

		if (!i || interval[-1].stream != stream) {
			put_track(perfetto, stream, COUNTER_L1D);
			put_track(perfetto, stream, COUNTER_LLC);
		}
		put(perfetto, stream, COUNTER_L1D, interval->from,
		    misses(interval, CACHE_FIRST, false));
		put(perfetto, stream, COUNTER_LLC, interval->from,
		    misses(interval, CACHE_LAST, true));
	}
	cache_profile_fini(&profile);
	return 0;
}

static int put_workset(struct perfetto *perfetto, const struct calls_subject *subject,
		       uint64_t length, struct wm_error *err)
{
	struct workset workset;
	int ret =
		workset_gather(&workset, subject->trace, subject->selection, length, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < workset.n; i++) {
		const struct workset_row *row = &workset.rows[i];

		if (!i || row[-1].stream != row->stream)
			put_track(perfetto, row->stream, COUNTER_WORKSET);
		put(perfetto, row->stream, COUNTER_WORKSET, row->from, row->lines * LINE);
	}
	workset_fini(&workset);
	return 0;
}

int perfetto_counters(struct perfetto *perfetto, const struct calls_subject *subject,
		      struct wm_error *err)
{
	const struct selection *selection = subject->selection;
	uint64_t interval = interval_of(subject);
	int ret = 0;

	for (unsigned i = 0; !ret && i < selection->n; i++)
		ret = put_speed(perfetto, subject, selection->streams[i], interval, err);
	if (!(trace_values_recorded(subject->trace) & VALUES_ALL))
		return ret;
	if (!ret)
		ret = put_misses(perfetto, subject, interval, err);
	return ret ? ret : put_workset(perfetto, subject, interval, err);
}
