// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a trace of QEMU's own events and puts it into the order of time.
 *
 * QEMU's threads read the clock before they reserve room in the buffer, so records are
 * nearly in the order of their times. A heap of SIMPLETRACE_WINDOW records sorts them:
 * the file is scanned that far ahead, and the earliest record of the heap is the next
 * one.
 *
 *	file	5 7 6 9 8	heap of 2: {5,7} gives 5, {7,6} gives 6, {7,9} gives 7, ...
 *
 * Invariant: the heap has every record that was scanned and not returned. It has only
 * time, offset and length; a record is read again when its turn comes. What the file
 * states is never a size to allocate, except for names, which have limits.
 */
#include "events/simpletrace.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum {
	TYPE_NAME = 0,
	TYPE_EVENT = 1,
	HEADER_BYTES = 24,
	TYPE_BYTES = 8,
	NAME_BYTES = 12,  /* of a name, without it */
	EVENT_BYTES = 24, /* of an event, without its arguments */
	VIEW_BYTES = 1 << 16,
	WORD_TEXT = 19, /* " 0x0123456789abcdef" */
	TEXT_BYTES = SIMPLETRACE_NAME + 32 + (SIMPLETRACE_LENGTH / 8 + 1) * WORD_TEXT,
};

/* A window on the file. */
struct view {
	uint64_t off;
	size_t bytes;
	uint8_t data[VIEW_BYTES];
};

/* An event that was scanned, and not returned yet. */
struct held {
	uint64_t ns, off; /* of its id */
	uint32_t length;
};

struct simpletrace {
	int fd;
	uint64_t bytes, at;	    /* of the file; up to where it was scanned */
	struct view ahead, at_turn; /* of the scan, and of the record that is returned */
	struct held heap[SIMPLETRACE_WINDOW];
	size_t n;
	int end; /* WM_END or an error, when nothing more can be scanned */
	struct wm_error why;
	struct simpletrace_notes notes;
	const struct declarations *declarations; /* or NULL */
	char *names[SIMPLETRACE_IDS];
	char text[TEXT_BYTES];
};

/* ---- the file ------------------------------------------------------------ */

/*
 * The trace is read on the machine that wrote it: check_header() refuses the other byte
 * order.
 */
static uint32_t get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t get64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Fills the view from `off` on, with `bytes` at least, which the file had. */
static int fill(const struct simpletrace *trace, struct view *view, uint64_t off,
		size_t bytes, struct wm_error *err)
{
	/*
	 * A view that could not be filled has nothing, so that the next look fills it
	 * again.
	 */
	view->off = off;
	view->bytes = 0;
	while (view->bytes < bytes) {
		ssize_t n = pread(trace->fd, view->data + view->bytes,
				  sizeof(view->data) - view->bytes,
				  (off_t)(off + view->bytes));

		if (n < 0 && errno != EINTR)
			return wm_fail_errno(err, "cannot read QEMU's trace");
		if (!n)
			return wm_fail(err, WM_E_IO, off,
				       "the file has become shorter meanwhile");
		view->bytes += n > 0 ? (size_t)n : 0;
	}
	return WM_OK;
}

/* *data becomes the bytes from `off` on, which must be in the file and fit a view. */
static int look(const struct simpletrace *trace, struct view *view, uint64_t off,
		size_t bytes, const uint8_t **data, struct wm_error *err)
{
	int ret = WM_OK;

	/* The bytes must lie in the view as a whole. */
	if (off < view->off || off - view->off > view->bytes ||
	    view->bytes - (size_t)(off - view->off) < bytes)
		ret = fill(trace, view, off, bytes, err);
	*data = view->data + (off - view->off);
	return ret;
}

/* ---- the heap ------------------------------------------------------------ */

/* Records with the same time stay in the order of the file. */
static bool is_before(const struct held *one, const struct held *other)
{
	return one->ns != other->ns ? one->ns < other->ns : one->off < other->off;
}

static void push(struct simpletrace *trace, struct held held)
{
	/* The hole moves up from the end until its parent comes before the new record. */
	size_t at = trace->n++;

	for (; at && is_before(&held, &trace->heap[(at - 1) / 2]); at = (at - 1) / 2)
		trace->heap[at] = trace->heap[(at - 1) / 2];
	trace->heap[at] = held;
}

