// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The names of the code in an ELF file: search, put and get.
 *
 * A search starts at the last range that starts at or before the address, and continues
 * with the ranges around it. The number of steps is bounded: compilers nest a few ranges,
 * only an attacker nests many. Example: ranges f 0x10..0x50 and g 0x20..0x30. At 0x40 the
 * last start is that of g, which ends before; the range around it, f, covers the address.
 *
 * Invariant: starts ascend strictly, and ranges[i].outer < i, so every walk outwards
 * ends.
 */
#include "format/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "format/pack.h"

/* Steps of a search; zstd level of the packed names. */
enum { NESTED_MAX = 64, NAMES_LEVEL = 9 };

#define SEGMENT_CODE 1u /* flag of a segment */

void symtab_fini(struct symtab *symtab)
{
	free(symtab->segments);
	free(symtab->ranges);
	buf_fini(&symtab->names);
	*symtab = SYMTAB_INIT;
}

void symtab_nest(struct symtab *symtab)
{
	struct symtab_range *ranges = symtab->ranges;

	for (uint32_t i = 0; i < symtab->n_ranges; i++) {
		uint32_t outer = i ? i - 1 : SYMTAB_NO_RANGE;

		/*
		 * A range that ended before this start ends before all later starts as
		 * well.
		 */
		while (outer != SYMTAB_NO_RANGE && ranges[outer].end <= ranges[i].start)
			outer = ranges[outer].outer;
		ranges[i].outer = outer;
	}
}

/* The lower start next; of equal starts that of `from`, and both are passed. */
bool symtab_merge(struct symtab *symtab, const struct symtab *from)
{
	uint32_t n = symtab->n_ranges, more = from->n_ranges, i = 0, j = 0, to = 0;
	size_t base = symtab->names.len;
	struct symtab_range *all = calloc((size_t)n + more + 1, sizeof(*all));

	if (!all || base + from->names.len > UINT32_MAX ||
	    !buf_reserve(&symtab->names, from->names.len)) {
		free(all);
		return false;
	}
	buf_put(&symtab->names, from->names.data, from->names.len);
	while (i < n || j < more) {
		bool ours = j == more ||
			    (i < n && symtab->ranges[i].start < from->ranges[j].start);

		if (!ours && i < n && symtab->ranges[i].start == from->ranges[j].start)
			i++;
		all[to] = ours ? symtab->ranges[i++] : from->ranges[j++];
		all[to++].name += ours ? 0 : (uint32_t)base;
	}
	free(symtab->ranges);
	symtab->ranges = all;
	symtab->n_ranges = to;
	symtab_nest(symtab);
	return true;
}

/* ---- finding ------------------------------------------------------------- */

/*
 * Segments can share a page of the file, but usually no bytes of it. If they do, the
 * segment with code takes precedence.
 */
bool symtab_vaddr(const struct symtab *symtab, uint64_t file_off, uint64_t *vaddr)
{
	bool found = false;

	for (uint32_t i = 0; i < symtab->n_segments; i++) {
		const struct symtab_segment *segment = &symtab->segments[i];

		/* Unsigned: this skips segments that begin after file_off as well. */
		if (file_off - segment->file_off >= segment->bytes ||
		    (found && !segment->code))
			continue;
		*vaddr = segment->vaddr + (file_off - segment->file_off);
		found = true;
		if (segment->code)
			break;
	}
	return found;
}

/* *off is written for every segment; it only means something when the result is true. */
bool symtab_file_off(const struct symtab *symtab, uint64_t vaddr, uint64_t *file_off)
{
	for (uint32_t i = 0; i < symtab->n_segments; i++) {
		const struct symtab_segment *segment = &symtab->segments[i];

		*file_off = segment->file_off + (vaddr - segment->vaddr);
		if (vaddr - segment->vaddr < segment->bytes)
			return true;
	}
	return false;
}

/* The number of ranges that start at or before vaddr. */
static uint32_t starts_up_to(const struct symtab *symtab, uint64_t vaddr)
{
	return (uint32_t)BISECT(symtab->n_ranges, i, symtab->ranges[i].start <= vaddr);
}

