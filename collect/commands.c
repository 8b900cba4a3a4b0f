// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the requests of collect/requests.h do. A command runs on the collector's thread,
 * between two drains, as an errand (collect/mailbox.h): so it may read and change
 * anything of the recording without a lock, and what it reports includes everything that
 * ran before it began. A snapshot is the exception: it copies a file, which takes long,
 * and so it visits the collector's thread only twice (collect/snapshot.c).
 *
 * A request that changes something is itself an event in the trace, noted before it is
 * done: a reader sees why there is nothing after it.
 */
#include "collect/control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/live.h"
#include "collect/mailbox.h"

/* A command for the collector's thread, and its answer. */
struct task {
	struct errand errand;
	const struct request *request;
	const char *file;
	uint32_t asker;
	struct buf *answer;
};

/* Replaces whatever the answer has so far. */
static void fail(struct task *task, const char *why)
{
	answer_bad(task->answer, why);
}

/* ---- status -------------------------------------------------------------- */

/* Whether some thread of it is recorded now, by the last events of its windows. */
static bool is_open(const struct image *image, bool from_start)
{
	for (unsigned i = 0; i < image->threads.n; i++) {
		const struct stream *stream = image->threads.at[i].stream;

		if (stream && (stream->window == STREAM_OPEN ||
			       (stream->window == STREAM_UNKNOWN && from_start)))
			return true;
	}
	return false;
}

static bool any_open(const struct live *live)
{
	const struct orders *orders = &live->board->orders;
	/*
	 * A window without a start is open from the first instruction, and no event shows
	 * so.
	 */
	bool from_start = !orders->windows;

	for (unsigned i = 0; i < orders->windows && i < WINDOWS_MAX; i++)
		from_start |= orders->window[i].from.kind == POINT_NONE;
	for (unsigned i = 0; i < live->images->top; i++)
		if (images_live(live->images, i) &&
		    is_open(live->images->at[i], from_start))
			return true;
	return false;
}

static enum recording_state state_of(const struct live *live)
{
	/* No plugin has started, so there is no file. */
	if (!live->reported)
		return STATE_STARTING;
	/* Once the file is sealed it is complete, whatever the wish is. */
	if (live->recording->out.sealed)
		return STATE_STOPPED;
	/* A wish of `ctl on` and the like comes before the windows. */
	switch ((enum wish)atomic_load(&live->board->orders.wish)) {
	case WISH_ON:
		return STATE_RECORDING;
	case WISH_OFF:
		return STATE_OFF;
	case WISH_STOP:
		return STATE_STOPPED;
	case WISH_WINDOWS:
		break;
	}
	return any_open(live) ? STATE_RECORDING : STATE_WAITING;
}

static void add_threads(struct status *status, struct image *image,
			const uint16_t *insns_of)
{
	for (unsigned i = 0; i < image->threads.n; i++) {
		struct thread *thread = &image->threads.at[i];
		const struct stream *stream = thread->stream;

		/* All are counted, also those that no longer fit into the list. */
		if (!stream || status->all_threads++ >= STATUS_THREADS_MAX)
			continue;
		status->threads[status->n_threads++] = (struct status_thread){
			.process = thread->space,
			.vcpu = thread->vcpu,
			.tid = thread->tid,
			.insns = stream_insns(stream, insns_of),
			/* Blocks of finished chunks, and of the one in work. */
			.blocks = stream->blocks + stream_blocks(stream),
			.name = thread->name,
		};
	}
}

static void add_process(struct status *status, const struct status_process *process)
{
	if (status->all_processes++ < STATUS_PROCESSES_MAX)
		status->processes[status->n_processes++] = *process;
}

/* The process, and of a machine those that run in it. */
static void add_image(struct status *status, const struct image *image)
{
	struct status_process process = { image->space, image->life.pid, false,
					  image->program ? image->program : (char *)"" };

	add_process(status, &process);
	for (uint32_t i = 1; i < image->spaces.n; i++) {
		const struct image_space *space = &image->spaces.at[i];

		process = (struct status_process){ space->index, space->pid, true,
						   space->path };
		if (!space->ended)
			add_process(status, &process);
	}
}

static void add_processes(struct status *status, const struct live *live)
{
	for (unsigned i = 0; i < live->images->top; i++) {
		struct image *image = images_live(live->images, i);

		/* A slot without an image, or one whose image has ended. */
		if (!image)
			continue;
		add_threads(status, image, live->recording->defs.insns_of);
		add_image(status, image);
	}
}

