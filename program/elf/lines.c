// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The source lines of a file's code.
 *
 * A table of which unit has which addresses is made first, from the units' ranges alone.
 * A unit's own table of lines, which is the large part, is read when it is needed.
 * Between two rows of a line table every byte belongs to the first. Rows without a byte
 * are left out, so of several rows at one address the last one counts, as in debuggers.
 *
 * Example: rows 0x100 line 7, 0x108 line 8, 0x108 line 9, 0x110 end. Bytes 0x100 to 0x107
 * are of line 7, 0x108 to 0x10f of line 9; line 8 has none.
 *
 * libdw checks what it reads against the file. It cannot check how often ranges or tables
 * are referred to, so these are counted here.
 */
#include "program/elf/lines.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/bisect.h"
#include "program/elf/units.h"

/*
 * A bound on the rows of all units together: 2 GiB of memory, which no real program comes
 * near.
 */
enum { ROWS_MAX = 1 << 26 };

struct unit {
	bool read;
	struct elf_line *rows; /* [n], by start, which is a virtual address here */
	size_t n;
};

struct elf_lines {
	struct elf_units is;
	struct unit *units; /* [is.n] */
	size_t rows;	    /* of all units */
	struct interner *files;
};

/* ---- rows ---------------------------------------------------------------- */

/* A unit's table as it is read. */
struct reading {
	struct elf_lines *lines;
	const char *folder; /* what paths are relative to; NULL: not known */
	const char *path;   /* looked up last: most rows have that of the one before */
	uint32_t file;
};

/* Fills in a row that goes up to `end`; false when there is nothing in it. */
static bool get_row(struct reading *reading, Dwarf_Line *line, uint64_t end,
		    struct elf_line *row)
{
	Dwarf_Addr start;
	bool last_of_all;
	const char *path;
	unsigned discriminator;
	int number;

	/* The row that ends a sequence has an address but no line. */
	if (dwarf_lineaddr(line, &start) || dwarf_lineendsequence(line, &last_of_all) ||
	    last_of_all || start >= end || dwarf_lineno(line, &number) || number < 0)
		return false;
	path = dwarf_linesrc(line, NULL, NULL);
	if (!path)
		return false;
	/*
	 * libdw mostly returns the same pointer for the same file, so comparing pointers
	 * avoids most lookups.
	 */
	if (path != reading->path) {
		reading->path = path;
		reading->file =
			elf_source_intern(reading->lines->files, reading->folder, path);
	}
	if (dwarf_linediscriminator(line, &discriminator))
		discriminator = 0;
	*row = (struct elf_line){ start, end, reading->file, (uint32_t)number,
				  discriminator };
	return reading->file;
}

/*
 * libdw has sorted the table by address, and rows of one address in the order of the
 * file.
 */
static void read_rows(struct elf_lines *lines, uint32_t index)
{
	struct reading reading = { .lines = lines };
	struct unit *unit = &lines->units[index];
	Dwarf_Lines *table;
	Dwarf_Die die;
	Dwarf_Addr end;
	size_t n;

	unit->read = true;
	/* Bounds the rows of all units: tables may be shared on purpose. */
	if (!elf_units_die(&lines->is, index, &die) ||
	    dwarf_getsrclines(&die, &table, &n) || n > ROWS_MAX - lines->rows ||
	    !elf_units_folder(&lines->is, &die, &reading.folder))
		return;
	unit->rows = malloc((n + 1) * sizeof(*unit->rows));
	/* The last row has no successor, so nothing belongs to it. */
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
		read_rows(lines, index);
	return unit;
}

/* ---- all of it ----------------------------------------------------------- */

struct elf_lines *elf_lines_open(int fd, const char *path, const char *build_id,
				 struct interner *files)
{
	struct elf_lines *lines = calloc(1, sizeof(*lines));

	if (!lines) {
		close(fd);
		return NULL;
	}
	lines->files = files;
	if (!elf_units_open(&lines->is, fd, path, build_id)) {
		free(lines);
		return NULL;
	}
	lines->units = calloc(lines->is.n, sizeof(*lines->units));
	if (lines->units)
		return lines;
	elf_lines_close(lines);
	return NULL;
}

