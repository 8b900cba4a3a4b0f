// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What mapped files tell of the code that ran, put into the trace at its end: names, lines
 * and inlined calls. It is some per cent of what the files have, so it is packed without
 * being asked for; two bounds keep it from ever being felt:
 *
 *  - bytes: all of it takes at most 2 % of the file so far, or 8 kB. A file of the program
 *    whose lines do not fit has its names packed; the program itself comes first, because it
 *    was mapped first;
 *  - time: of a file with more DWARF than the recording is worth only names are read.
 *
 * Blocks say which addresses ran. Several files may have been mapped at an address, one
 * after the other or in several processes: then the block's bytes say whose they are.
 *
 *	block 0x10400..0x10410		mapped there: a.out from byte 0x400 on
 *	mapping 0x10000..0x12000	ran: bytes 0x400..0x410 of a.out
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/append.h"
#include "base/bisect.h"
#include "collect/mapped-data.h"
#include "format/section.h"
#include "program/elf/code.h"

enum {
	SHARE = 50,		/* part of the file */
	BYTES_LEAST = 8192,	/* that may be packed into any file */
	DWARF_LEAST = 16 << 20, /* bytes of a file whose lines are read in any case */
	DWARF_PER_BYTE = 64,	/* and so many more for each byte of the trace */
};

/* Bytes of a file that ran. */
struct ran {
	struct code_range range;
	uint32_t file;
};

struct gathering {
	const struct mapped *mapped;
	struct mapping *mappings; /* [n] by start, each once */
	size_t n;
	struct ran *ran; /* [n_ran] */
	size_t n_ran;
	bool failed; /* no memory */
};

/* ---- which bytes ran ----------------------------------------------------- */

static int by_start(const void *left, const void *right)
{
	const struct mapping *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->file_off < b->file_off ? -1 : a->file_off > b->file_off;
}

/* Processes map the same files at the same places. */
static bool sort_mappings(struct gathering *gathering)
{
	const struct mapped *mapped = gathering->mapped;

	gathering->mappings = calloc(mapped->n_mappings + 1, sizeof(struct mapping));
	if (!gathering->mappings)
		return false;
	memcpy(gathering->mappings, mapped->mappings,
	       mapped->n_mappings * sizeof(struct mapping));
	qsort(gathering->mappings, mapped->n_mappings, sizeof(struct mapping), by_start);
	for (size_t i = 0; i < mapped->n_mappings; i++)
		if (!i || by_start(&gathering->mappings[i - 1], &gathering->mappings[i]))
			gathering->mappings[gathering->n++] = gathering->mappings[i];
	return true;
}

static void add_ran(struct gathering *gathering, const struct mapping *mapping,
		    uint64_t address, uint32_t bytes)
{
	struct ran *last = gathering->n_ran ? &gathering->ran[gathering->n_ran - 1] :
					      NULL;
	struct ran ran = { .file = mapping->file };

	ran.range.start = mapping->file_off + (address - mapping->start);
	ran.range.end = ran.range.start + bytes;
	/* Blocks are mostly translated one after the other. */
	if (last && last->file == ran.file && last->range.end == ran.range.start)
		last->range.end = ran.range.end;
	else
		gathering->failed |= !APPEND(gathering->ran, gathering->n_ran, ran);
}

static bool has_code(const struct gathering *gathering, const struct mapping *mapping,
		     uint64_t address, const uint8_t *code, uint32_t bytes)
{
	const struct mapped_file *file = &gathering->mapped->files[mapping->file];
	uint8_t there[4096];
	size_t n = bytes < sizeof(there) ? bytes : sizeof(there);

	return pread(file->fd, there, n,
		     (off_t)(mapping->file_off + (address - mapping->start))) ==
		       (ssize_t)n &&
	       !memcmp(there, code, n);
}

static bool is_over(const struct mapping *mapping, uint64_t address)
{
	return mapping->start <= address && address < mapping->end;
}

static void gather_block(struct gathering *gathering, uint64_t address,
			 const uint8_t *code, uint32_t bytes)
{
	enum { NESTED_MAX = 64 }; /* mappings before it that may reach as far */
	size_t end = BISECT(gathering->n, i, gathering->mappings[i].start <= address);
	size_t begin = end > NESTED_MAX ? end - NESTED_MAX : 0;
	unsigned over = 0;

	for (size_t i = begin; i < end; i++)
		over += is_over(&gathering->mappings[i], address);
	for (size_t i = begin; i < end; i++) {
		const struct mapping *mapping = &gathering->mappings[i];

		if (is_over(mapping, address) &&
		    (over == 1 || has_code(gathering, mapping, address, code, bytes)))
			add_ran(gathering, mapping, address, bytes);
	}
}