/* All figures are of one moment: no drain runs meanwhile. False: no memory. */
static bool put_status(struct task *task, const struct live *live)
{
	const struct recording *rec = live->recording;
	const struct orders *orders = &live->board->orders;
	struct status status = {
		.pid = (uint32_t)getpid(),
		.file = (char *)task->file,
		.elapsed_ns = clock_ns() - rec->begin_ns,
		.state = state_of(live),
		.insns = live_insns(live),
		.blocks = atomic_load(&rec->chunks.blocks),
		/* After the seal there is no writer: the size was stored at its end. */
		.bytes = rec->out.writer ? writer_bytes(rec->out.writer) :
					   atomic_load(&rec->chunks.bytes),
		.windows = orders->windows,
		.filtered = orders->has_only || orders->program_only,
		.processes = calloc(STATUS_PROCESSES_MAX, sizeof(*status.processes)),
		.threads = calloc(STATUS_THREADS_MAX, sizeof(*status.threads)),
	};
	/* The error replaces what answer_good() has put. */
	bool good = status.processes && status.threads;

	answer_good(task->answer);
	if (good) {
		add_processes(&status, live);
		status_put(task->answer, &status);
	} else {
		fail(task, "the recorder is out of memory");
	}
	free(status.processes);
	free(status.threads);
	return good;
}

/* ---- samples ------------------------------------------------------------- */

/* Adds what streams have gathered in the chunks that are not finished. */
static void add_up(const struct live *live, uint64_t *sums)
{
	for (unsigned i = 0; i < live->images->top; i++) {
		const struct image *image = images_live(live->images, i);

		for (unsigned j = 0; image && j < image->threads.n; j++)
			if (image->threads.at[j].stream)
				stream_add_up(image->threads.at[j].stream, sums);
	}
}

static bool put_rows(struct buf *answer, const struct definitions *defs,
		     const uint64_t *counts, const struct sample_row *rows, size_t n)
{
	/* One more, because calloc(0) may return NULL. */
	struct sample sample = { .n = (uint32_t)n,
				 .blocks = calloc(n + 1, sizeof(*sample.blocks)) };

	if (!sample.blocks)
		return false;
	for (uint32_t id = 1; id <= defs->known; id++)
		/*
		 * The sum of all blocks, not only of the rows: a client shows shares of
		 * it.
		 */
		sample.insns += counts[id] * defs->insns_of[id];
	for (size_t i = 0; i < n; i++)
		sample.blocks[i] = (struct sample_block){ rows[i].id,
							  defs->process_of[rows[i].id],
							  defs->insns_of[rows[i].id],
							  rows[i].count };
	sample_put(answer, &sample);
	free(sample.blocks);
	return true;
}

/* Takes counts[known + 1] over; NULL: no memory. */
static bool put_top(struct buf *answer, const struct definitions *defs, uint64_t *counts)
{
	struct sample_row *rows;
	bool good = false;
	size_t n;

	if (counts && sampler_top(counts, defs->insns_of, defs->known, SAMPLE_ROWS_MAX,
				  &rows, &n)) {
		good = put_rows(answer, defs, counts, rows, n);
		free(rows);
	}
	free(counts);
	return good;
}

static void put_sample(struct task *task, const struct live *live)
{
	struct recording *rec = live->recording;
	struct definitions *defs = &rec->defs;
	uint64_t *sums;

	/* Nothing ran yet: an empty sample is no error. */
	if (!live->reported) {
		sample_put(task->answer, &(struct sample){ 0 });
		return;
	}
	definitions_put(defs, &rec->out); /* the client looks blocks up in the file */
	/* Finished chunks first, then what streams have gathered since. */
	sums = sampler_sums(&rec->chunks.sampler, defs->known);
	if (sums) {
		add_up(live, sums);
		/*
		 * Each client gets what ran since it asked last, so several can watch one
		 * recording.
		 */
		sums = sampler_differ(&rec->chunks.sampler, task->asker, sums,
				      defs->known);
	}
	if (!put_top(task->answer, defs, sums))
		fail(task, "the recorder is out of memory");
}

/* ---- what changes something ---------------------------------------------- */

static void set_wish(struct task *task, const struct live *live, enum wish wish)
{
	_Atomic uint32_t *wanted = &live->board->orders.wish;

	/* A stop cannot be undone: the file has its end. */
	if (atomic_load(wanted) == WISH_STOP)
		return fail(task, "the recording was stopped: it cannot go on");
	atomic_store(wanted, wish);
	answer_good(task->answer);
}

/* The file's figures, after what was asked for is done. */
static void put_written(struct task *task, const struct live *live)
{
	struct written written = {
		.file = (char *)task->file,
		.insns = live_insns_in_file(live),
		.bytes = atomic_load(&live->recording->chunks.bytes),
	};

	answer_good(task->answer);
	written_put(task->answer, &written);
}

static void flush(struct task *task, const struct live *live)
{
	struct recording *rec = live->recording;
	struct wm_error err;

	if (!live->reported)
		fail(task, "no program has begun yet");
	else if (!rec->keep.wanted)
		fail(task,
		     "whether this recording is kept is not known yet; a snapshot is");
	else if (!rec->out.sealed && live_flush(live, &err))
		fail(task, err.text);
	else
		put_written(task, live);
}

