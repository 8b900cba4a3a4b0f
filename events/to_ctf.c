// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a directory in the Common Trace Format, version 1.8.3 (diamon.org/ctf).
 *
 * A file `metadata` describes in TSDL what events look like. There is a file for each
 * stream: each thread's, each process's for events without a thread, and the recorder's
 * own. A stream is a sequence of packets:
 *
 *	magic:32 stream:32 begin:64 end:64 content:64 packet:64	a header of 40 bytes
 *	id:32 time:64 pid:32 tid:32 fields			events, up to about 64 KiB
 *
 * Times in a stream may not go back; where they would, by microseconds, the time of the
 * event before is used. A stream's file is opened for each packet, so that a program of
 * any number of threads needs no more than one open file.
 *
 * Invariant: `events` has whole events only, of the time from begin_ns to last_ns.
 */
#include "events/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/append.h"
#include "base/clock.h"

#define CTF_MAGIC 0xc1fc1fc1
/*
 * Large enough that opening the file costs little, small enough for thousands of threads.
 */
#define PACKET_BYTES (64u << 10)
#define HEADER_BYTES (2 * 4 + 4 * 8) /* of a packet, with its context */

enum { NS = 1000000000 };

struct ctf_stream {
	char file[32];
	struct buf events; /* of the packet to come */
	uint64_t begin_ns, last_ns;
};

struct ctf_list {
	struct ctf_stream *streams; /* [n] by index; without a file: none yet */
	uint32_t n;
};

struct ctf {
	int dir;
	const char *path;
	struct ctf_list threads, processes; /* processes: 0 is the recorder */
	int error;			    /* errno of the first failure, or 0 */
};

/* ---- metadata ------------------------------------------------------------ */

/* An enumeration of TSDL; a number without a word is shown as a number. */
static void put_words(FILE *out, const struct event_field *field)
{
	fputs("enum : uint64_t { ", out);
	for (unsigned i = 0; i < field->n_words; i++)
		fprintf(out, "%s\"%s\" = %u", i ? ", " : "", field->words[i], i);
	fputs(" }", out);
}

static void put_type(FILE *out, const struct event_field *field)
{
	/*
	 * Names of calls and signals depend on the guest, which the metadata cannot
	 * express, so these fields stay numbers.
	 */
	switch (field->type) {
	case FIELD_UNSIGNED:
	case FIELD_CALL:
	case FIELD_SIGNAL:
		fputs("uint64_t", out);
		break;
	case FIELD_SIGNED:
		fputs("int64_t", out);
		break;
	case FIELD_HEX:
		fputs("hex64_t", out);
		break;
	case FIELD_WORDS:
		put_words(out, field);
		break;
	case FIELD_TEXT:
		fputs("string", out);
		break;
	}
}

/*
 * Some names are TSDL's own words; with an underscore, which readers take off, none is.
 */
static void put_event(FILE *out, const struct event_info *info)
{
	fprintf(out, "event {\n\tname = \"%s\";\n\tid = %" PRIu32 ";\n\tstream_id = 0;\n",
		info->name, info->number);
	fputs("\tfields := struct {\n", out);
	for (const struct event_field *field = info->fields; field->name; field++) {
		fputs("\t\t", out);
		put_type(out, field);
		fprintf(out, " _%s;\n", field->name);
	}
	fputs("\t};\n};\n\n", out);
}

