// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each piece of code gets bytes of its own in a made-up file, whatever addresses it had. So
 * two pieces that were at one address, one after the other, have two names; and names, lines
 * and places in code are found for it as they are for a mapped file.
 *
 *	piece		ran at			bytes of the file	known
 *	fib, bytecode	0x1000..0x15b0		0..0x5b0		812
 *	fib, compiled	0x1600..0x17a0		0x5b0..0x750		9320
 *	total		0x1000..0x1308		0x750..0xa58		9544
 *
 * The file's build-id is a checksum of the names and sizes, so two recordings have the same
 * one only where the same byte is the same place.
 *
 * Compilers have lines for some of their code only. A name may say where the function is
 * (program/made/name.h): this is the line of code that has no other.
 */
#include "collect/generated_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "format/section.h"
#include "program/made/name.h"

enum {
	SHARE = 8,	       /* part of the trace that all of it may take */
	BYTES_LEAST = 1 << 20, /* that may be put into any trace */
};

void generated_file_fini(struct generated_file *file)
{
	free(file->ranges);
	codemap_fini(&file->map);
	interner_fini(&file->texts);
}

/* ---- adding -------------------------------------------------------------- */

static const char *text_at(const struct made *made, uint32_t text)
{
	return (const char *)made->texts.data + text;
}

/* Bytes `from` to `end` of the file are of a line of source. */
static bool add_line(struct generated_file *file, uint64_t from, uint64_t end,
		     const char *path, size_t bytes, uint32_t number)
{
	struct codemap_line line = { .start = from, .end = end, .number = number };
	bool fresh;

	/* Its NUL becomes the text's. */
	line.source =
		intern(&file->texts, 0, (const uint8_t *)path, (uint32_t)bytes, &fresh);
	if (!line.source--)
		return false;
	return APPEND(file->map.lines, file->map.n_lines, line);
}

/* The lines that the compiler listed; what contradicts itself has none. */
static bool add_lines(struct generated_file *file, const struct made *made,
		      const struct made_piece *piece)
{
	const struct made_line *lines;
	uint64_t least = piece->start;
	bool good = true;

	if (!piece->lines)
		return true;
	lines = &made->lines[piece->line];
	for (uint32_t i = 0; good && i < piece->lines; i++) {
		uint64_t end = i + 1 < piece->lines ? lines[i + 1].address : piece->end;
		const char *path = text_at(made, lines[i].file);

		if (lines[i].address < least || end > piece->end ||
		    lines[i].address >= end || !lines[i].number || !*path)
			continue;
		least = end;
		good = add_line(file, file->bytes + (lines[i].address - piece->start),
				file->bytes + (end - piece->start), path, strlen(path),
				lines[i].number);
	}
	return good;
}

/* A text for the file's map: *index is its number. */
static bool add_text(struct generated_file *file, const char *text, uint32_t *index)
{
	bool fresh;

	*index = intern(&file->texts, 0, (const uint8_t *)text, (uint32_t)strlen(text),
			&fresh);
	return *index && (*index)--;
}

/* Inlined calls. One that is not within the piece contradicts itself. */
static bool add_calls(struct generated_file *file, const struct made *made,
		      const struct made_piece *piece)
{
	const struct made_call *calls = made->calls + piece->call;
	bool good = true;

	for (uint32_t i = 0; good && i < piece->calls; i++) {
		struct codemap_call call = {
			.start = file->bytes + (calls[i].start - piece->start),
			.end = file->bytes + (calls[i].end - piece->start),
			.line = calls[i].line,
		};
		const char *path = text_at(made, calls[i].file);

		if (calls[i].start < piece->start || calls[i].end > piece->end ||
		    calls[i].start >= calls[i].end)
			continue;
		good = add_text(file, text_at(made, calls[i].name), &call.name);
		if (good && *path && call.line) {
			good = add_text(file, path, &call.source);
			call.source++;
		}
		good = good && APPEND(file->map.calls, file->map.n_calls, call);
	}
	return good;
}

static bool add_name(struct generated_file *file, const char *name, uint64_t bytes)
{
	struct symtab *names = &file->map.names;
	struct symtab_range range = {
		.start = file->bytes,
		.end = file->bytes + bytes,
		.name = (uint32_t)names->names.len,
		.outer = SYMTAB_NO_RANGE,
	};

	file->names++;
	buf_put(&names->names, name, strlen(name) + 1);
	return !names->names.failed && APPEND(names->ranges, names->n_ranges, range);
}

