// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jitdump: what a JIT compiler writes for `perf inject` (node --perf-prof, java with
 * libperf-jvmti, Wasmtime --profile=jitdump). Unlike a map it has the code itself, times
 * and lines. All numbers are in the byte order of the machine that wrote it:
 *
 *	header	"DTiJ" version:32 bytes:32 machine:32 0:32 pid:32 ns:64 flags:64
 *	record	kind:32 bytes:32 ns:64, and of kind
 *	 0 load	pid:32 tid:32 vma:64 address:64 size:64 index:64 name NUL code
 *	 1 move	pid:32 tid:32 vma:64 from:64 to:64 size:64 index:64
 *	 2 debug	address:64 n:64 (address:64 line:32 discriminator:32 file NUL)*
 *	 3 close
 *
 * Other kinds are passed over. The debug record of a piece comes before its load. The
 * compiler may have been killed, so a record that is cut short ends the list; one that
 * contradicts itself is left out.
 */
#include "program/made/list.h"

#include <string.h>

#include "base/append.h"
#include "base/utf8.h"

enum {
	HEADER_BYTES = 40,
	RECORD_BYTES = 16,
	NAME_BYTES_MAX = 1 << 16,
	/*
	 * V8 adds the size of an ELF header to the addresses of its lines, because perf
	 * writes the code behind one.
	 */
	ELF_HEADER_BYTES = 64,
};

#define MAGIC 0x4a695444u
#define MAGIC_SWAPPED 0x4454694au
#define OTHER_CLOCK 1u /* flag: times are a processor's ticks */

enum record_kind { RECORD_LOAD = 0, RECORD_MOVE = 1, RECORD_DEBUG = 2 };

struct dump {
	struct made *made;
	const uint8_t *text;
	uint64_t ns; /* of the record */
	bool timed;
	/* The lines of the last debug record. */
	uint64_t of;
	uint32_t line, lines;
	uint64_t nearest; /* of a piece's first line from its start, the least of all */
	bool failed;	  /* no memory */
};

/* A text up to its NUL; NULL: there is no NUL. */
static const char *take_text(struct span *span, size_t *bytes)
{
	const uint8_t *end = memchr(span->at, 0, span_left(span));

	if (!end) {
		span->failed = true;
		return NULL;
	}
	*bytes = (size_t)(end - span->at);
	return (const char *)span_bytes(span, *bytes + 1);
}

static bool put_text(struct dump *dump, const char *from, size_t bytes, uint32_t *text)
{
	if (!made_text(dump->made, from, bytes < NAME_BYTES_MAX ? bytes : NAME_BYTES_MAX,
		       text))
		dump->failed = true;
	return !dump->failed;
}

static void add_piece(struct dump *dump, struct made_piece *piece)
{
	struct made *made = dump->made;

	piece->ns = dump->timed ? dump->ns : 0;
	if (!APPEND(made->pieces, made->n, *piece))
		dump->failed = true;
}

/* The code is at the end of the record, however long the name is. */
static void take_load(struct dump *dump, struct span span)
{
	struct made_piece piece = { .code = MADE_NO_CODE };
	uint64_t bytes;
	const char *name;
	size_t length;

	span_bytes(&span, 16); /* pid, tid, vma */
	piece.start = span_u64(&span);
	bytes = span_u64(&span);
	span_u64(&span);
	name = take_text(&span, &length);
	if (span.failed || !bytes || bytes > span_left(&span) ||
	    bytes > UINT64_MAX - piece.start ||
	    !put_text(dump, name, length, &piece.name))
		return;
	piece.end = piece.start + bytes;
	piece.code = (uint64_t)(span.at - dump->text);
	if (dump->lines && dump->of == piece.start) {
		uint64_t first = dump->made->lines[dump->line].address - piece.start;

		piece.line = dump->line;
		piece.lines = dump->lines;
		dump->nearest = first < dump->nearest ? first : dump->nearest;
	}
	dump->lines = 0;
	add_piece(dump, &piece);
}

/* The newest piece at that address; NULL: no code was there. */
static const struct made_piece *find(const struct made *made, uint64_t start,
				     uint64_t bytes)
{
	enum { BACK_MAX = 1 << 16 }; /* a moved piece is mostly a new one */
	uint32_t least = made->n > BACK_MAX ? made->n - BACK_MAX : 0;

	for (uint32_t i = made->n; i-- > least;)
		if (made->pieces[i].start == start &&
		    made->pieces[i].end - start == bytes)
			return &made->pieces[i];
	return NULL;
}