/* What the monotonic clock's zero was in seconds since 1970. */
static void put_clock(FILE *out)
{
	struct timespec now;
	uint64_t zero_ns;

	/*
	 * Both clocks are read within a microsecond; the difference is the time of boot.
	 */
	clock_gettime(CLOCK_REALTIME, &now);
	zero_ns = (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec - clock_ns();
	fprintf(out,
		"clock {\n\tname = monotonic;\n\tfreq = %d;\n\toffset_s = %" PRIu64
		";\n\toffset = %" PRIu64 ";\n};\n\n",
		NS, zero_ns / NS, zero_ns % NS);
}

static void put_metadata(FILE *out)
{
	const struct event_info *info;

	/* All integers are aligned to bytes, so events are not padded. */
	fputs("/* CTF 1.8 */\n\n"
	      "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	      "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	      "typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
	      "typealias integer { size = 64; align = 8; signed = false; base = hex; } := "
	      "hex64_t;\n\n"
	      "trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
	      "\tpacket.header := struct { uint32_t magic; uint32_t stream_id; };\n};\n\n"
	      "env {\n\tdomain = \"waymark\";\n\ttracer_name = \"waymark\";\n};\n\n",
	      out);
	put_clock(out);
	fputs("typealias integer { size = 64; align = 8; signed = false; "
	      "map = clock.monotonic.value; } := clock_t;\n\n"
	      "stream {\n\tid = 0;\n"
	      "\tpacket.context := struct { clock_t timestamp_begin; clock_t "
	      "timestamp_end; uint64_t content_size; uint64_t packet_size; };\n"
	      "\tevent.header := struct { uint32_t id; clock_t timestamp; };\n"
	      "\tevent.context := struct { uint32_t _pid; uint32_t _tid; };\n};\n\n",
	      out);
	for (unsigned i = 0; (info = event_info_at(i)); i++)
		put_event(out, info);
}

/* ---- files --------------------------------------------------------------- */

static FILE *open_file(const struct ctf *ctf, const char *name)
{
	int fd = openat(ctf->dir, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "a");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

/* The first failure is kept; what follows is mostly its consequence. */
static void note_failure(struct ctf *ctf, bool failed)
{
	if (failed && !ctf->error)
		ctf->error = errno;
}

static void flush(struct ctf *ctf, struct ctf_stream *stream)
{
	/* CTF counts in bits. */
	uint64_t bits = 8 * (HEADER_BYTES + (uint64_t)stream->events.len);
	uint8_t header[HEADER_BYTES], *at = header;
	FILE *file = stream->events.len ? open_file(ctf, stream->file) : NULL;

	if (stream->events.failed)
		errno = ENOMEM;
	note_failure(ctf, stream->events.failed || (stream->events.len && !file));
	at = put_u32(at, CTF_MAGIC);
	/* Stream id 0: all streams have the same kind of events. */
	at = put_u32(at, 0);
	at = put_u64(at, stream->begin_ns);
	at = put_u64(at, stream->last_ns);
	at = put_u64(at, bits);
	put_u64(at, bits);
	if (file) {
		fwrite(header, sizeof(header), 1, file);
		fwrite(stream->events.data, stream->events.len, 1, file);
		note_failure(ctf, fclose(file) != 0);
	}
	/*
	 * Empty again, also after a failure: memory must not grow with what cannot be
	 * written.
	 */
	stream->events.len = 0;
	stream->events.failed = false;
}

static void flush_list(struct ctf *ctf, struct ctf_list *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		flush(ctf, &list->streams[i]);
		buf_fini(&list->streams[i].events);
	}
	free(list->streams);
}

static int close_ctf(void *state, struct wm_error *err)
{
	struct ctf *ctf = state;
	int error;

	flush_list(ctf, &ctf->threads);
	flush_list(ctf, &ctf->processes);
	if (ctf->dir >= 0)
		close(ctf->dir);
	error = ctf->error;
	errno = error;
	if (error)
		wm_fail_errno(err, "cannot write to %s", ctf->path);
	free(ctf);
	return error ? WM_E_IO : 0;
}

/* A directory with nothing in it yet: what is old in one would be read with the new. */
static int open_dir(struct ctf *ctf, struct wm_error *err)
{
	if (mkdir(ctf->path, 0777) < 0) {
		if (errno != EEXIST)
			return wm_fail_errno(err, "cannot make %s", ctf->path);
		if (rmdir(ctf->path) < 0 || mkdir(ctf->path, 0777) < 0)
			return wm_fail(err, WM_E_IO, 0,
				       "%s is there already, and not empty", ctf->path);
	}
	ctf->dir = open(ctf->path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	return ctf->dir < 0 ? wm_fail_errno(err, "cannot open %s", ctf->path) : 0;
}

static int open_ctf(void **state, const char *argument, struct wm_error *err)
{
	struct ctf *ctf = calloc(1, sizeof(*ctf));
	FILE *metadata = NULL;
	int ret;

	if (!ctf)
		return wm_fail_nomem(err, "CTF");
	ctf->dir = -1;
	ctf->path = argument;
	ret = open_dir(ctf, err);
	if (!ret)
		metadata = open_file(ctf, "metadata");
	if (metadata)
		put_metadata(metadata);
	if (!ret && (!metadata || fclose(metadata)))
		ret = wm_fail_errno(err, "cannot write to %s", ctf->path);
	if (ret)
		close_ctf(ctf, NULL);
	else
		*state = ctf;
	return ret;
}

/* ---- events -------------------------------------------------------------- */

/* The list's stream `index`; NULL without memory. */
static struct ctf_stream *find(struct ctf_list *list, uint32_t index)
{
	/* Indexes of threads are dense, so an array serves. */
	while (list->n <= index) {
		struct ctf_stream none = { .file = "" };

		if (!APPEND(list->streams, list->n, none))
			return NULL;
	}
	return &list->streams[index];
}

static struct ctf_stream *stream_of(struct ctf *ctf, const struct event_record *record)
{
	bool of_thread = record->thread != EVENT_NONE;
	uint32_t index = of_thread ? record->thread : record->process + 1;
	struct ctf_stream *stream =
		find(of_thread ? &ctf->threads : &ctf->processes, index);

	if (!stream || stream->file[0])
		return stream;
	if (of_thread)
		snprintf(stream->file, sizeof(stream->file), "thread-%" PRIu32, index);
	else if (index)
		snprintf(stream->file, sizeof(stream->file), "process-%" PRIu32,
			 index - 1);
	else
		snprintf(stream->file, sizeof(stream->file), "recorder");
	return stream;
}

static void put(void *state, const struct event_info *info,
		const struct event_record *record, const struct kernel *kernel)
{
	struct ctf *ctf = state;
	struct ctf_stream *stream = stream_of(ctf, record);
	struct buf *events;

	(void)kernel;
	/* The only failure so far is that of memory, in find(). */
	errno = ENOMEM;
	note_failure(ctf, !stream);
	if (ctf->error)
		return;
	events = &stream->events;
	if (record->ns > stream->last_ns)
		stream->last_ns = record->ns;
	/* The first event of a packet sets its begin. */
	if (!events->len)
		stream->begin_ns = stream->last_ns;
	buf_put_u32(events, record->kind);
	buf_put_u64(events, stream->last_ns);
	buf_put_u32(events, record->pid);
	buf_put_u32(events, record->tid);
	for (unsigned i = 0; i < record->n; i++)
		buf_put_u64(events, record->fields[i]);
	if (event_text_field(info)) { /* up to its first NUL */
		buf_put(events, record->text, strnlen(record->text, record->text_bytes));
		buf_put_u8(events, 0);
	}
	if (events->len >= PACKET_BYTES)
		flush(ctf, stream);
}

const struct backend backend_ctf = {
	.name = "ctf",
	.takes = "DIR",
	.needs = true,
	.open = open_ctf,
	.put = put,
	.close = close_ctf,
};
