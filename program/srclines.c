// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each file of the program has its own table of lines, read when a line of it is first
 * needed. Where the file is missing or is another build, the lines that the recorder
 * packed into the trace are used. The paths of source files are in one table for all, so
 * that a header compiled into two files has one number, and counts of its lines add up.
 *
 * Questions mostly come in the order of addresses, and a line usually covers several
 * instructions. So the last answer is kept, with the range of bytes for which it holds:
 * after "bytes 0x100 to 0x10c are list.c:12", 0x104 and 0x108 need no search.
 */
#include "program/srclines.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "program/elf/frames.h"
#include "program/elf/lines.h"
#include "program/made/name.h"
#include "program/packed.h"

/* A file stays open while it is in use, and a trace may name any number of them. */
enum { OPEN_MAX = 256 };

/*
 * All arrays are by the file's number. A file has either `files` or `packed`, never both.
 */
struct srclines {
	struct symbols *symbols;
	struct elf_lines **files; /* [symbols_files()]; NULL: none, or not looked for yet */
	struct elf_frames **frames; /* [symbols_files()]; NULL: none, or not read yet */
	struct packed *
		*packed; /* [symbols_files()]; of files that are not there, or NULL */
	bool *asked;
	uint32_t open;
	struct interner sources;
	uint32_t last_file;
	struct elf_line last; /* an empty one at first */
};

int srclines_new(struct srclines **out, struct symbols *symbols, struct wm_error *err)
{
	struct srclines *lines = calloc(1, sizeof(*lines));
	/* calloc(0) may return NULL, which would look like a failure. */
	size_t n = (size_t)symbols_files(symbols) + 1;

	*out = lines;
	if (!lines)
		return wm_fail_nomem(err, "lines");
	lines->symbols = symbols;
	lines->sources = INTERNER_INIT;
	lines->files = calloc(n, sizeof(*lines->files));
	lines->frames = calloc(n, sizeof(*lines->frames));
	lines->packed = calloc(n, sizeof(*lines->packed));
	lines->asked = calloc(n, sizeof(*lines->asked));
	if (lines->files && lines->frames && lines->packed && lines->asked)
		return 0;
	srclines_free(lines);
	*out = NULL;
	return wm_fail_nomem(err, "lines");
}

void srclines_free(struct srclines *lines)
{
	if (!lines)
		return;
	/* Frames refer to the units of lines, so they go first. */
	for (uint32_t i = 0; lines->frames && i < symbols_files(lines->symbols); i++)
		elf_frames_free(lines->frames[i]);
	for (uint32_t i = 0; lines->files && i < symbols_files(lines->symbols); i++)
		elf_lines_close(lines->files[i]);
	for (uint32_t i = 0; lines->packed && i < symbols_files(lines->symbols); i++)
		packed_free(lines->packed[i]);
	interner_fini(&lines->sources);
	free(lines->files);
	free(lines->frames);
	free(lines->packed);
	free(lines->asked);
	free(lines);
}

/*
 * Beyond OPEN_MAX files there are no lines: otherwise the process would run out of
 * descriptors for everything else. A table keeps its file open.
 */
static struct elf_lines *open_file(struct srclines *lines, uint32_t file)
{
	const char *build_id, *path = symbols_file(lines->symbols, file, &build_id);
	struct elf_lines *opened;
	int fd = lines->open < OPEN_MAX ? symbols_open(lines->symbols, file) : -1;

	if (fd < 0)
		return NULL;
	opened = elf_lines_open(fd, path, build_id, &lines->sources);
	if (opened)
		lines->open++;
	return opened;
}

/*
 * The table of a file; NULL: there is none. Tried once; opening reads the units only, and
 * the rows of a unit follow when one is needed.
 */
static struct elf_lines *lines_of(struct srclines *lines, uint32_t file)
{
	if (!lines->asked[file]) {
		lines->asked[file] = true;
		lines->files[file] = open_file(lines, file);
		if (!lines->files[file])
			lines->packed[file] =
				symbols_packed(lines->symbols, file, &lines->sources);
	}
	return lines->files[file];
}

/* lines_of() must come first: it is what loads packed lines. */
static bool find_line(struct srclines *lines, const struct origin *origin,
		      struct elf_line *line)
{
	struct elf_lines *file = lines_of(lines, origin->file);
	const struct packed *packed = lines->packed[origin->file];

	if (file)
		return elf_lines_at(file, origin->file_off, line);
	return packed && packed_line_at(packed, origin->file_off, line);
}

