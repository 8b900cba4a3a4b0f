// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An agent tells a piece of compiled code with its bytes, and which bytecode each part of it
 * is of: rows, each with the frames from the method itself down to the innermost one that
 * was inlined there. Rows become lines, which are those of the innermost frame, and calls:
 * a frame that stays the same from row to row is one inlined call.
 *
 *	row	frames			lines			calls
 *	0x00	f:10			0x00..0x20 F.java:10
 *	0x20	f:11 g:30		0x20..0x40 G.java:30	0x20..0x60 g from f:11
 *	0x40	f:11 g:31 h:7		0x40..0x60 H.java:7	0x40..0x60 h from g:31
 *	0x60	f:12			0x60..	   F.java:12
 *
 * The guest is not trusted: a row takes bytes, so there are not more of them than bytes.
 */
#include "program/made/noted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/append.h"
#include "program/made/begins.h"

enum { METHODS_MAX = 1 << 16, DEPTH_MAX = 256 };

void made_keep_note(struct buf *text, const struct note *note)
{
	buf_put_varint(text, note->kind);
	buf_put_varint(text, note->ns);
	buf_put_varint(text, note->bytes);
	buf_put(text, note->data, note->bytes);
}

/* ---- texts --------------------------------------------------------------- */

/* A method that frames are of: offsets in made->texts. */
struct method {
	uint32_t name, file;
	uint64_t unit; /* address of its bytecode, or 0 */
};

struct frame {
	uint32_t method; /* index */
	uint32_t line;
	uint32_t offset; /* in its bytecode, from 1; 0: not known */
};

/* A frame that is inlined in the rows up to here. */
struct open {
	struct frame frame, from; /* it, and the one it was called in */
	uint32_t call;		  /* index in made->calls */
};

struct reading {
	struct made *made;
	const char *text; /* all of it */
	struct span span;
	struct made_piece piece;
	struct method *methods; /* [n_methods] of the entry */
	size_t n_methods;
	struct open open[DEPTH_MAX]; /* [depth] */
	uint32_t depth;
	uint64_t *keys; /* [n_keys]: of the rows, what stands for their frames */
	size_t n_keys;
	bool failed; /* no memory */
};

static uint32_t get_u32(struct span *span)
{
	uint64_t value = span_varint(span);

	span->failed |= value > UINT32_MAX;
	return (uint32_t)value;
}

static const char *get_bytes(struct span *span, uint64_t *bytes)
{
	*bytes = span_varint(span);
	span->failed |= *bytes > span_left(span);
	return span->failed ? NULL : (const char *)span_bytes(span, *bytes);
}

static uint32_t get_text(struct reading *reading)
{
	uint64_t bytes;
	const char *text = get_bytes(&reading->span, &bytes);
	uint32_t at = 0;

	if (!text || !made_text(reading->made, text, bytes, &at))
		reading->failed |= text != NULL;
	return at;
}

/* "Hello.fib" and "C2": Hello.fib [C2] */
static uint32_t put_name(struct reading *reading, const char *name, uint64_t bytes,
			 const char *tier, uint64_t tier_bytes)
{
	char text[512];
	uint32_t at = 0;

	snprintf(text, sizeof(text), "%.*s [%.*s]", (int)(bytes < 400 ? bytes : 400),
		 name, (int)(tier_bytes < 100 ? tier_bytes : 100), tier);
	if (!made_text(reading->made, text, sizeof(text), &at))
		reading->failed = true;
	return at;
}

/* ---- rows ---------------------------------------------------------------- */

/* The bytecode of a frame: of code at a method's entry, the first. */
static uint32_t offset_of(const struct frame *frame)
{
	return frame->offset ? frame->offset - 1 : 0;
}

/* Code from `address` on is of that frame; NULL: nobody knows whose it is. */
static void add_line(struct reading *reading, uint64_t address, const struct frame *frame)
{
	struct made *made = reading->made;
	struct made_line line = { .address = address };

	if (frame) {
		line.file = reading->methods[frame->method].file;
		line.number = frame->line;
		line.unit = reading->methods[frame->method].unit;
		line.offset = offset_of(frame);
	}
	if (!APPEND(made->lines, made->n_lines, line))
		reading->failed = true;
	else
		reading->piece.lines++;
}

