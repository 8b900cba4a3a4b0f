// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What goes over a recorder's socket, in both directions: a request is a line of text, an
 * answer is a version, a flag (0: done, 1: refused), and then fields as varints and
 * strings. Neither end trusts the other: anybody can send a line, and an answer is read
 * with every count checked before memory is allocated for it.
 *
 * Each put function has a get function that reads the same fields in the same order;
 * ANSWER_VERSION changes when a field does. Example: the refusal "no" is the bytes 01 01
 * 02 6e 6f, if the version is 1.
 *
 * A get function that fails leaves nothing to free.
 */
#include "collect/requests.h"

#include <stdlib.h>
#include <string.h>

const char *const request_names[REQUESTS] = {
	"status", "sample", "on", "off", "stop", "flush", "snapshot", "events",
};

static bool takes_argument(enum request_kind kind)
{
	return kind == REQUEST_SNAPSHOT || kind == REQUEST_EVENTS;
}

bool request_parse(struct request *request, const char *line, struct wm_error *err)
{
	size_t length = strcspn(line, " ");
	const char *argument = line + length + (line[length] == ' ');
	unsigned kind = 0;

	/* The whole word must match: "stat" is not "status". */
	while (kind < REQUESTS && (strncmp(request_names[kind], line, length) != 0 ||
				   request_names[kind][length]))
		kind++;
	*request = (struct request){ kind, argument };
	if (kind == REQUESTS)
		wm_fail(err, WM_E_RANGE, 0, "the recorder knows no such command");
	/* Most likely a typing error, which would be hidden otherwise. */
	else if (*argument && !takes_argument(kind))
		wm_fail(err, WM_E_RANGE, 0, "%s takes no argument", request_names[kind]);
	/*
	 * A relative path would be relative to the recorder's directory, not the
	 * client's.
	 */
	else if (kind == REQUEST_SNAPSHOT && *argument && *argument != '/')
		wm_fail(err, WM_E_RANGE, 0, "a snapshot's path must be absolute");
	else
		return true;
	return false;
}

/* ---- what every answer begins with --------------------------------------- */

void answer_good(struct buf *answer)
{
	/* The buffer may have another answer, which this one replaces. */
	answer->len = 0;
	buf_put_u8(answer, ANSWER_VERSION);
	buf_put_u8(answer, 0);
}

void answer_bad(struct buf *answer, const char *why)
{
	answer->len = 0;
	buf_put_u8(answer, ANSWER_VERSION);
	buf_put_u8(answer, 1);
	buf_put_string(answer, why);
}

int answer_open(struct span *answer, struct wm_error *err)
{
	uint8_t version = span_u8(answer), bad = span_u8(answer);
	char *why;

	/*
	 * The recorder was killed, or it closed the connection at its limit of clients.
	 */
	if (answer->failed)
		return wm_fail(err, WM_E_IO, 0, "the recorder gave no answer");
	/* Before the flag is used: in another version it may be elsewhere. */
	if (version != ANSWER_VERSION)
		return wm_fail(err, WM_E_FORMAT, 0, "the recorder is of another version");
	if (!bad)
		return 0;
	/* The text is the recorder's own; it is for the user, as it is. */
	why = span_string(answer);
	wm_fail(err, WM_E_RANGE, 0, "%s", why && *why ? why : "the recorder refused");
	free(why);
	return WM_E_RANGE;
}

/* A string; NULL has failed. */
static char *get_string(struct span *span)
{
	char *text = span_string(span);

	span->failed |= !text;
	return text;
}

static uint32_t get_u32(struct span *span)
{
	uint64_t value = span_varint(span);

	/* A value that does not fit is an error, never truncated. */
	span->failed |= value > UINT32_MAX;
	return span->failed ? 0 : (uint32_t)value;
}

/* Reads a count of at most `most` and allocates that many, zeroed; NULL on failure. */
static void *get_array(struct span *span, uint32_t *n, uint32_t most, size_t size)
{
	uint32_t count = get_u32(span);
	void *array = NULL;

	*n = 0;
	/*
	 * `most` bounds the allocation; the 1 makes an empty array a pointer that is not
	 * NULL.
	 */
	if (!span->failed && count <= most)
		array = calloc(count + 1ul, size);
	if (array)
		*n = count;
	else
		span->failed = true;
	return array;
}

/* ---- status -------------------------------------------------------------- */

/* The number listed; all_processes counts all of them. */
static void put_processes(struct buf *answer, const struct status *status)
{
	buf_put_varint(answer, status->n_processes);
	for (uint32_t i = 0; i < status->n_processes; i++) {
		const struct status_process *process = &status->processes[i];

		buf_put_varint(answer, process->index);
		buf_put_varint(answer, process->pid);
		buf_put_u8(answer, process->is_inside);
		buf_put_string(answer, process->path);
	}
}

static void put_threads(struct buf *answer, const struct status *status)
{
	buf_put_varint(answer, status->n_threads);
	for (uint32_t i = 0; i < status->n_threads; i++) {
		const struct status_thread *thread = &status->threads[i];

		buf_put_varint(answer, thread->process);
		buf_put_varint(answer, thread->vcpu);
		buf_put_varint(answer, thread->tid);
		buf_put_varint(answer, thread->insns);
		buf_put_varint(answer, thread->blocks);
		buf_put_string(answer, thread->name);
	}
}