static void stop(struct task *task, const struct live *live)
{
	struct wm_error err;

	if (!live->reported)
		fail(task, "no program has begun yet");
	else if (live->recording->out.sealed)
		fail(task, "the recording was stopped before");
	else if (live_stop(live, &err))
		fail(task, err.text);
	else
		put_written(task, live);
}

/* Changes which events are wanted, if there is an argument; answers which are. */
static void set_events(struct task *task, const struct live *live)
{
	struct eventlog *events = &live->recording->events;
	const char *argument = task->request->argument;
	uint64_t mask;
	char *end;

	errno = 0;
	mask = strtoull(argument, &end, 10);
	/* strtoull() accepts a sign; "-1" would be all events. */
	if (*argument && (errno || *end || *argument == '-')) {
		fail(task, "that is no set of events");
		return;
	}
	if (*argument)
		eventlog_want(events, mask);
	answer_good(task->answer);
	buf_put_varint(task->answer, eventlog_wanted(events));
}

/* Whether a request changes something. */
static bool is_order(const struct request *request)
{
	/* Without an argument `ctl events` only asks. */
	if (request->kind == REQUEST_EVENTS)
		return *request->argument;
	return request->kind != REQUEST_STATUS && request->kind != REQUEST_SAMPLE;
}

/* A request that changes something is an event, noted before it is done. */
static void note(const struct task *task, const struct live *live)
{
	struct recording *rec = live->recording;
	const char *word = request_names[task->request->kind];

	/* Before a plugin has started there is no file to note it in. */
	if (live->reported && is_order(task->request))
		eventlog_say(&rec->events, &rec->out, WM_EVENT_CTL, clock_ns(), word,
			     strlen(word));
}

static void run_task(struct errand *errand, const struct live *live)
{
	struct task *task = (struct task *)errand; /* it is its first member */

	note(task, live);
	switch (task->request->kind) {
	case REQUEST_EVENTS:
		set_events(task, live);
		break;
	case REQUEST_STATUS:
		put_status(task, live);
		break;
	/* A client draws its screen from one answer, so a sample contains the status. */
	case REQUEST_SAMPLE:
		if (put_status(task, live))
			put_sample(task, live);
		break;
	case REQUEST_ON:
		set_wish(task, live, WISH_ON);
		break;
	case REQUEST_OFF:
		set_wish(task, live, WISH_OFF);
		break;
	case REQUEST_STOP:
		stop(task, live);
		break;
	case REQUEST_FLUSH:
		flush(task, live);
		break;
	/* A snapshot never comes here: see command_run(). */
	default:
		fail(task, "the recorder knows no such command");
	}
}

/* ---- snapshots ----------------------------------------------------------- */

#define SNAPSHOTS_MAX 10000 /* that are numbered */

static bool is_same_file(const char *a, const char *b)
{
	struct stat one, other;

	return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

/* "run.1.wmk" beside "run.wmk", or the next number that is free. */
static bool name_snapshot(char *path, size_t size, const char *file)
{
	size_t length = strlen(file);

	if (length > 4 && !strcmp(file + length - 4, ".wmk"))
		length -= 4;
	/* Requests come one at a time, so no other snapshot takes the name meanwhile. */
	for (unsigned i = 1; i <= SNAPSHOTS_MAX; i++)
		if (snprintf(path, size, "%.*s.%u.wmk", (int)length, file, i) <
			    (int)size &&
		    access(path, F_OK) != 0)
			return true;
	return false;
}

static void take_snapshot(struct collector *collector, struct task *task)
{
	const char *wanted = task->request->argument;
	char path[REQUEST_BYTES_MAX];
	struct snapshot snapshot;
	struct wm_error err;

	/* It is absolute: request_parse() has checked that. */
	if (*wanted)
		snprintf(path, sizeof(path), "%s", wanted);
	else if (!name_snapshot(path, sizeof(path), task->file))
		return fail(task, "there is no free name for a snapshot");
	/*
	 * By device and inode: two names may be one file, through a link or another
	 * directory.
	 */
	if (is_same_file(path, task->file))
		return fail(task, "a snapshot must not replace the recording itself");
	if (snapshot_write(&snapshot, collector, path, &err))
		return fail(task, err.text);
	answer_good(task->answer);
	written_put(task->answer,
		    &(struct written){ path, snapshot.insns, snapshot.bytes });
}

void command_run(struct collector *collector, const char *file, uint32_t asker,
		 const struct request *request, struct buf *answer)
{
	struct task task = { { run_task }, request, file, asker, answer };

	answer->failed = false;
	if (request->kind == REQUEST_SNAPSHOT)
		take_snapshot(collector, &task);
	else if (!collector_ask(collector, &task.errand))
		fail(&task, "the recording has ended");
}