/* Frames from `depth` on end before `address`. */
static void close_calls(struct reading *reading, uint32_t depth, uint64_t address)
{
	while (reading->depth > depth)
		reading->made->calls[reading->open[--reading->depth].call].end = address;
}

static void open_call(struct reading *reading, uint64_t address,
		      const struct frame *frame, const struct frame *from)
{
	struct made *made = reading->made;
	struct made_call call = { .start = address,
				  .end = address,
				  .name = reading->methods[frame->method].name,
				  .file = reading->methods[from->method].file,
				  .line = from->line,
				  .unit = reading->methods[from->method].unit,
				  .offset = offset_of(from) };

	reading->open[reading->depth++] = (struct open){ *frame, *from, made->n_calls };
	if (!APPEND(made->calls, made->n_calls, call))
		reading->failed = true;
	else
		reading->piece.calls++;
}

static bool is_same(const struct open *open, const struct frame *frame,
		    const struct frame *from)
{
	return open->frame.method == frame->method && open->from.method == from->method &&
	       open->from.line == from->line && open->from.offset == from->offset;
}

/* A row: frames[n], the outermost first. */
static void add_row(struct reading *reading, uint64_t address, const struct frame *frames,
		    uint32_t n)
{
	uint32_t same = 0;

	while (same < reading->depth && same + 1 < n &&
	       is_same(&reading->open[same], &frames[same + 1], &frames[same]))
		same++;
	close_calls(reading, same, address);
	for (uint32_t i = same + 1; i < n && !reading->failed; i++)
		open_call(reading, address, &frames[i], &frames[i - 1]);
	add_line(reading, address, n ? &frames[n - 1] : NULL);
}

static uint32_t get_frames(struct reading *reading, struct frame frames[DEPTH_MAX])
{
	struct span *span = &reading->span;
	uint32_t n = get_u32(span);

	span->failed |= n > DEPTH_MAX;
	for (uint32_t i = 0; i < n && !span->failed; i++) {
		frames[i].method = get_u32(span);
		frames[i].offset = get_u32(span);
		frames[i].line = get_u32(span);
		span->failed |= frames[i].method >= reading->n_methods;
	}
	return span->failed ? 0 : n;
}

static bool add_key(struct reading *reading, const struct frame *frames, uint32_t n)
{
	uint32_t chain[2 * DEPTH_MAX];

	for (uint32_t i = 0; i < n; i++) {
		chain[2 * i] = frames[i].method;
		chain[2 * i + 1] = offset_of(&frames[i]);
	}
	return APPEND(reading->keys, reading->n_keys,
		      XXH3_64bits(chain, 2 * n * sizeof(*chain)));
}

static void get_rows(struct reading *reading)
{
	struct frame frames[DEPTH_MAX];
	uint32_t rows = get_u32(&reading->span);
	uint64_t offset = 0, size = reading->piece.end - reading->piece.start;

	reading->depth = 0;
	reading->n_keys = 0;
	for (uint32_t i = 0; i < rows && !reading->span.failed && !reading->failed; i++) {
		uint32_t n;

		offset += span_varint(&reading->span);
		reading->span.failed |= offset > size;
		n = get_frames(reading, frames);
		if (reading->span.failed)
			break;
		add_row(reading, reading->piece.start + offset, frames, n);
		reading->failed |= !add_key(reading, frames, n);
	}
	close_calls(reading, 0, reading->piece.end);
}

static void get_methods(struct reading *reading)
{
	uint32_t n = span_count(&reading->span, METHODS_MAX, 3);

	reading->n_methods = 0;
	for (uint32_t i = 0; i < n && !reading->span.failed && !reading->failed; i++) {
		struct method method;

		method.name = get_text(reading);
		method.file = get_text(reading);
		method.unit = span_varint(&reading->span);
		if (!APPEND(reading->methods, reading->n_methods, method))
			reading->failed = true;
	}
}

