// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Selects, of all that a file says, what is about code that ran: some per cent of a
 * library's names, and the lines of what a program did.
 *
 *	file				ran		kept
 *	0x100..0x140 main		0x100..0x120	main, its whole range
 *	0x140..0x200 helper				nothing
 *	0x100..0x108 line 7, ...			the lines up to 0x120
 *
 * A name keeps its whole range, so that a function is the same one for every reader.
 * Lines are cut to what ran. Inlined calls are whole and in the order of the walk: of two
 * calls around a byte, the later one in the walk is the inner one.
 *
 * Invariant: lines ascend and do not overlap, so that a reader can use binary search.
 */
#include "program/elf/code.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/bisect.h"
#include "program/elf/frames.h"
#include "program/elf/lines.h"

struct reading {
	struct codemap *map;
	const struct code_range *ran; /* [n] */
	size_t n;
	struct interner texts; /* those of the map, by index + 1 */
	struct interner sources;
	bool failed; /* no memory */
};

/* The index of a text in the map. */
static uint32_t add_text(struct reading *reading, const char *text)
{
	struct codemap *map = reading->map;
	uint32_t at = (uint32_t)map->texts.len;
	bool fresh;
	uint32_t id = intern(&reading->texts, 0, (const uint8_t *)text,
			     (uint32_t)strlen(text) + 1, &fresh);

	if (id && fresh) {
		buf_put(&map->texts, text, strlen(text) + 1);
		id = APPEND(map->text_off, map->n_texts, at) ? id : 0;
	}
	reading->failed |= !id || map->texts.failed;
	return id ? id - 1 : 0;
}

static uint32_t add_source(struct reading *reading, uint32_t source)
{
	uint64_t address;
	uint32_t bytes;

	return add_text(reading, (const char *)intern_code(&reading->sources, source,
							   &address, &bytes));
}

/* ---- names --------------------------------------------------------------- */

/* ran[] ascends without overlaps, so the first range that ends after `start` decides. */
static bool has_run(const struct reading *reading, uint64_t start, uint64_t end)
{
	size_t i = BISECT(reading->n, j, reading->ran[j].end <= start);

	return i < reading->n && reading->ran[i].start < end;
}

/*
 * In place: ranges move to the front, and their names into a new buffer, because the old
 * one keeps the names that were dropped. symtab_nest() restores what depends on the
 * neighbours of a range.
 */
static bool keep_names(const struct reading *reading, struct symtab *names)
{
	struct buf texts = BUF_INIT;
	uint32_t n = 0;

	for (uint32_t i = 0; i < names->n_ranges; i++) {
		struct symtab_range range = names->ranges[i];
		const char *text = (const char *)names->names.data + range.name;
		uint64_t start;

		if (!symtab_file_off(names, range.start, &start) ||
		    !has_run(reading, start, start + (range.end - range.start)))
			continue;
		range.name = (uint32_t)texts.len;
		buf_put(&texts, text, strlen(text) + 1);
		names->ranges[n++] = range;
	}
	names->n_ranges = n;
	buf_fini(&names->names);
	names->names = texts;
	symtab_nest(names);
	return !texts.failed;
}

/* ---- lines --------------------------------------------------------------- */

/*
 * The callback for lines, which come by address. Units of a damaged file may overlap: the
 * start is then moved to the end of the line before. Neighbours of the same line become
 * one.
 */
static bool take_line(void *cookie, const struct elf_line *elf)
{
	struct reading *reading = cookie;
	struct codemap *map = reading->map;
	struct codemap_line *last = map->n_lines ? &map->lines[map->n_lines - 1] : NULL;
	struct codemap_line line = {
		.start = last && elf->start < last->end ? last->end : elf->start,
		.end = elf->end,
		.source = add_source(reading, elf->file),
		.number = elf->line,
	};

	if (line.start >= line.end)
		return true;
	if (last && line.start == last->end && line.source == last->source &&
	    line.number == last->number)
		last->end = line.end;
	else
		reading->failed |= !APPEND(map->lines, map->n_lines, line);
	return !reading->failed;
}

/* ---- inlined calls ------------------------------------------------------- */

static bool take_part(void *cookie, const char *name, const struct part *part)
{
	struct reading *reading = cookie;
	struct codemap *map = reading->map;
	struct codemap_call call = {
		.start = part->start,
		.end = part->end,
		.line = part->line,
	};

	/* Before its texts are added: those of other calls would stay in the map. */
	if (part->function || !has_run(reading, part->start, part->end))
		return true;
	call.name = add_text(reading, name);
	call.source = part->file ? add_source(reading, part->file) + 1 : 0;
	reading->failed |= !APPEND(map->calls, map->n_calls, call);
	return !reading->failed;
}

static void read_calls(struct reading *reading, const struct elf_lines *lines)
{
	struct elf_frames *frames = elf_frames_new(lines, &reading->sources);

	reading->failed |= !frames;
	for (size_t i = 0; !reading->failed && i < reading->n; i++)
		elf_frames_over(frames, reading->ran[i].start, reading->ran[i].end,
				take_part, reading);
	elf_frames_free(frames);
}

/*
 * A file without lines is no failure. elf_lines_open() takes its descriptor over, so it
 * gets a duplicate.
 */
static void read_places(struct reading *reading, int fd, const char *path,
			const char *build_id)
{
	int own = dup(fd);
	struct elf_lines *lines =
		own < 0 ? NULL : elf_lines_open(own, path, build_id, &reading->sources);

	for (size_t i = 0; lines && !reading->failed && i < reading->n; i++)
		elf_lines_over(lines, reading->ran[i].start, reading->ran[i].end,
			       take_line, reading);
	if (lines && !reading->failed)
		read_calls(reading, lines);
	elf_lines_close(lines);
}

/* `complete` says that lines and calls were searched, not that there are any. */
bool elf_code_read(struct codemap *map, int fd, const char *path, const char *build_id,
		   const struct code_range *ran, size_t n, bool places)
{
	struct reading reading = {
		.map = map,
		.ran = ran,
		.n = n,
		.texts = INTERNER_INIT,
		.sources = INTERNER_INIT,
	};

	reading.failed = !keep_names(&reading, &map->names);
	if (places && !reading.failed)
		read_places(&reading, fd, path, build_id);
	map->complete = places;
	interner_fini(&reading.texts);
	interner_fini(&reading.sources);
	if (!reading.failed && (map->names.n_ranges || map->n_lines || map->n_calls))
		return true;
	codemap_fini(map);
	return false;
}
