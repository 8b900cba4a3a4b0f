// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A data directory of uftrace, as an archive of tar, because a format is one stream:
 *
 *	info		40 bytes of header, then "exename:" and the numbers of the threads
 *	task.txt	a session, and the threads in it
 *	sid-*.map	where in memory the program is
 *	PROGRAM.sym	names of functions by their addresses
 *	TID.dat		of each thread the begins and ends of its calls
 *
 * A record of a call has 16 bytes, little-endian:
 *
 *	time:64  type:2 (0 begins, 1 ends)  more:1  magic:3 (5)  depth:10  address:48
 *
 * Functions of all files get addresses here, 16 bytes from one to the next in the order of
 * their numbers, so that one table of symbols names them all. An instruction takes a
 * nanosecond. Calls more than 1,024 deep have no place in a record and are left out.
 *
 * An archive says how long a file is before it begins. So the records of a thread are
 * collected before they are written, which takes 32 bytes for each call that is shown.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/timeline.h"
#include "analysis/counted.h"
#include "base/buf.h"
#include "base/error.h"
#include "export/calls_format.h"
#include "out/tar.h"

enum { NAME = 64, DEPTH = 1024, MAGIC = 5, ENTRY = 0, EXIT = 1 };
enum { VERSION = 4, HEADER_BYTES = 40, LITTLE_ENDIAN_DATA = 1, CLASS_64 = 2 };
/* Bits of the header: there is task.txt, addresses are relative, the depth is bounded; */
enum { HAS_SESSIONS = 1 << 1, HAS_RELATIVE = 1 << 5, HAS_DEPTH = 1 << 6 };
/* and which lines follow it. */
enum { INFO_EXENAME = 1 << 0, INFO_TASKS = 1 << 7 };
#define SESSION "0000000000000001"
#define FIRST_ADDRESS UINT64_C(0x10000000)

struct writer {
	FILE *out;
	struct timeline timeline;
	char program[NAME]; /* its file's name, in letters that all readers take */
	struct buf file;    /* that is being made */
	unsigned thread;    /* plus 1, because 0 is no thread of uftrace's */
	uint32_t depth;	    /* of calls that are open */
	bool failed;	    /* no memory */
};

/* ---- the archive --------------------------------------------------------------------- */

/* Writes the file that was made, and begins the next one. */
static void put_file(struct writer *writer, const char *name)
{
	writer->failed |= writer->file.failed;
	if (!writer->failed)
		tar_put(writer->out, name, &writer->file);
}

__attribute__((format(printf, 2, 3))) static void put_text(struct writer *writer,
							   const char *format, ...)
{
	char *text;
	va_list args;
	int bytes;

	va_start(args, format);
	bytes = vasprintf(&text, format, args);
	va_end(args);
	if (bytes < 0) {
		writer->failed = true;
		return;
	}
	buf_put(&writer->file, text, (size_t)bytes);
	free(text);
}

/* ---- what is known before the calls ---------------------------------------------------- */

static void put_info(struct writer *writer, const struct selection *selection)
{
	struct buf *file = &writer->file;

	buf_put(file, "Ftrace!", 8);
	buf_put_u32(file, VERSION);
	buf_put_u8(file, HEADER_BYTES);
	buf_put_u8(file, 0);
	buf_put_u8(file, LITTLE_ENDIAN_DATA);
	buf_put_u8(file, CLASS_64);
	buf_put_u64(file, HAS_SESSIONS | HAS_RELATIVE | HAS_DEPTH);
	buf_put_u64(file, INFO_EXENAME | INFO_TASKS);
	buf_put_u64(file, DEPTH);
	put_text(writer, "exename:/%s\ntaskinfo:lines=2\ntaskinfo:nr_tid=%u\n",
		 writer->program, selection->n);
	put_text(writer, "taskinfo:tids=");
	for (unsigned i = 0; i < selection->n; i++)
		put_text(writer, "%s%u", i ? "," : "", selection->streams[i] + 1);
	put_text(writer, "\n");
	put_file(writer, "info");
}

/* All threads are of one session, whose table of symbols is everyone's. */
static void put_tasks(struct writer *writer, const struct selection *selection)
{
	unsigned first = selection->n ? selection->streams[0] + 1 : 1;

	put_text(writer,
		 "SESS timestamp=0.000000000 pid=%u sid=" SESSION " exename=\"/%s\"\n",
		 first, writer->program);
	for (unsigned i = 0; i < selection->n; i++)
		put_text(writer, "TASK timestamp=0.000000000 tid=%u pid=%u\n",
			 selection->streams[i] + 1, first);
	put_file(writer, "task.txt");
}