/* ---- pieces -------------------------------------------------------------- */

/* A compiled method; what it added stays unused where it turns out to be malformed. */
static void get_code(struct reading *reading, uint64_t ns)
{
	struct made *made = reading->made;
	struct span *span = &reading->span;
	struct made_piece *piece = &reading->piece;
	uint64_t bytes, name_bytes, file_bytes, tier_bytes, entry, level;
	const char *name, *tier;
	const uint8_t *code;

	*piece = (struct made_piece){ .start = span_varint(span), .ns = ns };
	bytes = span_varint(span);
	piece->end = piece->start + bytes;
	span->failed |= bytes > UINT32_MAX || piece->end < piece->start;
	name = get_bytes(span, &name_bytes);
	get_bytes(span, &file_bytes);
	tier = get_bytes(span, &tier_bytes);
	level = span_varint(span);
	entry = span_varint(span);
	piece->tier = level <= NOTE_OPTIMISED ? (uint8_t)level : NOTE_NO_TIER;
	piece->entry = entry && entry <= bytes ? piece->start + entry - 1 : 0;
	piece->line = made->n_lines;
	piece->call = made->n_calls;
	get_methods(reading);
	get_rows(reading);
	span->failed |= bytes > span_left(span);
	code = span->failed ? NULL : span_bytes(span, bytes);
	if (!code || !bytes)
		return;
	piece->code = (uint64_t)((const char *)code - reading->text);
	piece->name = put_name(reading, name, name_bytes, tier, tier_bytes);
	if (piece->tier == NOTE_COMPILED && !reading->failed)
		reading->failed = !begins_find(made, piece, reading->keys, code);
	if (!APPEND(made->pieces, made->n, *piece))
		reading->failed = true;
}

/*
 * Pieces of an interpreter, or of a vDSO (program/made/vdso.c), have no code here: they were
 * there from the beginning. A vDSO has few, so it does not matter which of them ran.
 */
static void get_pieces(struct reading *reading, bool interpreter)
{
	struct made *made = reading->made;
	struct span *span = &reading->span;
	uint64_t start = 0;

	while (span_left(span) && !span->failed && !reading->failed) {
		struct made_piece piece = { .code = MADE_NO_CODE, .ran = !interpreter };
		uint64_t bytes;
		const char *name;

		piece.start = start += span_varint(span);
		piece.end = start + span_varint(span);
		span_varint(span);
		name = get_bytes(span, &bytes);
		if (!name || piece.end <= piece.start)
			continue;
		if (interpreter)
			piece.name = put_name(reading, name, bytes, "interpreter",
					      strlen("interpreter"));
		else if (!made_text(made, name, bytes, &piece.name))
			reading->failed = true;
		if (!APPEND(made->pieces, made->n, piece))
			reading->failed = true;
	}
}

static void get_note(struct reading *reading, uint64_t kind, uint64_t ns)
{
	if (kind == NOTE_DISPATCH || kind == MADE_VDSO)
		get_pieces(reading, kind == NOTE_DISPATCH);
	while (kind == NOTE_CODE && span_left(&reading->span) && !reading->span.failed &&
	       !reading->failed)
		get_code(reading, ns);
}

bool made_read_notes(struct made *made, const char *text, size_t bytes)
{
	struct span all = span_of(text, bytes);
	struct reading *reading = calloc(1, sizeof(*reading));
	bool good = reading;

	while (good && span_left(&all) && !all.failed) {
		uint64_t kind = span_varint(&all), ns = span_varint(&all);
		uint64_t length = span_varint(&all);

		reading->made = made;
		reading->text = text;
		reading->span = span_sub(&all, length);
		if (!all.failed)
			get_note(reading, kind, ns);
		good = !reading->failed;
	}
	if (reading) {
		free(reading->methods);
		free(reading->keys);
	}
	free(reading);
	return good;
}
