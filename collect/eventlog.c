// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events without a thread are rare, so they wait in a batch until there are enough of
 * them to compress well, or until a second has gone by: killing the recorder loses no
 * more than that. An event of a thread needs no batch here; it is part of the thread's
 * chunk.
 *
 * The recorder itself adds three kinds: CLOCK (what the monotonic and the real-time
 * clock have at one moment, every ten seconds, because they drift), LOST (from here on
 * something is missing), and QEMU (a line of QEMU's own trace).
 */
#include "collect/eventlog.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "collect/qemu_trace.h"
#include "format/clock_event.h"
#include "format/section.h"

#define BATCH_BYTES (256u << 10)
#define BATCH_NS UINT64_C(1000000000)  /* for which events wait at most */
#define CLOCK_NS UINT64_C(10000000000) /* between two looks at the other clock */

enum { NS = 1000000000 };

static bool is_for_trace(const struct event_options *options)
{
	for (unsigned i = 0; options && i < options->n_to; i++)
		if (!strcmp(options->to[i], "trace"))
			return true;
	return !options || !options->n_to;
}

int eventlog_open(struct eventlog *log, const struct event_options *options,
		  uint64_t needed, _Atomic uint64_t *sent, struct wm_error *err)
{
	int ret = 0;

	*log = (struct eventlog){ .needed = needed,
				  .sent = sent,
				  .to_trace = is_for_trace(options) };
	if (options && options->n_to)
		ret = backends_open(&log->backends, options->to, options->n_to, err);
	/*
	 * Even after a failure: plugins read `sent` from the board, and it must be
	 * defined.
	 */
	eventlog_want(log, options ? options->wanted : EVENTS_DEFAULT);
	if (!ret && options && options->n_qemu_trace)
		ret = qemu_trace_open(&log->qemu, err);
	return ret;
}

/* The plugins send an event if the user wants it or the recorder needs it. */
void eventlog_want(struct eventlog *log, uint64_t wanted)
{
	/* Without anyone to take them none are: probes are the plugin's own. */
	if (!log->to_trace && !backends_any(log->backends))
		wanted = 0;
	/* Bits beyond the known events come from a client of another version. */
	wanted &= EVENTS_BUILT;
	atomic_store(&log->wanted, wanted);
	/*
	 * Plugins read it without a lock at their next event; a late change is harmless.
	 */
	atomic_store(log->sent, wanted | log->needed);
}

int eventlog_close(struct eventlog *log, struct wm_error *err)
{
	struct backends *backends = log->backends;

	/*
	 * Its thread ends here, so no line can arrive for the backends that are closed
	 * below.
	 */
	qemu_trace_free(log->qemu);
	log->qemu = NULL;
	buf_fini(&log->batch);
	log->backends = NULL;
	return backends_close(backends, err);
}

const char *eventlog_qemu_path(const struct eventlog *log)
{
	return log->qemu ? qemu_trace_path(log->qemu) : NULL;
}

void eventlog_begin(struct eventlog *log, const char *isa)
{
	log->kernel = kernel_find(isa);
}

uint64_t eventlog_wanted(const struct eventlog *log)
{
	return atomic_load(&log->wanted);
}

bool eventlog_wants(const struct eventlog *log, uint32_t kind)
{
	return kind < 64 && atomic_load(&log->wanted) >> kind & 1;
}

bool eventlog_keeps(const struct eventlog *log, uint32_t kind)
{
	/* Readers of signals need the system calls that return from handlers. */
	return eventlog_wants(log, kind) ||
	       (kind == WM_EVENT_SYSCALL && eventlog_wants(log, WM_EVENT_SIGNAL));
}

void eventlog_flush(struct eventlog *log, struct output *out)
{
	if (log->batch.len && !log->batch.failed)
		output_put(out, SECTION_EVNT, &log->batch, CLOCK_EVENTS_LEVEL);
	log->batch.len = 0;
	log->batch.failed = false;
	/*
	 * Each section starts from time 0, so it can be decoded without those before it.
	 */
	log->last_ns = log->since_ns = 0;
}

/*
 * Puts an event into the batch; times in a batch are differences, like those in a chunk.
 */
static void keep(struct eventlog *log, struct output *out,
		 const struct event_record *record)
{
	struct buf data = BUF_INIT;
	struct clock_event event = { .ns = record->ns,
				     .process = record->process,
				     .kind = record->kind };

	event_record_put(&data, record);
	event.data = data.data;
	event.bytes = data.len;
	/* The age of a batch is that of its first event. */
	if (!log->batch.len)
		log->since_ns = clock_ns();
	clock_event_put(&log->batch, &event, &log->last_ns);
	if (data.failed || log->batch.failed)
		output_cut(out, "the recorder ran out of memory for events");
	buf_fini(&data);
	if (log->batch.len >= BATCH_BYTES)
		eventlog_flush(log, out);
}

void eventlog_pass(struct eventlog *log, const struct event_record *record)
{
	if (log->backends)
		backends_put(log->backends, record, log->kernel);
}

void eventlog_add(struct eventlog *log, struct output *out,
		  const struct event_record *record)
{
	if (!eventlog_wants(log, record->kind))
		return;
	if (log->to_trace)
		keep(log, out, record);
	eventlog_pass(log, record);
}

void eventlog_say(struct eventlog *log, struct output *out, uint32_t kind, uint64_t ns,
		  const char *text, size_t bytes)
{
	struct event_record record = {
		.kind = kind,
		.ns = ns,
		.process = EVENT_NONE,
		.thread = EVENT_NONE,
		.text = text,
		.text_bytes = bytes,
	};

	eventlog_add(log, out, &record);
}

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec;
}