static void gather_blocks(struct gathering *gathering, const struct definitions *defs)
{
	for (uint32_t id = 1; id <= defs->known && !gathering->failed; id++) {
		uint64_t address;
		uint32_t bytes;
		const uint8_t *code = definitions_code(defs, id, &address, &bytes);

		if (bytes)
			gather_block(gathering, address, code, bytes);
	}
}

static int by_file(const void *left, const void *right)
{
	const struct ran *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->range.start < b->range.start ? -1 : a->range.start > b->range.start;
}

/* Sorts what ran, and joins what overlaps or touches. */
static void settle(struct gathering *gathering)
{
	struct ran *ran = gathering->ran;
	size_t n = 0;

	if (gathering->n_ran)
		qsort(ran, gathering->n_ran, sizeof(*ran), by_file);
	for (size_t i = 0; i < gathering->n_ran; i++) {
		if (!n || ran[n - 1].file != ran[i].file ||
		    ran[n - 1].range.end < ran[i].range.start)
			ran[n++] = ran[i];
		else if (ran[n - 1].range.end < ran[i].range.end)
			ran[n - 1].range.end = ran[i].range.end;
	}
	gathering->n_ran = n;
}

/* ---- packing ------------------------------------------------------------- */

/* Whether a file's lines may be read: what that takes grows with the file. */
static bool is_small(const struct mapped_file *file, uint64_t written)
{
	struct stat st;

	return fstat(file->fd, &st) == 0 &&
	       (uint64_t)st.st_size <= DWARF_LEAST + written * DWARF_PER_BYTE;
}

/* Names without places where both do not fit. */
static void put_file(const struct mapped *mapped, const struct mapped_file *file,
		     const struct code_range *ran, size_t n, uint64_t *room,
		     struct output *out)
{
	struct symtab_head head = { (char *)file->build_id, file->path };
	bool places = is_small(file, writer_bytes(out->writer));
	struct buf payload = BUF_INIT;
	struct codemap map = CODEMAP_INIT;
	bool fits;

	if (!mapped_is_unchanged(file))
		return;
	mapped_read_names(mapped, file, &map.names);
	if (!elf_code_read(&map, file->fd, file->path, file->build_id, ran, n, places))
		return;
	/* Named already, as all of the file is. */
	if (file->packed)
		map.names.n_ranges = 0;
	fits = codemap_put(&payload, &head, &map, places) && payload.len <= *room;
	if (!fits && places) {
		payload.len = 0;
		fits = codemap_put(&payload, &head, &map, false) && payload.len <= *room;
	}
	*room -= fits ? payload.len : 0;
	if (fits)
		output_put(out, SECTION_CODE, &payload, 0);
	buf_fini(&payload);
	codemap_fini(&map);
}

static void put_files(const struct gathering *gathering, struct output *out)
{
	uint64_t room = writer_bytes(out->writer) / SHARE;
	const struct ran *ran = gathering->ran;
	struct code_range *ranges;
	size_t n;

	room = room < BYTES_LEAST ? BYTES_LEAST : room;
	ranges = calloc(gathering->n_ran + 1, sizeof(*ranges));
	for (size_t i = 0; ranges && i < gathering->n_ran; i += n) {
		for (n = 0; i + n < gathering->n_ran && ran[i + n].file == ran[i].file;
		     n++)
			ranges[n] = ran[i + n].range;
		put_file(gathering->mapped, &gathering->mapped->files[ran[i].file],
			 ranges, n, &room, out);
	}
	free(ranges);
}

void mapped_put_code(const struct mapped *mapped, const struct definitions *defs,
		     struct output *out)
{
	struct gathering gathering = { .mapped = mapped };

	if (!mapped->pack_code || !mapped->n_mappings)
		return;
	if (sort_mappings(&gathering)) {
		gather_blocks(&gathering, defs);
		settle(&gathering);
		put_files(&gathering, out);
	}
	free(gathering.mappings);
	free(gathering.ran);
}