const struct symtab_range *symtab_range(const struct symtab *symtab, uint64_t file_off,
					uint64_t *offset)
{
	const struct symtab_range *ranges = symtab->ranges;
	uint64_t vaddr = 0;
	uint32_t at;

	if (!symtab_vaddr(symtab, file_off, &vaddr))
		return NULL;
	at = starts_up_to(symtab, vaddr);
	/* 0 ranges start at or before the address: there is nothing to search. */
	at = at ? at - 1 : SYMTAB_NO_RANGE;
	for (unsigned i = 0; i < NESTED_MAX && at != SYMTAB_NO_RANGE; i++) {
		if (ranges[at].end > vaddr) {
			*offset = vaddr - ranges[at].start;
			return &ranges[at];
		}
		at = ranges[at].outer;
	}
	return NULL;
}

const char *symtab_find(const struct symtab *symtab, uint64_t file_off, uint64_t *offset)
{
	const struct symtab_range *range = symtab_range(symtab, file_off, offset);

	return range ? (const char *)symtab->names.data + range->name : NULL;
}

/* To where a segment ends or another one begins. */
static uint64_t segment_along(const struct symtab *symtab, uint64_t file_off)
{
	uint64_t bytes = UINT64_MAX - file_off;

	for (uint32_t i = 0; i < symtab->n_segments; i++) {
		uint64_t start = symtab->segments[i].file_off;
		uint64_t all = symtab->segments[i].bytes;
		uint64_t left = file_off < start       ? start - file_off :
				file_off - start < all ? all - (file_off - start) :
							 bytes;

		if (left < bytes)
			bytes = left;
	}
	return bytes;
}

/* A name ends where its range does, or where one inside it starts. */
uint64_t symtab_along(const struct symtab *symtab, uint64_t file_off)
{
	const struct symtab_range *found;
	uint64_t vaddr, offset, bytes = segment_along(symtab, file_off);
	uint32_t next;

	if (!symtab_vaddr(symtab, file_off, &vaddr))
		return bytes;
	found = symtab_range(symtab, file_off, &offset);
	next = starts_up_to(symtab, vaddr);
	if (found && found->end - vaddr < bytes)
		bytes = found->end - vaddr;
	if (next < symtab->n_ranges && symtab->ranges[next].start - vaddr < bytes)
		bytes = symtab->ranges[next].start - vaddr;
	return bytes;
}

/* ---- putting ------------------------------------------------------------- */

static const char *name_of(const struct symtab *symtab, uint32_t index)
{
	return (const char *)symtab->names.data + symtab->ranges[index].name;
}

/* Column by column: similar numbers compress best together. */
static void put_table(struct buf *table, const struct symtab *symtab)
{
	uint64_t last = 0;

	buf_put_varint(table, symtab->n_segments);
	for (uint32_t i = 0; i < symtab->n_segments; i++) {
		const struct symtab_segment *segment = &symtab->segments[i];

		buf_put_varint(table, segment->file_off);
		buf_put_varint(table, segment->bytes);
		buf_put_varint(table, segment->vaddr);
		buf_put_varint(table, segment->code ? SEGMENT_CODE : 0);
	}
	buf_put_varint(table, symtab->n_ranges);
	for (uint32_t i = 0; i < symtab->n_ranges; i++) {
		buf_put_varint(table, symtab->ranges[i].start - last);
		last = symtab->ranges[i].start;
	}
	for (uint32_t i = 0; i < symtab->n_ranges; i++)
		buf_put_varint(table, symtab->ranges[i].end - symtab->ranges[i].start);
	for (uint32_t i = 0; i < symtab->n_ranges; i++)
		buf_put(table, name_of(symtab, i), strlen(name_of(symtab, i)) + 1);
}

