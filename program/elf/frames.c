// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The inlined calls around a byte of a file, and the function around them.
 *
 * Each unit has the parts of its functions and inlined calls (program/parts.h). A unit is
 * read when a byte of it is first looked up: the entries of one unit are some thousand,
 * those of a large program many million.
 *
 * Invariant: parts of a unit are sorted, and have their `reach`, once elf_frames_at() has
 * read the unit. elf_frames_over() reads units without sorting them, so the two must not
 * be mixed.
 */
#include "program/elf/frames.h"

#include <stdlib.h>
#include <string.h>

#include "program/elf/inlines.h"
#include "program/elf/units.h"
#include "program/parts.h"

struct unit {
	bool read;
	struct parts parts; /* bytes of the file; a name is an id in names */
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
		parts_fini(&frames->all[i].parts);
	free(frames->all);
	interner_fini(&frames->names);
	free(frames);
}

/* ---- reading a unit ------------------------------------------------------ */

/*
 * The unit that is being read; `folder` is what its relative paths are relative to, or
 * NULL.
 */
struct reading {
	struct elf_frames *frames;
	struct unit *unit;
	const char *folder;
};

/* Keeps every call, because any byte of the unit may be looked up later. */
static bool wants_all(void *cookie, const char *name, const char *linkage)
{
	(void)cookie;
	(void)name;
	(void)linkage;
	return true;
}

/*
 * The linkage name is preferred, because it is what a symbol has: a function gets one
 * name whether it is inlined or not.
 */
static bool add_part(void *cookie, const struct elf_inline *elf)
{
	struct reading *reading = cookie;
	struct elf_frames *frames = reading->frames;
	const char *name = elf->linkage ? elf->linkage : elf->name;
	struct part part = {
		.start = elf->start,
		.end = elf->end,
		/* The number of the part in the walk; sorting would lose it. */
		.order = (uint32_t)reading->unit->parts.n,
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
	return part.name && parts_add(&reading->unit->parts, &part);
}

/* What was read before an error remains: a part of the answer is better than none. */
static void read_unit(struct elf_frames *frames, uint32_t index)
{
	struct reading reading = { .frames = frames, .unit = &frames->all[index] };
	const struct elf_inlines_asker asker = { wants_all, add_part, &reading, true };
	struct unit *unit = reading.unit;
	Dwarf_Die die;

	/* Set first: a unit that cannot be read is not tried again. */
	unit->read = true;
	if (!elf_units_die(frames->units, index, &die) ||
	    !elf_units_folder(frames->units, &die, &reading.folder))
		return;
	elf_inlines_of_unit(&frames->units->dwarf, &die, &asker);
}

/* ---- finding ------------------------------------------------------------- */

/* Units are found by virtual address, questions come with bytes of the file. */
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
	if (!frames->all[index].read) {
		read_unit(frames, index);
		parts_sort(&frames->all[index].parts);
	}
	return &frames->all[index];
}

static const char *name_of(const struct elf_frames *frames, const struct part *part)
{
	uint64_t address;
	uint32_t bytes;

	return (const char *)intern_code(&frames->names, part->name, &address, &bytes);
}

/*
 * A function ends the walk outwards: an entry around it in the tree, such as the function
 * that a nested one is defined in, is not its caller.
 */
size_t elf_frames_at(struct elf_frames *frames, uint64_t file_off, struct elf_frame *out,
		     size_t room)
{
	const struct unit *unit = unit_of(frames, file_off);
	const struct part *part =
		unit ? parts_before(&unit->parts, file_off, UINT32_MAX) : NULL;
	size_t n = 0;

	/* The call around this one comes before it in the walk, a function before its calls. */
	for (; part; part = part->function ?
				    NULL :
				    parts_before(&unit->parts, file_off, part->order),
		     n++)
		if (n < room)
			out[n] = (struct elf_frame){
				.function = part->function,
				.name = name_of(frames, part),
				.file = part->file,
				.line = part->line,
				.discriminator = part->discriminator,
				.declared = part->declared,
			};
	return n;
}

/*
 * Parts that are not sorted are in the order of the walk. `read` makes each unit come
 * once, also when several ranges that ran lie in it.
 */
static bool take_unit(struct elf_frames *frames, uint32_t index,
		      bool (*take)(void *cookie, const char *name,
				   const struct part *part),
		      void *cookie)
{
	const struct parts *parts = &frames->all[index].parts;

	if (frames->all[index].read)
		return true;
	read_unit(frames, index);
	for (size_t i = 0; i < parts->n; i++)
		if (!take(cookie, name_of(frames, &parts->all[i]), &parts->all[i]))
			return false;
	return true;
}

/*
 * elf_units_from() skips the holes between ranges, so the loop takes one step for each
 * range.
 */
void elf_frames_over(struct elf_frames *frames, uint64_t from, uint64_t to,
		     bool (*take)(void *cookie, const char *name,
				  const struct part *part),
		     void *cookie)
{
	const struct dwarf_segment *segment =
		dwarf_segment_of(&frames->units->dwarf, from);
	struct elf_unit_range range;
	uint64_t vaddr, end;

	if (!segment)
		return;
	vaddr = segment->vaddr + (from - segment->file_off);
	end = vaddr + (to - from);
	for (; vaddr < end && elf_units_from(frames->units, vaddr, &range) &&
	       range.start < end;
	     vaddr = range.end)
		if (!take_unit(frames, range.unit, take, cookie))
			return;
}