/* The row over a byte; NULL: there is none. */
static const struct elf_line *row_at(struct srclines *lines, const struct origin *origin)
{
	struct elf_line *last = &lines->last;

	/* An empty range at first: start and end are 0. */
	if (lines->last_file != origin->file || origin->file_off < last->start ||
	    origin->file_off >= last->end) {
		struct elf_line found;

		if (!find_line(lines, origin, &found))
			return NULL;
		*last = found;
		lines->last_file = origin->file;
	}
	return last;
}

bool srclines_at(struct srclines *lines, const struct origin *origin,
		 struct srcline *line)
{
	const struct elf_line *row = row_at(lines, origin);

	if (row)
		*line = (struct srcline){ row->file, row->line };
	return row;
}

uint32_t srclines_discriminator(struct srclines *lines, const struct origin *origin)
{
	const struct elf_line *row = row_at(lines, origin);

	return row ? row->discriminator : 0;
}

/* The inlined calls of a file; NULL: there are none, or no memory. */
static struct elf_frames *frames_of(struct srclines *lines, uint32_t file)
{
	const struct elf_lines *elf = lines_of(lines, file);

	/* Frames need the units that the lines have read. */
	if (elf && !lines->frames[file])
		lines->frames[file] = elf_frames_new(elf, &lines->sources);
	return lines->frames[file];
}

bool srclines_has_frames(struct srclines *lines, uint32_t file)
{
	const struct elf_frames *frames = frames_of(lines, file);
	const struct packed *packed = lines->packed[file];

	return frames || (packed && packed_has_frames(packed));
}

/* The result may exceed `room`, as with snprintf(): it is how many frames there are. */
size_t srclines_stack(struct srclines *lines, const struct origin *origin,
		      struct srcframe *out, size_t room)
{
	struct elf_frames *frames = frames_of(lines, origin->file);
	const struct packed *packed = lines->packed[origin->file];
	struct elf_frame elf[SRCFRAMES_MAX];
	/* The caller may have less room than this function looks at. */
	size_t n = 0, most = room < SRCFRAMES_MAX ? room : SRCFRAMES_MAX;

	if (frames)
		n = elf_frames_at(frames, origin->file_off, elf, most);
	else if (packed)
		n = packed_frames_at(packed, origin->file_off, elf, most);
	for (size_t i = 0; i < n && i < most; i++)
		out[i] = (struct srcframe){
			.function = elf[i].name,
			.call = { elf[i].file, elf[i].line },
			.discriminator = elf[i].discriminator,
			.declared = elf[i].declared,
			.around = elf[i].function,
		};
	return n < SRCFRAMES_MAX ? n : SRCFRAMES_MAX;
}

/*
 * Reads all frames whatever `room` is: the function around the calls is the last one and
 * must be recognised.
 */
size_t srclines_frames(struct srclines *lines, const struct origin *origin,
		       struct srcframe *out, size_t room)
{
	struct srcframe all[SRCFRAMES_MAX];
	size_t n = srclines_stack(lines, origin, all, SRCFRAMES_MAX);

	/* The function is the last, and no call. */
	if (n && all[n - 1].around)
		n--;
	for (size_t i = 0; i < n && i < room; i++)
		out[i] = all[i];
	return n;
}

bool srclines_any(const struct srclines *lines)
{
	return lines->sources.count;
}

uint32_t srclines_source(struct srclines *lines, const char *path)
{
	char room[MADE_PATH_ROOM];
	bool fresh;

	path = made_name_path(path, room, sizeof(room));
	return intern(&lines->sources, 0, (const uint8_t *)path,
		      (uint32_t)strlen(path) + 1, &fresh);
}

const char *srclines_path(const struct srclines *lines, uint32_t source)
{
	uint64_t address;
	uint32_t bytes;

	return (const char *)intern_code(&lines->sources, source, &address, &bytes);
}

/* The callback of srclines_each(), while the table calls take_line(). */
struct taker {
	bool (*take)(void *cookie, const struct srcline_range *range);
	void *cookie;
};

/*
 * Callers of srclines_each() see struct srcline_range only, whichever table the line is
 * from.
 */
static bool take_line(void *cookie, const struct elf_line *line)
{
	const struct taker *taker = cookie;
	struct srcline_range range = {
		.line = { line->file, line->line },
		.start = line->start,
		.end = line->end,
	};

	return taker->take(taker->cookie, &range);
}

bool srclines_each(struct srclines *lines, uint32_t file,
		   bool (*take)(void *cookie, const struct srcline_range *range),
		   void *cookie)
{
	struct elf_lines *elf = lines_of(lines, file);
	const struct packed *packed = lines->packed[file];
	struct taker taker = { take, cookie };

	if (elf)
		return elf_lines_each(elf, take_line, &taker);
	return !packed || packed_lines_each(packed, take_line, &taker);
}