/* The values of both clocks at one moment. */
static void add_clock(struct eventlog *log, struct output *out)
{
	struct event_record record = {
		.kind = WM_EVENT_CLOCK,
		.process = EVENT_NONE,
		.thread = EVENT_NONE,
		.n = 2,
		.text = "",
	};

	record.fields[0] = realtime_ns();
	record.ns = log->clock_ns = clock_ns();
	record.fields[1] = record.ns;
	eventlog_add(log, out, &record);
}

static void note_cut(struct eventlog *log, struct output *out)
{
	if (log->noted_cut || !out->cut[0])
		return;
	/* First: eventlog_say() may itself find a reason to cut. */
	log->noted_cut = true;
	eventlog_say(log, out, WM_EVENT_LOST, out->cut_ns, out->cut, strlen(out->cut));
}

struct taker {
	struct eventlog *log;
	struct output *out;
};

/* QEMU's own time stamp, if plausible, is better than the line's arrival. */
static void take_line(void *cookie, uint64_t ns, const char *text, size_t bytes)
{
	struct taker *taker = cookie;
	uint64_t stamp_ns, ago_ns;

	if (qemu_trace_stamp(&text, &bytes, &stamp_ns)) {
		/*
		 * The stamp is of the real-time clock, events are of the monotonic one.
		 * What both have in common is how long ago the line was written. A stamp
		 * from the future wraps to a large number and is refused.
		 */
		ago_ns = realtime_ns() - stamp_ns;
		ns = ago_ns < clock_ns() ? clock_ns() - ago_ns : ns;
	}
	eventlog_say(taker->log, taker->out, WM_EVENT_QEMU, ns, text, bytes);
}

static void take_lines(struct eventlog *log, struct output *out)
{
	struct taker taker = { log, out };

	if (log->qemu)
		qemu_trace_take(log->qemu, take_line, &taker);
}

void eventlog_tick(struct eventlog *log, struct output *out)
{
	uint64_t now_ns = clock_ns();

	take_lines(log, out);
	note_cut(log, out);
	if (!log->clock_ns || now_ns - log->clock_ns >= CLOCK_NS)
		add_clock(log, out);
	if (log->since_ns && now_ns - log->since_ns >= BATCH_NS)
		eventlog_flush(log, out);
}

void eventlog_end(struct eventlog *log, struct output *out)
{
	if (log->qemu)
		qemu_trace_end(log->qemu);
	take_lines(log, out);
	note_cut(log, out);
	add_clock(log, out);
	eventlog_flush(log, out);
}
