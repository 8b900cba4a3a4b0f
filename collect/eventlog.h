/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the events of a recording go: those of threads into their streams, others into
 * sections of their own (EVNT), all of them to the back ends that the user named.
 */
#ifndef COLLECT_EVENTLOG_H
#define COLLECT_EVENTLOG_H

#include "collect/output.h"
#include "events/backend.h"
#include "format/orders.h"

/* What a user asks for, before the guest starts. */
struct event_options {
	uint64_t wanted;       /* bit n: events of kind n */
	const char *const *to; /* [n_to] back ends: see events/backend.h; none: trace */
	unsigned n_to;
	const char *const *qemu_trace; /* [n_qemu_trace] patterns of QEMU's own events */
	unsigned n_qemu_trace;
};

struct qemu_trace;

struct eventlog {
	_Atomic uint64_t wanted; /* by the user: bit n, events of kind n */
	uint64_t needed;	 /* by the recorder itself */
	_Atomic uint64_t *sent;	 /* the board's: both */
	bool to_trace;
	struct backends *backends;
	const struct kernel *kernel; /* the guest's; NULL before it is known */
	struct buf batch;	     /* of events for the file, and when the first came */
	uint64_t last_ns, since_ns, clock_ns;
	bool noted_cut;		 /* the LOST event is in the file */
	struct qemu_trace *qemu; /* NULL: it is not followed */
};

/*
 * `sent` is on the board: plugins read from it which events to send. `needed` is a mask of
 * those that the recorder's own decisions depend on. NULL options: the default.
 */
int eventlog_open(struct eventlog *log, const struct event_options *options,
		  uint64_t needed, _Atomic uint64_t *sent, struct wm_error *err);
/* Changes which events are wanted. */
void eventlog_want(struct eventlog *log, uint64_t wanted);
/* Closes the back ends; their first failure. What is in the batch is lost. */
int eventlog_close(struct eventlog *log, struct wm_error *err);
/* The file to which QEMU writes its own trace, the value of -D; NULL: there is none. */
const char *eventlog_qemu_path(const struct eventlog *log);
/* The guest is known: QEMU's name of its ISA. */
void eventlog_begin(struct eventlog *log, const char *isa);

/* Which are wanted: bit n, events of kind n. */
uint64_t eventlog_wanted(const struct eventlog *log);
/* Whether events of a kind are wanted. */
bool eventlog_wants(const struct eventlog *log, uint32_t kind);
/*
 * Whether a thread's event is kept: the end of a handler (a system call) goes with its
 * signal.
 */
bool eventlog_keeps(const struct eventlog *log, uint32_t kind);
/*
 * Keeps an event that has no position in a thread's sequence, if its kind is wanted. It
 * may still be about a thread: then the record has its tid.
 */
void eventlog_add(struct eventlog *log, struct output *out,
		  const struct event_record *record);
/* The same of an event that has only a text. */
void eventlog_say(struct eventlog *log, struct output *out, uint32_t kind, uint64_t ns,
		  const char *text, size_t bytes);
/* An event that is in a thread's sequence: for the back ends. */
void eventlog_pass(struct eventlog *log, const struct event_record *record);
/*
 * Call it now and then: takes QEMU's lines, notes the clock and a cut, flushes an old
 * batch.
 */
void eventlog_tick(struct eventlog *log, struct output *out);
/* Puts the batch into the file. */
void eventlog_flush(struct eventlog *log, struct output *out);
/* The recording ends: takes and writes what is left. */
void eventlog_end(struct eventlog *log, struct output *out);

#endif
