// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The inlined calls around a byte of a file, and the function around them.
 *
 * Each unit has the parts of its functions and inlined calls, sorted by where they begin. A part has
 * `reach`, the furthest end of it and of all parts before it. So a search walks back from
 * the last part that begins at or before the byte, only as long as one may still cover
 * it.
 *
 *	part	bytes	  reach		at byte 22: start with the last part that begins
 *	0	10 .. 40  40		at or before it (2), then 1, then 0; 2 and 0 cover
 *	1	12 .. 20  40		it. Of these the later in the walk of the DWARF is
 *	2	22 .. 24  40		inside the earlier: the walk visits a call before the
 *	3	50 .. 60  60		calls that are inlined into it.
 *
 * Invariant: parts of a unit are sorted, and have their `reach`, once the unit is read.
 */
#include "program/elf/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/bisect.h"
#include "program/elf/inlines.h"
#include "program/elf/units.h"

struct part {
	uint64_t start, end; /* bytes of the file; end is exclusive */
	uint64_t reach;
	uint32_t order; /* in the walk */
	uint32_t name;	/* id in names */
	uint32_t file, line, discriminator, declared;
	bool function;
};

struct unit {
	bool read;
	struct part *parts; /* [n] */
	size_t n;
};

struct elf_frames {
	const struct elf_units *units;
	struct unit *all; /* [units->n] */
	struct interner names, *files;
};

struct elf_frames *elf_frames_new(const struct elf_lines *lines, struct interner *files)
{
	struct elf_frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return NULL;
	frames->units = elf_lines_units(lines);
	frames->files = files;
	frames->names = INTERNER_INIT;
	frames->all = calloc(frames->units->n, sizeof(*frames->all));
	if (frames->all)
		return frames;
	free(frames);
	return NULL;
}

void elf_frames_free(struct elf_frames *frames)
{
	if (!frames)
		return;
	for (size_t i = 0; i < frames->units->n; i++)
		free(frames->all[i].parts);
	free(frames->all);
	interner_fini(&frames->names);
	free(frames);
}

/* ---- reading a unit ------------------------------------------------------ */

struct reading {
	struct elf_frames *frames;
	struct unit *unit;
	const char *folder;
};

/* Any byte of the unit may be asked about later. */
static bool wants_all(void *cookie, const char *name, const char *linkage)
{
	(void)cookie;
	(void)name;
	(void)linkage;
	return true;
}

static bool take(void *cookie, const struct elf_inline *elf)
{
	struct reading *reading = cookie;
	struct elf_frames *frames = reading->frames;
	const char *name = elf->linkage ? elf->linkage : elf->name;
	struct part part = {
		.start = elf->start,
		.end = elf->end,
		/* The number of the part in the walk; sorting would lose it. */
		.order = (uint32_t)reading->unit->n,
		.line = elf->line,
		.discriminator = elf->discriminator,
		.declared = elf->declared,
		.function = elf->function,
	};
	bool fresh;

	part.name = intern(&frames->names, 0, (const uint8_t *)name,
			   (uint32_t)strlen(name) + 1, &fresh);
	/* Without a file the call has only its name. */
	if (elf->source)
		part.file =
			elf_source_intern(frames->files, reading->folder, elf->source);
	return part.name && APPEND(reading->unit->parts, reading->unit->n, part);
}

static int by_start(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void read_unit(struct elf_frames *frames, uint32_t index)
{
	struct reading reading = { .frames = frames, .unit = &frames->all[index] };
	const struct elf_inlines_asker asker = { wants_all, take, &reading, true };
	struct unit *unit = reading.unit;
	uint64_t reach = 0;
	Dwarf_Die die;

	/* Set first: a unit that cannot be read is not tried again. */
	unit->read = true;
	if (!elf_units_die(frames->units, index, &die) ||
	    !elf_units_folder(frames->units, &die, &reading.folder))
		return;
	elf_inlines_of_unit(&frames->units->dwarf, &die, &asker);
	if (unit->n)
		qsort(unit->parts, unit->n, sizeof(*unit->parts), by_start);
	for (size_t i = 0; i < unit->n; i++) {
		if (unit->parts[i].end > reach)
			reach = unit->parts[i].end;
		unit->parts[i].reach = reach;
	}
}

/* ---- finding ------------------------------------------------------------- */

static const struct unit *unit_of(struct elf_frames *frames, uint64_t file_off)
{
	/* An address of the unit's ranges, which are virtual addresses. */
	const struct dwarf_segment *segment =
		dwarf_segment_of(&frames->units->dwarf, file_off);
	uint32_t index;

	if (!segment ||
	    !elf_units_find(frames->units,
			    segment->vaddr + (file_off - segment->file_off), &index))
		return NULL;
	if (!frames->all[index].read)
		read_unit(frames, index);
	return &frames->all[index];
}

/* The part over the byte that is the last in the walk, of those before `order`. */
static const struct part *find_before(const struct unit *unit, uint64_t file_off,
				      uint32_t order)
{
	size_t i = BISECT(unit->n, j, unit->parts[j].start <= file_off);
	const struct part *found = NULL;

	for (; i-- > 0 && unit->parts[i].reach > file_off;) {
		const struct part *part = &unit->parts[i];

		if (part->end > file_off && part->order < order &&
		    (!found || part->order > found->order))
			found = part;
	}
	return found;
}

size_t elf_frames_at(struct elf_frames *frames, uint64_t file_off, struct elf_frame *out,
		     size_t room)
{
	const struct unit *unit = unit_of(frames, file_off);
	const struct part *part = unit ? find_before(unit, file_off, UINT32_MAX) : NULL;
	uint64_t address;
	uint32_t bytes;
	size_t n = 0;

	/* The call around this one comes before it in the walk, a function before its calls. */
	for (; part;
	     part = part->function ? NULL : find_before(unit, file_off, part->order), n++)
		if (n < room)
			out[n] = (struct elf_frame){
				.function = part->function,
				.name = (const char *)intern_code(
					&frames->names, part->name, &address, &bytes),
				.file = part->file,
				.line = part->line,
				.discriminator = part->discriminator,
				.declared = part->declared,
			};
	return n;
}