static uint64_t address_of(uint64_t entity)
{
	return FIRST_ADDRESS + entity * 16;
}

/* Readers take what is above the stack for the kernel. */
static void put_map(struct writer *writer)
{
	static const char columns[] = "00000000 00:00 0                          ";

	put_text(writer, "%" PRIx64 "-%" PRIx64 " r-xp %s/%s\n", FIRST_ADDRESS,
		 address_of(writer->timeline.names.n + 1ull), columns, writer->program);
	put_text(writer, "7ffffffde000-7ffffffff000 rw-p %s[stack]\n", columns);
	put_file(writer, "sid-" SESSION ".map");
}

static void put_symbols(struct writer *writer)
{
	const struct entity_names *names = &writer->timeline.names;
	char name[NAME + 8];

	put_text(writer, "# symbols: %" PRIu32 "\n# path name: /%s\n", names->n + 1,
		 writer->program);
	for (uint32_t i = 1; i <= names->n; i++)
		put_text(writer, "%016" PRIx64 " T %s\n", address_of(i) - FIRST_ADDRESS,
			 names->all[i]);
	put_text(writer, "%016" PRIx64 " ? __sym_end\n",
		 address_of(names->n + 1ull) - FIRST_ADDRESS);
	snprintf(name, sizeof(name), "%s.sym", writer->program);
	put_file(writer, name);
}

static void name_program(struct writer *writer)
{
	struct wm_space space = { .name = "" };
	const char *base;

	wm_trace_space(writer->timeline.subject->trace, 0, &space);
	base = counted_base_name(space.name);
	snprintf(writer->program, sizeof(writer->program), "%s",
		 base && *base ? base : "guest");
	for (char *at = writer->program; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("._+-", *at))
			*at = '_';
}

/* ---- calls ----------------------------------------------------------------------------- */

static void put_record(struct writer *writer, unsigned type, uint32_t entity,
		       uint64_t insn)
{
	buf_put_u64(&writer->file, insn);
	buf_put_u64(&writer->file, type | MAGIC << 3 | (uint64_t)writer->depth << 6 |
					   address_of(entity) << 16);
}

static void thread(void *cookie, unsigned thread, const struct wm_stream *stream)
{
	struct writer *writer = cookie;

	(void)stream;
	writer->thread = thread + 1;
	writer->depth = 0;
}

static void begin(void *cookie, uint32_t entity, uint64_t insn)
{
	struct writer *writer = cookie;

	if (writer->depth < DEPTH)
		put_record(writer, ENTRY, entity, insn);
	writer->depth++;
}

static void end(void *cookie, uint32_t entity, uint64_t insn)
{
	struct writer *writer = cookie;

	writer->depth--;
	if (writer->depth < DEPTH)
		put_record(writer, EXIT, entity, insn);
}

static void done(void *cookie, uint64_t insn)
{
	struct writer *writer = cookie;
	char name[NAME];

	(void)insn;
	snprintf(name, sizeof(name), "%u.dat", writer->thread);
	put_file(writer, name);
}

static bool more(void *cookie)
{
	const struct writer *writer = cookie;

	return !writer->failed && !writer->file.failed && !ferror(writer->out);
}

static int put_all(struct writer *writer, const struct selection *selection,
		   struct wm_error *err)
{
	static const struct timeline_sink sink = { thread, begin, end, done, more };
	int ret;

	name_program(writer);
	put_info(writer, selection);
	put_tasks(writer, selection);
	put_map(writer);
	put_symbols(writer);
	put_file(writer, "default.opts");
	ret = timeline_run(&writer->timeline, &sink, writer, err);
	if (!ret && writer->failed)
		ret = wm_fail_nomem(err, "a timeline");
	if (!ret)
		tar_end(writer->out);
	return ret;
}

static int write_all(FILE *out, struct calls_picture *picture, struct wm_error *err)
{
	struct writer writer = { .out = out };
	int ret = timeline_init(&writer.timeline, &picture->subject, picture->most, err);

	if (!ret)
		ret = put_all(&writer, picture->subject.selection, err);
	picture->least_insns = writer.timeline.least_insns;
	picture->left_out = writer.timeline.left_out;
	timeline_fini(&writer.timeline);
	buf_fini(&writer.file);
	return ret;
}

const struct calls_format calls_uftrace = {
	.format = { "uftrace", FORMAT_CALLS, "tar",
		    "a data directory of uftrace, in an archive of tar", .binary = true },
	.is_timeline = true,
	.write = write_all,
};