/* In the order in which status_get() reads; a change needs a new ANSWER_VERSION. */
void status_put(struct buf *answer, const struct status *status)
{
	buf_put_varint(answer, status->pid);
	buf_put_string(answer, status->file);
	buf_put_varint(answer, status->elapsed_ns);
	buf_put_varint(answer, status->state);
	buf_put_varint(answer, status->insns);
	buf_put_varint(answer, status->blocks);
	buf_put_varint(answer, status->bytes);
	buf_put_varint(answer, status->windows);
	buf_put_varint(answer, status->filtered);
	buf_put_varint(answer, status->all_processes);
	buf_put_varint(answer, status->all_threads);
	put_processes(answer, status);
	put_threads(answer, status);
}

static void get_processes(struct span *answer, struct status *status)
{
	status->processes = get_array(answer, &status->n_processes, STATUS_PROCESSES_MAX,
				      sizeof(*status->processes));
	/* After a failure n_processes is 0. */
	for (uint32_t i = 0; i < status->n_processes; i++) {
		struct status_process *process = &status->processes[i];

		process->index = get_u32(answer);
		process->pid = get_u32(answer);
		process->is_inside = span_u8(answer);
		process->path = get_string(answer);
	}
}

static void get_threads(struct span *answer, struct status *status)
{
	status->threads = get_array(answer, &status->n_threads, STATUS_THREADS_MAX,
				    sizeof(*status->threads));
	for (uint32_t i = 0; i < status->n_threads; i++) {
		struct status_thread *thread = &status->threads[i];

		thread->process = get_u32(answer);
		thread->vcpu = get_u32(answer);
		thread->tid = get_u32(answer);
		thread->insns = span_varint(answer);
		thread->blocks = span_varint(answer);
		thread->name = get_string(answer);
	}
}

bool status_get(struct span *answer, struct status *status)
{
	/* A failed span gives zeros, so the result is checked once, at the end. */
	*status = (struct status){ .pid = get_u32(answer) };
	status->file = get_string(answer);
	status->elapsed_ns = span_varint(answer);
	status->state = get_u32(answer);
	status->insns = span_varint(answer);
	status->blocks = span_varint(answer);
	status->bytes = span_varint(answer);
	status->windows = get_u32(answer);
	status->filtered = span_varint(answer);
	status->all_processes = get_u32(answer);
	status->all_threads = get_u32(answer);
	get_processes(answer, status);
	get_threads(answer, status);
	/* The state indexes an array of names. */
	if (!answer->failed && status->state < STATES)
		return true;
	/* Frees what was read before the failure. */
	status_fini(status);
	return false;
}

/* A second call does nothing. */
void status_fini(struct status *status)
{
	for (uint32_t i = 0; i < status->n_processes; i++)
		free(status->processes[i].path);
	for (uint32_t i = 0; i < status->n_threads; i++)
		free(status->threads[i].name);
	free(status->processes);
	free(status->threads);
	free(status->file);
	*status = (struct status){ 0 };
}

/* ---- samples ------------------------------------------------------------- */

void sample_put(struct buf *answer, const struct sample *sample)
{
	/* Of all blocks, also of those that are not in the list. */
	buf_put_varint(answer, sample->insns);
	buf_put_varint(answer, sample->n);
	for (uint32_t i = 0; i < sample->n; i++) {
		const struct sample_block *block = &sample->blocks[i];

		buf_put_varint(answer, block->id);
		buf_put_varint(answer, block->process);
		buf_put_varint(answer, block->insns);
		buf_put_varint(answer, block->count);
	}
}

bool sample_get(struct span *answer, struct sample *sample)
{
	*sample = (struct sample){ .insns = span_varint(answer) };
	sample->blocks =
		get_array(answer, &sample->n, SAMPLE_ROWS_MAX, sizeof(*sample->blocks));
	for (uint32_t i = 0; i < sample->n; i++) {
		struct sample_block *block = &sample->blocks[i];

		block->id = get_u32(answer);
		block->process = get_u32(answer);
		block->insns = get_u32(answer);
		block->count = span_varint(answer);
	}
	if (!answer->failed)
		return true;
	sample_fini(sample);
	return false;
}

void sample_fini(struct sample *sample)
{
	free(sample->blocks);
	*sample = (struct sample){ 0 };
}

/* ---- files --------------------------------------------------------------- */

void written_put(struct buf *answer, const struct written *written)
{
	buf_put_string(answer, written->file);
	buf_put_varint(answer, written->insns);
	buf_put_varint(answer, written->bytes);
}

bool written_get(struct span *answer, struct written *written)
{
	*written = (struct written){ .file = get_string(answer) };
	written->insns = span_varint(answer);
	written->bytes = span_varint(answer);
	if (!answer->failed)
		return true;
	/* Only the name was allocated. */
	free(written->file);
	return false;
}