bool symtab_put(struct buf *payload, const struct symtab_head *head,
		const struct symtab *symtab)
{
	struct buf table = BUF_INIT;
	bool good = symtab->n_segments <= SYMTAB_SEGMENTS_MAX &&
		    symtab->n_ranges <= SYMTAB_RANGES_MAX;

	/* Nothing is put that symtab_get() would refuse. */
	if (good)
		put_table(&table, symtab);
	good = good && !table.failed && table.len <= SYMTAB_RAW_MAX;
	if (good) {
		buf_put_string(payload, head->build_id);
		buf_put_string(payload, head->path);
		pack_put(payload, table.data, table.len, NAMES_LEVEL);
	}
	buf_fini(&table);
	return good && !payload->failed;
}

/* ---- getting ------------------------------------------------------------- */

bool symtab_get_head(struct span *span, struct symtab_head *head)
{
	head->build_id = span_string(span);
	head->path = span_string(span);
	if (head->build_id && head->path && !span->failed)
		return true;
	symtab_head_fini(head);
	return false;
}

void symtab_head_fini(struct symtab_head *head)
{
	free(head->build_id);
	free(head->path);
}

static bool get_segments(struct span *span, struct symtab *symtab)
{
	uint32_t n = span_count(span, SYMTAB_SEGMENTS_MAX, 4);

	/* 1 more, because calloc() of nothing may return NULL. */
	symtab->segments = calloc(n + 1ul, sizeof(*symtab->segments));
	if (!symtab->segments)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct symtab_segment *segment = &symtab->segments[i];

		segment->file_off = span_varint(span);
		segment->bytes = span_varint(span);
		segment->vaddr = span_varint(span);
		segment->code = span_varint(span) & SEGMENT_CODE;
	}
	symtab->n_segments = n;
	return !span->failed;
}

static bool get_places(struct span *span, struct symtab *symtab)
{
	uint32_t n = span_count(span, SYMTAB_RANGES_MAX, 3);

	symtab->ranges = calloc(n + 1ul, sizeof(*symtab->ranges));
	if (!symtab->ranges)
		return false;
	/* All starts come first, then all sizes. */
	for (uint32_t i = 0; i < n; i++) {
		struct symtab_range *range = &symtab->ranges[i];

		range->start = span_sum(span, i ? range[-1].start : 0, span_varint(span));
		/*
		 * A search relies on ascending starts: equal ones would make one range
		 * unreachable.
		 */
		if (i && range->start == range[-1].start)
			span->failed = true;
	}
	for (uint32_t i = 0; i < n; i++)
		symtab->ranges[i].end =
			span_sum(span, symtab->ranges[i].start, span_varint(span));
	symtab->n_ranges = n;
	return !span->failed;
}

/* One name for each range, to the end of the span. */
static bool get_names(struct span *span, struct symtab *symtab)
{
	size_t bytes = span_left(span), at = 0;
	const uint8_t *names = span_bytes(span, bytes);

	for (uint32_t i = 0; i < symtab->n_ranges; i++) {
		const uint8_t *end = memchr(names + at, 0, bytes - at);

		if (!end) {
			span->failed = true;
			return false;
		}
		symtab->ranges[i].name = (uint32_t)at;
		at = (size_t)(end - names) + 1;
	}
	/*
	 * Names for exactly all ranges. The bytes are kept as they are, so offsets stay
	 * valid.
	 */
	span->failed = at != bytes;
	buf_put(&symtab->names, names, bytes);
	return !span->failed && !symtab->names.failed;
}

/* False with a sound span means that there is no memory. */
bool symtab_get(struct span *span, struct symtab *symtab)
{
	struct buf raw = BUF_INIT;
	struct span table;
	bool good;

	*symtab = SYMTAB_INIT;
	pack_get(span, &raw, SYMTAB_RAW_MAX);
	if (span->failed || raw.failed) {
		buf_fini(&raw);
		return false;
	}
	table = span_of(raw.data, raw.len);
	good = get_segments(&table, symtab) && get_places(&table, symtab) &&
	       get_names(&table, symtab);
	span->failed = table.failed;
	buf_fini(&raw);
	if (good)
		symtab_nest(symtab);
	else
		symtab_fini(symtab);
	return good;
}
