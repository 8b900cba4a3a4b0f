// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists the calls that the compiler inlined, by the DWARF of a file, and on request the
 * functions around them.
 *
 * The tree of each unit is walked in the order of the file. libdw follows the references
 * to siblings that the file states, and these could form a circle. So an entry that does
 * not come after the one before it ends the walk, which is therefore finite whatever the
 * file states.
 *
 * Example: main has an inlined call of sum, and that one of square. The walk visits main,
 * sum, square; sum is into main, and so is square, because the code of both lies in main.
 *
 * Invariant: `last` is the offset of the entry that was visited last, and only grows.
 */
#include "program/elf/inlines.h"

#include <dwarf.h>

/* An attribute of GCC and LLVM, which libdw has no name for. */
enum { GNU_DISCRIMINATOR = 0x2136 };

/* Far more than compilers make: what exceeds these is damage or an attack. */
enum { DEPTH_MAX = 256, PARTS_MAX = 1 << 20 };

struct walk {
	const struct dwarf *dwarf;
	const struct elf_inlines_asker *asker;
	Dwarf_Die unit;
	Dwarf_Off last; /* entry */
	uint32_t parts; /* delivered so far */
	bool done;	/* no more are taken */
};

/*
 * Entries that may have inlined calls in them: functions, blocks, and what functions are
 * defined in. Entries of other kinds, such as variables and types, are skipped with all
 * below them.
 */
static bool is_scope(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

/* A string of the entry, or of the entry that it is an instance of. */
static const char *string_of(const struct walk *walk, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_string(walk->dwarf, dwarf_attr_integrate(die, name, &attribute));
}

/* Old versions of GCC wrote the attribute of MIPS. */
static const char *linkage_of(const struct walk *walk, Dwarf_Die *die)
{
	const char *linkage = string_of(walk, die, DW_AT_linkage_name);

	return linkage ? linkage : string_of(walk, die, DW_AT_MIPS_linkage_name);
}

/* 0 when neither the entry nor the one that it is an instance of has such a number. */
static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, &attribute) ||
	    dwarf_formudata(&attribute, &value) != 0 || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

/* DW_AT_call_file is an index in the unit's table of files. */
static const char *source_of(struct walk *walk, Dwarf_Die *die)
{
	uint32_t number = number_of(die, DW_AT_call_file);
	Dwarf_Files *files;
	size_t n;

	if (!number || dwarf_getsrcfiles(&walk->unit, &files, &n) != 0 || number >= n)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/*
 * One part for each range: a call that the compiler split into hot and cold code has two.
 */
static void take_parts(struct walk *walk, Dwarf_Die *die, struct elf_inline *part)
{
	Dwarf_Addr base;
	ptrdiff_t at = 0;

	while (!walk->done &&
	       (at = dwarf_ranges(die, at, &base, &part->start, &part->end)) > 0) {
		/*
		 * A range may lie in code that is not loaded; then it has no place in the
		 * file.
		 */
		const struct dwarf_segment *segment =
			dwarf_segment_at(walk->dwarf, part->start);

		if (part->start >= part->end || !segment ||
		    dwarf_is_left_out(walk->dwarf, part->start))
			continue;
		dwarf_place(segment, &part->start, &part->end);
		walk->done = !walk->asker->take(walk->asker->cookie, part) ||
			     ++walk->parts == PARTS_MAX;
	}
}

/*
 * Where the call begins: its DW_AT_entry_pc, or without one the first address of its first
 * range (DWARF 5, 2.18).
 */
static uint64_t entry_of(const struct walk *walk, Dwarf_Die *die)
{
	const struct dwarf_segment *segment;
	Dwarf_Addr entry, base, end;

	if (dwarf_entrypc(die, &entry) != 0 &&
	    dwarf_ranges(die, 0, &base, &entry, &end) <= 0)
		return UINT64_MAX;
	segment = dwarf_segment_at(walk->dwarf, entry);
	return segment ? entry - segment->vaddr + segment->file_off : UINT64_MAX;
}

static void take_call(struct walk *walk, Dwarf_Die *die, Dwarf_Die *into)
{
	struct elf_inline part = {
		.function = dwarf_tag(die) == DW_TAG_subprogram,
		.name = string_of(walk, die, DW_AT_name),
		.linkage = linkage_of(walk, die),
		/* The offset of its entry, which no other call of the file has. */
		.call = dwarf_dieoffset(die),
	};

	if (!part.name ||
	    !walk->asker->wants(walk->asker->cookie, part.name, part.linkage))
		return;
	part.into = into ? linkage_of(walk, into) : NULL;
	/* A function of C has no linkage name. */
	if (into && !part.into)
		part.into = string_of(walk, into, DW_AT_name);
	part.source = source_of(walk, die);
	part.line = number_of(die, DW_AT_call_line);
	part.discriminator = number_of(die, GNU_DISCRIMINATOR);
	part.declared = number_of(die, DW_AT_decl_line);
	part.entry = entry_of(walk, die);
	take_parts(walk, die, &part);
}

/*
 * Whether it is a function that is not in the file. Some linkers give its parts addresses
 * behind 0.
 */
static bool is_left_out(const struct walk *walk, Dwarf_Die *die)
{
	Dwarf_Addr start;

	return dwarf_tag(die) == DW_TAG_subprogram && !dwarf_lowpc(die, &start) &&
	       dwarf_is_left_out(walk->dwarf, start);
}

/* All below `parent`, whose code is in function `into`. */
static void walk_below(struct walk *walk, Dwarf_Die *parent, Dwarf_Die *into,
		       unsigned depth)
{
	Dwarf_Die die;
	int more = dwarf_child(parent, &die);

	for (; more == 0 && !walk->done; more = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);

		if (dwarf_dieoffset(&die) <= walk->last)
			return;
		walk->last = dwarf_dieoffset(&die);
		if (tag == DW_TAG_inlined_subroutine ||
		    (tag == DW_TAG_subprogram && walk->asker->functions))
			take_call(walk, &die, into);
		if (is_scope(tag) && depth < DEPTH_MAX && !is_left_out(walk, &die))
			/*
			 * Only a function with code of its own changes whose code it is.
			 */
			walk_below(walk, &die, tag == DW_TAG_subprogram ? &die : into,
				   depth + 1);
	}
}

bool elf_inlines_of_unit(const struct dwarf *dwarf, const Dwarf_Die *unit,
			 const struct elf_inlines_asker *asker)
{
	struct walk walk = { .dwarf = dwarf, .asker = asker, .unit = *unit };

	/* The unit's own entry comes before all others. */
	walk.last = dwarf_dieoffset(&walk.unit);
	walk_below(&walk, &walk.unit, NULL, 0);
	return !walk.done;
}

void elf_inlines_each(int fd, const char *path, const char *build_id,
		      const struct elf_inlines_asker *asker)
{
	struct dwarf dwarf;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;

	if (!dwarf_open(&dwarf, fd, path, build_id))
		return;
	while (dwarf_get_units(dwarf.is, unit, &unit, NULL, &type, &die, NULL) == 0)
		/* Units of types have no code. */
		if (type != DW_UT_type && type != DW_UT_split_type &&
		    !elf_inlines_of_unit(&dwarf, &die, asker))
			break;
	dwarf_close(&dwarf);
}
