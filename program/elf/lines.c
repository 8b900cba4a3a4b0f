// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table of which unit has which addresses is made first, from the units' ranges alone;
 * a unit's own table of lines, which is the large part, when it is needed. Between two rows
 * of a line table every byte belongs to the first; rows without a byte are left out, so that
 * of several rows at one address the last stands, as debuggers have it.
 *
 * libdw checks what it reads against the file; what it cannot check is how often ranges or
 * tables are pointed at, so these are counted here.
 */
#include "program/elf/lines.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/bisect.h"
#include "program/elf/dwarf.h"

enum {
	UNITS_MAX = 1 << 24,
	RANGES_MAX = 1 << 24,
	ROWS_MAX = 1 << 26,
	PATH_BYTES_MAX = 1 << 12,
};

struct unit {
	Dwarf_Off die;
	bool read;
	struct elf_line *rows; /* [n], by start, which is a virtual address here */
	size_t n;
};

/* Addresses of a unit. */
struct range {
	uint64_t start, end;
	uint32_t unit;
};

struct elf_lines {
	struct dwarf dwarf;
	struct unit *units;
	struct range *ranges;
	size_t n_units, n_ranges;
	size_t rows; /* of all units */
	struct interner *files;
};

/* ---- units ---------------------------------------------------------------------------- */

static bool add_unit(struct elf_lines *lines, Dwarf_Die *die)
{
	struct unit unit = { .die = dwarf_dieoffset(die) };
	struct range range = { .unit = (uint32_t)lines->n_units };
	Dwarf_Addr base;
	ptrdiff_t at = 0;

	if (lines->n_units == UNITS_MAX || !APPEND(lines->units, lines->n_units, unit))
		return false;
	while ((at = dwarf_ranges(die, at, &base, &range.start, &range.end)) > 0)
		if (range.start < range.end &&
		    (lines->n_ranges == RANGES_MAX ||
		     !APPEND(lines->ranges, lines->n_ranges, range)))
			return false;
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static bool read_units(struct elf_lines *lines)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (dwarf_get_units(lines->dwarf.is, unit, &unit, NULL, &type, &die, NULL) ==
	       0)
		if (type != DW_UT_type && type != DW_UT_split_type &&
		    !add_unit(lines, &die))
			return false;
	if (lines->n_ranges)
		qsort(lines->ranges, lines->n_ranges, sizeof(*lines->ranges), by_start);
	return lines->n_ranges;
}

/* ---- rows ----------------------------------------------------------------------------- */

/*
 * Takes "//", "/./" and "/x/../" out of a path; whoever compiled it may have written it so.
 * `out` has room for as much.
 */
static size_t simplify(const char *path, char *out)
{
	size_t n = 0, length;

	for (const char *at = path; *at; at += length) {
		length = strcspn(at + 1, "/") + 1; /* with the slash before it */
		if (length == 3 && !memcmp(at, "/..", 3)) {
			while (n && out[--n] != '/')
				;
		} else if (length > 1 && !(length == 2 && at[1] == '.')) {
			memcpy(out + n, at, length);
			n += length;
		}
	}
	return n;
}

/* A unit's table as it is read. */
struct reading {
	struct elf_lines *lines;
	const char *folder; /* what paths are relative to; NULL: not known */
	const char *path;   /* looked up last: most rows have that of the one before */
	uint32_t file;
};

static uint32_t file_of(const struct reading *reading, const char *path)
{
	const char *folder = *path == '/' || !reading->folder ? "" : reading->folder;
	char full[PATH_BYTES_MAX], simple[PATH_BYTES_MAX];
	int n = snprintf(full, sizeof(full), *folder ? "%s/%s" : "%s%s", folder, path);
	bool fresh;

	if (n < 0 || n >= PATH_BYTES_MAX)
		return 0;
	if (*full == '/')
		n = (int)simplify(full, simple);
	else
		memcpy(simple, full, (size_t)n);
	simple[n++] = 0;
	return intern(reading->lines->files, 0, (const uint8_t *)simple, (uint32_t)n,
		      &fresh);
}

/* Fills in a row that goes up to `end`; false when there is nothing in it. */
static bool get_row(struct reading *reading, Dwarf_Line *line, uint64_t end,
		    struct elf_line *row)
{
	Dwarf_Addr start;
	bool last_of_all;
	const char *path;
	int number;

