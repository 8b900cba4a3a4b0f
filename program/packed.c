// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines and inlined calls that the recorder packed into the trace, for the code that ran.
 * They have the interface of those of an ELF file and are used where the file is missing
 * or is another build.
 *
 * Example: list.c is text 3 of the map and source 7 of the reader, which has the sources
 * of all files in one table; so texts become ids when the map is read.
 */
#include "program/packed.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "program/made/name.h"
#include "trace/symtabs.h"

struct packed {
	struct codemap map;
	struct parts parts;  /* its calls; a name is an index in the map's texts */
	uint32_t *source_of; /* [n_texts] id of a text as a source; 0: none yet */
	struct interner *sources;
};

/*
 * The id of a text as a source; 0: no memory. Texts are names of functions as well, so
 * only those that are used as a source get an id.
 */
static uint32_t source_of(struct packed *packed, uint32_t text)
{
	uint32_t *id = &packed->source_of[text];
	char room[MADE_PATH_ROOM];
	const char *path =
		made_name_path(codemap_text(&packed->map, text), room, sizeof(room));
	bool fresh;

	if (!*id)
		*id = intern(packed->sources, 0, (const uint8_t *)path,
			     (uint32_t)strlen(path) + 1, &fresh);
	return *id;
}

/*
 * The map lists calls in the order of the walk, which becomes the part's order: of two
 * calls around a byte, the later one is the inner one.
 */
static bool add_calls(struct packed *packed)
{
	for (uint32_t i = 0; i < packed->map.n_calls; i++) {
		const struct codemap_call *call = &packed->map.calls[i];
		struct part part = {
			.start = call->start,
			.end = call->end,
			.order = i,
			.name = call->name,
			.file = call->source ? source_of(packed, call->source - 1) : 0,
			.line = call->line,
		};

		if (!parts_add(&packed->parts, &part))
			return false;
	}
	parts_sort(&packed->parts);
	return true;
}

/* Replaces the text's index in each line by the reader's id of the source. */
static bool number_sources(struct packed *packed)
{
	for (uint32_t i = 0; i < packed->map.n_lines; i++) {
		struct codemap_line *line = &packed->map.lines[i];

		line->source = source_of(packed, line->source);
		if (!line->source)
			return false;
	}
	return true;
}

/*
 * Errors of the section are not reported: packed lines are a substitute, and verify finds
 * damage.
 */
struct packed *packed_new(const struct wm_trace *trace, uint32_t index,
			  struct interner *sources)
{
	struct packed *packed = calloc(1, sizeof(*packed));

	if (!packed)
		return NULL;
	packed->sources = sources;
	if (trace_codemap(trace, index, &packed->map, NULL) == 0) {
		packed->source_of =
			calloc(packed->map.n_texts + 1ul, sizeof(*packed->source_of));
		if (packed->source_of && number_sources(packed) && add_calls(packed))
			return packed;
	}
	packed_free(packed);
	return NULL;
}

void packed_free(struct packed *packed)
{
	if (!packed)
		return;
	codemap_fini(&packed->map);
	parts_fini(&packed->parts);
	free(packed->source_of);
	free(packed);
}

static struct elf_line line_of(const struct codemap_line *line)
{
	return (struct elf_line){ line->start, line->end, line->source, line->number };
}

/*
 * Lines are sorted and do not overlap, so the last that starts at or before the byte
 * decides.
 */
bool packed_line_at(const struct packed *packed, uint64_t file_off, struct elf_line *line)
{
	const struct codemap_line *lines = packed->map.lines;
	size_t n = BISECT(packed->map.n_lines, i, lines[i].start <= file_off);

	if (!n || file_off >= lines[n - 1].end)
		return false;
	*line = line_of(&lines[n - 1]);
	return true;
}

bool packed_lines_each(const struct packed *packed,
		       bool (*take)(void *cookie, const struct elf_line *line),
		       void *cookie)
{
	for (uint32_t i = 0; i < packed->map.n_lines; i++) {
		struct elf_line line = line_of(&packed->map.lines[i]);

		if (!take(cookie, &line))
			return false;
	}
	return true;
}

bool packed_has_frames(const struct packed *packed)
{
	return packed->parts.n;
}

size_t packed_frames_at(const struct packed *packed, uint64_t file_off,
			struct elf_frame *out, size_t room)
{
	const struct parts *parts = &packed->parts;
	const struct part *part = parts_before(parts, file_off, UINT32_MAX);
	size_t n = 0;

	for (; part; part = parts_before(parts, file_off, part->order), n++)
		if (n < room)
			out[n] = (struct elf_frame){
				.name = codemap_text(&packed->map, part->name),
				.file = part->file,
				.line = part->line,
			};
	return n;
}
