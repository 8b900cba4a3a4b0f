// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The compilation units of a file, and which addresses each of them has.
 *
 * Ranges of addresses are read when the file is opened, for all units: they are a small
 * part of the DWARF. libdw checks what it reads against the file. It cannot check how
 * often the same bytes are referred to, so units and ranges are counted here.
 *
 * Example: unit 0 has 0x1000..0x1400 and 0x9000..0x9080 (its cold code), unit 1 has
 * 0x1400..0x1800. The table has three ranges in the order of their starts.
 *
 * Invariant: dies[] has all units but those of types, also units without code, and
 * ranges[] refers to them by index.
 */
#include "program/elf/units.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/bisect.h"

/* Far more than any program has; the limits bound memory for a made-up file. */
enum {
	UNITS_MAX = 1 << 24,
	RANGES_MAX = 1 << 24,
	PATH_BYTES_MAX = 1 << 12,
};

static bool add_unit(struct elf_units *units, Dwarf_Die *die)
{
	struct elf_unit_range range = { .unit = (uint32_t)units->n };
	Dwarf_Off offset = dwarf_dieoffset(die);
	Dwarf_Addr base;
	ptrdiff_t at = 0;

	if (units->n == UNITS_MAX || !APPEND(units->dies, units->n, offset))
		return false;
	while ((at = dwarf_ranges(die, at, &base, &range.start, &range.end)) > 0)
		if (range.start < range.end &&
		    !dwarf_is_left_out(&units->dwarf, range.start) &&
		    (units->n_ranges == RANGES_MAX ||
		     !APPEND(units->ranges, units->n_ranges, range)))
			return false;
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct elf_unit_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	/* The order is complete, so that the table does not depend on qsort(). */
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static bool read_units(struct elf_units *units)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (dwarf_get_units(units->dwarf.is, unit, &unit, NULL, &type, &die, NULL) ==
	       0)
		if (type != DW_UT_type && type != DW_UT_split_type &&
		    !add_unit(units, &die))
			return false;
	if (units->n_ranges)
		qsort(units->ranges, units->n_ranges, sizeof(*units->ranges), by_start);
	/* Without a range nothing can be found by address. */
	return units->n_ranges;
}

bool elf_units_open(struct elf_units *units, int fd, const char *path,
		    const char *build_id)
{
	*units = (struct elf_units){ .n = 0 };
	if (!dwarf_open(&units->dwarf, fd, path, build_id))
		return false;
	if (read_units(units))
		return true;
	elf_units_close(units);
	return false;
}

void elf_units_close(struct elf_units *units)
{
	free(units->dies);
	free(units->ranges);
	dwarf_close(&units->dwarf);
}

bool elf_units_find(const struct elf_units *units, uint64_t vaddr, uint32_t *unit)
{
	/*
	 * Ranges of different units do not overlap in a sound file; otherwise the later
	 * start wins.
	 */
	size_t n = BISECT(units->n_ranges, i, units->ranges[i].start <= vaddr);

	if (!n || vaddr >= units->ranges[n - 1].end)
		return false;
	*unit = units->ranges[n - 1].unit;
	return true;
}

/*
 * The result is cut where the next range starts, so that a caller who goes on from its
 * end meets every unit, also where ranges overlap.
 */
bool elf_units_from(const struct elf_units *units, uint64_t vaddr,
		    struct elf_unit_range *range)
{
	size_t n = BISECT(units->n_ranges, i, units->ranges[i].start <= vaddr);

	if (n && vaddr < units->ranges[n - 1].end)
		n--;
	if (n == units->n_ranges)
		return false;
	*range = units->ranges[n];
	if (n + 1 < units->n_ranges && units->ranges[n + 1].start < range->end)
		range->end = units->ranges[n + 1].start;
	return true;
}

bool elf_units_die(const struct elf_units *units, uint32_t unit, Dwarf_Die *die)
{
	return dwarf_offdie(units->dwarf.is, units->dies[unit], die);
}

bool elf_units_folder(const struct elf_units *units, Dwarf_Die *die, const char **folder)
{
	Dwarf_Attribute attribute;

	*folder = NULL;
	if (!dwarf_attr(die, DW_AT_comp_dir, &attribute))
		return true;
	/* A folder that is there but does not end makes the unit's paths worthless. */
	*folder = dwarf_string(&units->dwarf, &attribute);
	return *folder;
}

/* ---- paths of sources ---------------------------------------------------- */

/*
 * Removes "//", "/./" and "/x/../" from a path, so that one file has one name however its
 * compiler's command line was written. The result is never longer than `path`.
 */
static size_t simplify(const char *path, char *out)
{
	size_t n = 0, length;

	for (const char *at = path; *at; at += length) {
		length = strcspn(at + 1, "/") + 1; /* with the slash before it */
		if (length == 3 && !memcmp(at, "/..", 3)) {
			/* Removes the last part that was written. */
			while (n && out[--n] != '/')
				;
		} else if (length > 1 && !(length == 2 && at[1] == '.')) {
			memcpy(out + n, at, length);
			n += length;
		}
	}
	return n;
}

uint32_t elf_source_intern(struct interner *files, const char *folder, const char *path)
{
	const char *before = *path == '/' || !folder ? "" : folder;
	char full[PATH_BYTES_MAX], simple[PATH_BYTES_MAX];
	int n = snprintf(full, sizeof(full), *before ? "%s/%s" : "%s%s", before, path);
	bool fresh;

	if (n < 0 || n >= PATH_BYTES_MAX)
		return 0;
	/* A relative path without a folder is kept as it is. */
	if (*full == '/')
		n = (int)simplify(full, simple);
	else
		memcpy(simple, full, (size_t)n);
	simple[n++] = 0;
	return intern(files, 0, (const uint8_t *)simple, (uint32_t)n, &fresh);
}