	if (dwarf_lineaddr(line, &start) || dwarf_lineendsequence(line, &last_of_all) ||
	    last_of_all || start >= end || dwarf_lineno(line, &number) || number < 0)
		return false;
	path = dwarf_linesrc(line, NULL, NULL);
	if (!path)
		return false;
	if (path != reading->path) {
		reading->path = path;
		reading->file = file_of(reading, path);
	}
	*row = (struct elf_line){ start, end, reading->file, (uint32_t)number };
	return reading->file;
}

static void read_rows(struct elf_lines *lines, struct unit *unit)
{
	struct reading reading = { .lines = lines };
	Dwarf_Lines *table;
	Dwarf_Attribute folder;
	Dwarf_Die die;
	Dwarf_Addr end;
	size_t n;

	unit->read = true;
	if (!dwarf_offdie(lines->dwarf.is, unit->die, &die) ||
	    dwarf_getsrclines(&die, &table, &n) || n > ROWS_MAX - lines->rows)
		return;
	if (dwarf_attr(&die, DW_AT_comp_dir, &folder)) {
		reading.folder = dwarf_string(&lines->dwarf, &folder);
		if (!reading.folder)
			return;
	}
	unit->rows = malloc((n + 1) * sizeof(*unit->rows));
	for (size_t i = 0; unit->rows && i + 1 < n; i++)
		if (dwarf_lineaddr(dwarf_onesrcline(table, i + 1), &end) == 0 &&
		    get_row(&reading, dwarf_onesrcline(table, i), end,
			    &unit->rows[unit->n]))
			unit->n++;
	lines->rows += n;
}

static struct unit *rows_of(struct elf_lines *lines, uint32_t index)
{
	struct unit *unit = &lines->units[index];

	if (!unit->read)
		read_rows(lines, unit);
	return unit;
}

/* ---- all of it ------------------------------------------------------------------------ */

struct elf_lines *elf_lines_open(int fd, const char *path, const char *build_id,
				 struct interner *files)
{
	struct elf_lines *lines = calloc(1, sizeof(*lines));

	if (!lines) {
		close(fd);
		return NULL;
	}
	lines->files = files;
	if (!dwarf_open(&lines->dwarf, fd, path, build_id)) {
		free(lines);
		return NULL;
	}
	if (read_units(lines))
		return lines;
	elf_lines_close(lines);
	return NULL;
}

void elf_lines_close(struct elf_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->n_units; i++)
		free(lines->units[i].rows);
	free(lines->units);
	free(lines->ranges);
	dwarf_close(&lines->dwarf);
	free(lines);
}

/* The row over an address of a unit. */
static const struct elf_line *find_row(const struct unit *unit, uint64_t vaddr)
{
	size_t n = BISECT(unit->n, i, unit->rows[i].start <= vaddr);

	return n && vaddr < unit->rows[n - 1].end ? &unit->rows[n - 1] : NULL;
}

static const struct range *find_range(const struct elf_lines *lines, uint64_t vaddr)
{
	size_t n = BISECT(lines->n_ranges, i, lines->ranges[i].start <= vaddr);

	return n && vaddr < lines->ranges[n - 1].end ? &lines->ranges[n - 1] : NULL;
}

bool elf_lines_at(struct elf_lines *lines, uint64_t file_off, struct elf_line *line)
{
	const struct dwarf_segment *segment = dwarf_segment_of(&lines->dwarf, file_off);
	const struct range *range;
	const struct elf_line *row;
	uint64_t vaddr;

	if (!segment)
		return false;
	vaddr = segment->vaddr + (file_off - segment->file_off);
	range = find_range(lines, vaddr);
	row = range ? find_row(rows_of(lines, range->unit), vaddr) : NULL;
	if (!row || !row->line)
		return false;
	*line = *row;
	dwarf_place(segment, &line->start, &line->end);
	return true;
}

bool elf_lines_each(struct elf_lines *lines,
		    bool (*take)(void *cookie, const struct elf_line *line), void *cookie)
{
	for (uint32_t i = 0; i < lines->n_units; i++) {
		const struct unit *unit = rows_of(lines, i);

		for (size_t j = 0; j < unit->n; j++) {
			const struct dwarf_segment *segment =
				dwarf_segment_at(&lines->dwarf, unit->rows[j].start);
			struct elf_line row = unit->rows[j];

			if (!segment || !row.line)
				continue;
			dwarf_place(segment, &row.start, &row.end);
			if (!take(cookie, &row))
				return false;
		}
	}
	return true;
}