/* The bytes of the file that have this name and size; NULL: none, or processes differ. */
static const struct symtab_range *same_as(const struct generated_file *file,
					  const char *name, uint64_t bytes)
{
	const struct symtab *names = &file->map.names;

	for (uint32_t i = 0; file->one && i < names->n_ranges; i++) {
		const struct symtab_range *range = &names->ranges[i];

		if (range->end - range->start == bytes &&
		    !strcmp((const char *)names->names.data + range->name, name))
			return range;
	}
	return NULL;
}

static bool add_piece(struct generated_file *file, const struct made *made,
		      const struct made_piece *piece, uint32_t space)
{
	struct made_range range = {
		.start = piece->start,
		.end = piece->end,
		.file_off = file->bytes,
		.space = space,
		.known = piece->known,
	};
	uint64_t size = piece->end - piece->start;
	const char *name = text_at(made, piece->name);
	struct made_name is = made_name_of(name);
	const struct symtab_range *same = same_as(file, name, size);
	uint32_t before = file->map.n_lines;
	bool good;

	if (same) {
		range.file_off = same->start;
		return APPEND(file->ranges, file->n, range);
	}
	good = APPEND(file->ranges, file->n, range) && add_name(file, name, size) &&
	       add_lines(file, made, piece) && add_calls(file, made, piece);
	if (good && is.line && is.file_bytes && before == file->map.n_lines)
		good = add_line(file, file->bytes, file->bytes + size, is.file,
				is.file_bytes, is.line);
	file->bytes += size;
	return good;
}

bool generated_file_add(struct generated_file *file, const struct made *made,
			uint32_t space)
{
	file->shared += made->shared;
	for (uint32_t i = 0; i < made->n; i++)
		if (made->pieces[i].ran && file->n < MADE_RANGES_MAX &&
		    made->pieces[i].end - made->pieces[i].start <
			    UINT64_MAX / 2 - file->bytes &&
		    !add_piece(file, made, &made->pieces[i], space))
			return false;
	return true;
}

/* ---- putting ------------------------------------------------------------- */

static bool put_texts(struct generated_file *file)
{
	struct codemap *map = &file->map;

	map->n_texts = file->texts.count;
	map->text_off = calloc(map->n_texts + 1ul, sizeof(*map->text_off));
	for (uint32_t id = 1; map->text_off && id <= map->n_texts; id++) {
		uint64_t address;
		uint32_t bytes;
		const uint8_t *text = intern_code(&file->texts, id, &address, &bytes);

		map->text_off[id - 1] = (uint32_t)map->texts.len;
		buf_put(&map->texts, text, bytes);
		buf_put_u8(&map->texts, 0);
	}
	return map->text_off && !map->texts.failed;
}

/* A 64-bit FNV-1a hash. */
static uint64_t checksum(const struct generated_file *file)
{
	const struct buf *names = &file->map.names.names;
	uint64_t sum = 0xcbf29ce484222325;

	for (size_t i = 0; i < names->len; i++)
		sum = (sum ^ names->data[i]) * 0x100000001b3;
	for (uint32_t i = 0; i < file->n; i++)
		sum = (sum ^ (file->ranges[i].end - file->ranges[i].start)) *
		      0x100000001b3;
	return sum;
}

/* Only the first `n` pieces, with or without lines. False: it does not fit. */
static bool put(struct generated_file *file, uint32_t n, bool lines, size_t room,
		struct output *out)
{
	char build_id[17];
	struct symtab_head head = { build_id, (char *)file->path };
	struct buf ranges = BUF_INIT, code = BUF_INIT;
	bool good;

	file->map.names.n_ranges = n < file->names ? n : file->names;
	snprintf(build_id, sizeof(build_id), "%016" PRIx64, checksum(file));
	good = made_put(&ranges, &head, file->ranges, n) &&
	       codemap_put(&code, &head, &file->map, lines) &&
	       ranges.len + code.len <= room;
	if (good) {
		output_put(out, SECTION_MADE, &ranges, 0);
		output_put(out, SECTION_CODE, &code, 0);
	}
	buf_fini(&ranges);
	buf_fini(&code);
	return good;
}

void generated_file_put(struct generated_file *file, struct output *out)
{
	struct symtab_segment all = { 0, file->bytes, 0, true };
	uint64_t room = writer_bytes(out->writer) / SHARE;
	uint32_t n = file->n;

	if (!n || !put_texts(file) ||
	    !APPEND(file->map.names.segments, file->map.names.n_segments, all))
		return;
	file->map.complete = true;
	room = room < BYTES_LEAST ? BYTES_LEAST : room;
	if (put(file, n, true, room, out))
		return;
	/* What was made first is kept: builtins, and what runs for longest. */
	while (n && !put(file, n, false, room, out))
		n /= 2;
}