void elf_lines_close(struct elf_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; lines->units && i < lines->is.n; i++)
		free(lines->units[i].rows);
	free(lines->units);
	elf_units_close(&lines->is);
	free(lines);
}

const struct elf_units *elf_lines_units(const struct elf_lines *lines)
{
	return &lines->is;
}

/* The row over an address of a unit. */
static const struct elf_line *find_row(const struct unit *unit, uint64_t vaddr)
{
	size_t n = BISECT(unit->n, i, unit->rows[i].start <= vaddr);

	return n && vaddr < unit->rows[n - 1].end ? &unit->rows[n - 1] : NULL;
}

bool elf_lines_at(struct elf_lines *lines, uint64_t file_off, struct elf_line *line)
{
	const struct dwarf_segment *segment =
		dwarf_segment_of(&lines->is.dwarf, file_off);
	const struct elf_line *row;
	uint64_t vaddr;
	uint32_t unit;

	if (!segment)
		return false;
	vaddr = segment->vaddr + (file_off - segment->file_off);
	row = elf_units_find(&lines->is, vaddr, &unit) ?
		      find_row(rows_of(lines, unit), vaddr) :
		      NULL;
	/* Line 0 is code that the compiler made for no line. */
	if (!row || !row->line)
		return false;
	*line = *row;
	dwarf_place(segment, &line->start, &line->end);
	return true;
}

bool elf_lines_each(struct elf_lines *lines,
		    bool (*take)(void *cookie, const struct elf_line *line), void *cookie)
{
	for (uint32_t i = 0; i < lines->is.n; i++) {
		const struct unit *unit = rows_of(lines, i);

		for (size_t j = 0; j < unit->n; j++) {
			const struct dwarf_segment *segment =
				dwarf_segment_at(&lines->is.dwarf, unit->rows[j].start);
			struct elf_line row = unit->rows[j];

			/*
			 * Code that is not loaded, or that is of no line, has no place in
			 * a list of lines.
			 */
			if (!segment || !row.line)
				continue;
			dwarf_place(segment, &row.start, &row.end);
			if (!take(cookie, &row))
				return false;
		}
	}
	return true;
}

/*
 * The rows of a unit over addresses start <= address < end, which are in `segment`. The first
 * begins where it does: the begin of a line is a place of its own (program/landmarks.h).
 */
static bool take_rows(const struct unit *unit, const struct dwarf_segment *segment,
		      uint64_t start, uint64_t end,
		      bool (*take)(void *cookie, const struct elf_line *line),
		      void *cookie)
{
	size_t i = BISECT(unit->n, j, unit->rows[j].start <= start);

	for (i -= i ? 1 : 0; i < unit->n && unit->rows[i].start < end; i++) {
		struct elf_line row = unit->rows[i];

		if (!row.line || row.end <= start)
			continue;
		row.end = row.end > end ? end : row.end;
		dwarf_place(segment, &row.start, &row.end);
		if (!take(cookie, &row))
			return false;
	}
	return true;
}

/*
 * The range is cut at the end of its segment. elf_units_from() skips the holes between
 * units.
 */
bool elf_lines_over(struct elf_lines *lines, uint64_t from, uint64_t to,
		    bool (*take)(void *cookie, const struct elf_line *line), void *cookie)
{
	const struct dwarf_segment *segment = dwarf_segment_of(&lines->is.dwarf, from);
	struct elf_unit_range range;
	uint64_t vaddr, end;

	if (!segment)
		return true;
	vaddr = segment->vaddr + (from - segment->file_off);
	end = segment->vaddr + segment->bytes;
	end = to - from < end - vaddr ? vaddr + (to - from) : end;
	while (vaddr < end && elf_units_from(&lines->is, vaddr, &range) &&
	       range.start < end) {
		uint64_t start = range.start < vaddr ? vaddr : range.start;

		vaddr = range.end < end ? range.end : end;
		if (!take_rows(rows_of(lines, range.unit), segment, start, vaddr, take,
			       cookie))
			return false;
	}
	return true;
}