/* Its code and name are those of where it was; lines have addresses and stay there. */
static void take_move(struct dump *dump, struct span span)
{
	const struct made_piece *old;
	struct made_piece piece;
	uint64_t from, to, bytes;

	span_bytes(&span, 16);
	from = span_u64(&span);
	to = span_u64(&span);
	bytes = span_u64(&span);
	old = span.failed || bytes > UINT64_MAX - to ? NULL :
						       find(dump->made, from, bytes);
	if (!old)
		return;
	piece = *old;
	piece.start = to;
	piece.end = to + bytes;
	piece.lines = 0;
	add_piece(dump, &piece);
}

/*
 * Whether it names a file. V8 writes some names out of memory that it uses for something else
 * by then.
 */
static bool is_name(const char *name)
{
	unsigned bytes;

	for (; *name; name += bytes) {
		bytes = utf8_length(name);
		if (!bytes || (unsigned char)*name < ' ' || *name == 0x7f)
			return false;
	}
	return true;
}

static bool take_line(struct dump *dump, struct span *span, uint32_t *file)
{
	static const char same[] = "\xff";
	struct made_line line = { .address = span_u64(span), .number = span_u32(span) };
	size_t length = 0;
	const char *name;

	span_u32(span);
	name = take_text(span, &length);
	if (span->failed)
		return false;
	/* The file of the line before it. */
	if (!(dump->lines && length == 1 && *name == *same) &&
	    !put_text(dump, name, is_name(name) ? length : 0, file))
		return false;
	line.file = *file;
	/* Without a file a line number says nothing; 0 is "no line". */
	if (!dump->made->texts.data[line.file])
		line.number = 0;
	if (!APPEND(dump->made->lines, dump->made->n_lines, line))
		dump->failed = true;
	dump->lines++;
	return !dump->failed;
}

static void take_debug(struct dump *dump, struct span span)
{
	uint64_t n;
	uint32_t file = 0;

	dump->of = span_u64(&span);
	n = span_u64(&span);
	dump->line = dump->made->n_lines;
	dump->lines = 0;
	while (n-- > 0 && take_line(dump, &span, &file))
		;
}

/* False: the text ends. */
static bool take_record(struct dump *dump, struct span *span)
{
	uint32_t kind = span_u32(span), bytes = span_u32(span);
	struct span record;

	dump->ns = span_u64(span);
	if (span->failed || bytes < RECORD_BYTES)
		return false;
	record = span_sub(span, bytes - RECORD_BYTES);
	if (record.failed)
		return false;
	if (kind == RECORD_LOAD)
		take_load(dump, record);
	else if (kind == RECORD_MOVE)
		take_move(dump, record);
	else if (kind == RECORD_DEBUG)
		take_debug(dump, record);
	return !dump->failed;
}

static int read_dump(struct made *made, const char *text, size_t bytes,
		     struct wm_error *err)
{
	struct dump dump = {
		.made = made,
		.text = (const uint8_t *)text,
		.nearest = UINT64_MAX,
	};
	struct span span = span_of(text, bytes);
	uint32_t magic = span_u32(&span), header;

	if (magic == MAGIC_SWAPPED)
		return wm_fail(err, WM_E_FORMAT, 0, "the jitdump is big-endian");
	span_u32(&span);
	header = span_u32(&span);
	if (span.failed || magic != MAGIC || header < HEADER_BYTES || header > bytes)
		return WM_END;
	span_bytes(&span, HEADER_BYTES - 12 - 8);
	dump.timed = !(span_u64(&span) & OTHER_CLOCK);
	span_bytes(&span, header - HEADER_BYTES);
	while (take_record(&dump, &span))
		;
	for (uint32_t i = 0; dump.nearest >= ELF_HEADER_BYTES && i < made->n_lines; i++)
		made->lines[i].address -= ELF_HEADER_BYTES;
	return dump.failed ? wm_fail_nomem(err, "names of generated code") : 0;
}

const struct made_form made_jitdump = {
	.name = "jitdump",
	.what = "a file that begins with DTiJ",
	.read = read_dump,
};