static struct held pop(struct simpletrace *trace)
{
	/* The last record fills the hole, which moves down from the top. */
	struct held *heap = trace->heap, first = heap[0], last = heap[--trace->n];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < trace->n) {
		if (child + 1 < trace->n && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return first;
}

/* ---- scanning ------------------------------------------------------------ */

static int damaged(const struct simpletrace *trace, struct wm_error *err,
		   const char *what, uint64_t value)
{
	return wm_fail(err, WM_E_DAMAGED, trace->at,
		       "QEMU's trace is damaged: a record %s %" PRIu64, what, value);
}

/* *data becomes the next `bytes` bytes; WM_END when the file does not have them. */
static int ahead(struct simpletrace *trace, size_t bytes, const uint8_t **data,
		 struct wm_error *err)
{
	if (trace->bytes - trace->at < bytes) {
		trace->notes.cut_off = trace->at;
		return WM_END;
	}
	return look(trace, &trace->ahead, trace->at, bytes, data, err);
}

static bool is_name(const uint8_t *name, size_t bytes)
{
	/*
	 * Names go to a terminal and into a CSV file, so only these characters are
	 * allowed.
	 */
	for (size_t i = 0; i < bytes; i++)
		if (!isalnum(name[i]) && !strchr("_-.", name[i] ? name[i] : ' '))
			return false;
	return bytes;
}

/* QEMU never gives an id two names: another name means damage. */
static int keep_name(struct simpletrace *trace, uint64_t id, const uint8_t *name,
		     size_t bytes, struct wm_error *err)
{
	char **place = &trace->names[id];

	if (*place && (strlen(*place) != bytes || memcmp(*place, name, bytes)))
		return damaged(trace, err, "has another name for id", id);
	if (!*place)
		*place = strndup((const char *)name, bytes);
	return *place ? WM_OK : wm_fail_nomem(err, "the names of QEMU's events");
}

static int scan_name(struct simpletrace *trace, struct wm_error *err)
{
	const uint8_t *data;
	uint64_t id;
	uint32_t bytes;
	/* The fixed part of the record first: it has the length of the rest. */
	int ret = ahead(trace, TYPE_BYTES + NAME_BYTES, &data, err);

	if (ret)
		return ret;
	id = get64(data + TYPE_BYTES);
	bytes = get32(data + TYPE_BYTES + 8);
	/* Each limit is checked before the number is used as an index or as a length. */
	if (id >= SIMPLETRACE_IDS)
		return damaged(trace, err, "names the event of id", id);
	if (bytes > SIMPLETRACE_NAME)
		return damaged(trace, err, "has a name whose length is", bytes);
	ret = ahead(trace, TYPE_BYTES + NAME_BYTES + bytes, &data, err);
	if (ret)
		return ret;
	data += TYPE_BYTES + NAME_BYTES;
	if (!is_name(data, bytes))
		return damaged(trace, err, "has what is no name for id", id);
	ret = keep_name(trace, id, data, bytes, err);
	trace->at += TYPE_BYTES + NAME_BYTES + bytes;
	return ret;
}

static int scan_event(struct simpletrace *trace, struct wm_error *err)
{
	const uint8_t *data;
	struct held held;
	int ret = ahead(trace, TYPE_BYTES + EVENT_BYTES, &data, err);

	/* The same here: the length lies in the fixed part. */
	if (ret)
		return ret;
	data += TYPE_BYTES;
	held = (struct held){ get64(data + 8), trace->at + TYPE_BYTES, get32(data + 16) };
	/* The length is the record's from its id on. */
	if (held.length < EVENT_BYTES || held.length > SIMPLETRACE_LENGTH)
		return damaged(trace, err, "has a length of", held.length);
	ret = ahead(trace, TYPE_BYTES + held.length, &data, err);
	if (ret)
		return ret;
	push(trace, held);
	trace->at += TYPE_BYTES + held.length;
	return WM_OK;
}

static int scan(struct simpletrace *trace, struct wm_error *err)
{
	const uint8_t *data;
	int ret;

	/* The end between two records is the only clean one. */
	if (trace->at == trace->bytes)
		return WM_END;
	ret = ahead(trace, TYPE_BYTES, &data, err);
	if (ret)
		return ret;
	if (get64(data) == TYPE_NAME)
		return scan_name(trace, err);
	if (get64(data) == TYPE_EVENT)
		return scan_event(trace, err);
	return damaged(trace, err, "is of type", get64(data));
}

/* ---- returning ----------------------------------------------------------- */

/* Appends arguments as words of 8 bytes, and what is left over as single bytes. */
static size_t print_words(char *text, size_t used, const uint8_t *data, size_t bytes)
{
	/* A declaration is missing, so nothing is known of the types. */
	size_t i = 0;

	for (; bytes - i >= 8; i += 8)
		used += (size_t)sprintf(text + used, " 0x%" PRIx64, get64(data + i));
	for (size_t j = i; j < bytes; j++)
		used += (size_t)sprintf(text + used, j == i ? " %02x" : "%02x", data[j]);
	return used;
}

/* An event whose name's record was lost, or comes later in the file, has a number. */
static size_t print_name(struct simpletrace *trace, uint64_t id)
{
	const char *name = id < SIMPLETRACE_IDS ? trace->names[id] : NULL;

	if (name)
		return (size_t)sprintf(trace->text, "%s", name);
	if (id == SIMPLETRACE_DROPPED)
		return (size_t)sprintf(trace->text, "dropped");
	trace->notes.nameless++;
	return (size_t)sprintf(trace->text, "event-%" PRIu64, id);
}

/*
 * Appends arguments as QEMU's log prints them, if the event is declared; else as words.
 */
static size_t print_arguments(struct simpletrace *trace, size_t used, const uint8_t *data,
			      size_t bytes)
{
	const struct declaration *declaration = NULL;
	size_t n = SIZE_MAX;

	/* The name is the text so far. */
	if (trace->declarations)
		declaration = declarations_find(trace->declarations, trace->text);
	if (declaration)
		/* One byte for the blank, one for the NUL. */
		n = declaration_print(declaration, trace->text + used + 1,
				      sizeof(trace->text) - used - 2, data, bytes);
	if (n == SIZE_MAX)
		return print_words(trace->text, used, data, bytes);
	trace->text[used] = ' ';
	trace->text[used + 1 + n] = 0;
	return used + 1 + n;
}

void simpletrace_declare(struct simpletrace *trace,
			 const struct declarations *declarations)
{
	trace->declarations = declarations;
}

int simpletrace_next(struct simpletrace *trace, struct simpletrace_event *event,
		     struct wm_error *err)
{
	const uint8_t *data;
	struct held held;
	uint64_t id;
	int ret;

	/*
	 * The heap is filled up before each return, so a record may come that much too
	 * early.
	 */
	while (!trace->end && trace->n < SIMPLETRACE_WINDOW)
		trace->end = scan(trace, &trace->why);
	/* What was scanned before damage is returned first; the error comes last. */
	if (!trace->n) {
		if (trace->end < 0 && err)
			*err = trace->why;
		return trace->end;
	}
	held = pop(trace);
	/* Not the scan's view, because records of the heap lie before it. */
	ret = look(trace, &trace->at_turn, held.off, held.length, &data, err);
	if (ret)
		return ret;
	id = get64(data);
	if (id == SIMPLETRACE_DROPPED && held.length >= EVENT_BYTES + 8)
		trace->notes.dropped += get64(data + EVENT_BYTES);
	*event = (struct simpletrace_event){ held.ns, get32(data + 20), trace->text, 0 };
	event->bytes = print_arguments(trace, print_name(trace, id), data + EVENT_BYTES,
				       held.length - EVENT_BYTES);
	return WM_OK;
}

const struct simpletrace_notes *simpletrace_notes(const struct simpletrace *trace)
{
	return &trace->notes;
}

/* ---- opening ------------------------------------------------------------- */

static int check_header(struct simpletrace *trace, struct wm_error *err)
{
	const uint8_t *data;
	uint64_t magic, version;
	int ret;

	if (trace->bytes < HEADER_BYTES)
		return wm_fail(err, WM_E_FORMAT, 0, "is too short for a trace of QEMU's");
	ret = look(trace, &trace->ahead, 0, HEADER_BYTES, &data, err);
	if (ret)
		return ret;
	magic = get64(data + 8);
	version = get64(data + 16);
	/* Checked first: all other checks would fail with a less helpful message. */
	if (magic == __builtin_bswap64(SIMPLETRACE_MAGIC))
		return wm_fail(
			err, WM_E_FORMAT, 0,
			"is a trace of a QEMU on a machine of the other byte order");
	if (get64(data) != SIMPLETRACE_HEADER || magic != SIMPLETRACE_MAGIC)
		return wm_fail(err, WM_E_FORMAT, 0,
			       "is no file of QEMU's trace back end \"simple\"");
	if (version != SIMPLETRACE_VERSION)
		return wm_fail(err, WM_E_FORMAT, 0,
			       "is a trace of QEMU's of version %" PRIu64
			       ", and only version %d can be read",
			       version, SIMPLETRACE_VERSION);
	trace->at = HEADER_BYTES;
	return WM_OK;
}

/* The size must be known and stay: a pipe cannot be read again. */
static int begin(struct simpletrace *trace, struct wm_error *err)
{
	struct stat stat;

	if (fstat(trace->fd, &stat) < 0)
		return wm_fail_errno(err, "cannot read QEMU's trace");
	if (!S_ISREG(stat.st_mode))
		return wm_fail(err, WM_E_FORMAT, 0, "is no regular file");
	trace->bytes = (uint64_t)stat.st_size;
	return check_header(trace, err);
}

int simpletrace_open(struct simpletrace **out, int fd, struct wm_error *err)
{
	struct simpletrace *trace = calloc(1, sizeof(*trace));
	int ret;

	*out = NULL;
	/* The descriptor was handed over, so it is closed on failure as well. */
	if (!trace) {
		close(fd);
		return wm_fail_nomem(err, "QEMU's trace");
	}
	trace->fd = fd;
	ret = begin(trace, err);
	if (ret)
		simpletrace_close(trace);
	else
		*out = trace;
	return ret;
}

void simpletrace_close(struct simpletrace *trace)
{
	if (!trace)
		return;
	close(trace->fd);
	for (size_t i = 0; i < SIMPLETRACE_IDS; i++)
		free(trace->names[i]);
	free(trace);
}
