// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ranges are put column by column, each as the difference from what is likely: code is made
 * at ascending addresses, in one process, and lies in the file one piece after the other.
 *
 *	space	address		bytes	offset		put
 *	0	0x40010000	0x80	0		0, +0x40010000, 0x80, 0
 *	0	0x40010080	0x40	0x80		0, +0x80, 0x40, 0
 *
 * Invariant of what made_get() accepts: no range is empty, and no end is before its start.
 */
#include "format/made.h"

#include <stdlib.h>

#include "format/pack.h"

enum { RANGES_LEVEL = 19 }; /* zstd: there is little of it, and it is written once */

/* The difference between two numbers, which may wrap, small where they are near. */
static uint64_t step(uint64_t from, uint64_t to)
{
	return zigzag((int64_t)(to - from));
}

bool made_put(struct buf *payload, const struct symtab_head *head,
	      const struct made_range *ranges, uint32_t n)
{
	struct made_range none = { 0 };
	struct buf table = BUF_INIT;
	bool good;

	buf_put_varint(&table, n);
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(&table, ranges[i].space);
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(&table,
			       step(i ? ranges[i - 1].start : 0, ranges[i].start));
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(&table, ranges[i].end - ranges[i].start);
	for (uint32_t i = 0; i < n; i++) {
		const struct made_range *last = i ? &ranges[i - 1] : &none;

		buf_put_varint(&table, step(last->file_off + (last->end - last->start),
					    ranges[i].file_off));
	}
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(&table,
			       step(i ? ranges[i - 1].known : 0, ranges[i].known));
	/* Nothing is put that made_get() would refuse. */
	good = n <= MADE_RANGES_MAX && !table.failed && table.len <= MADE_RAW_MAX;
	if (good) {
		buf_put_string(payload, head->build_id);
		buf_put_string(payload, head->path);
		pack_put(payload, table.data, table.len, RANGES_LEVEL);
	}
	buf_fini(&table);
	return good && !payload->failed;
}

static uint32_t get_u32(struct span *span, uint64_t from, bool difference)
{
	uint64_t number = span_varint(span);

	if (difference)
		number = from + (uint64_t)unzigzag(number);
	span->failed |= number > UINT32_MAX;
	return (uint32_t)number;
}

static void get_ranges(struct span *span, struct made_range *ranges, uint32_t n)
{
	struct made_range none = { 0 };

	for (uint32_t i = 0; i < n; i++)
		ranges[i].space = get_u32(span, 0, false);
	for (uint32_t i = 0; i < n; i++)
		ranges[i].start = (i ? ranges[i - 1].start : 0) +
				  (uint64_t)unzigzag(span_varint(span));
	for (uint32_t i = 0; i < n; i++) {
		ranges[i].end = span_sum(span, ranges[i].start, span_varint(span));
		span->failed |= ranges[i].end == ranges[i].start;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct made_range *last = i ? &ranges[i - 1] : &none;

		ranges[i].file_off = last->file_off + (last->end - last->start) +
				     (uint64_t)unzigzag(span_varint(span));
	}
	for (uint32_t i = 0; i < n; i++)
		ranges[i].known = get_u32(span, i ? ranges[i - 1].known : 0, true);
}

bool made_get(struct span *span, struct made_range **ranges, uint32_t *n)
{
	struct buf raw = BUF_INIT;
	struct span table;

	*ranges = NULL;
	pack_get(span, &raw, MADE_RAW_MAX);
	table = span_of(raw.data, raw.len);
	*n = span_count(&table, MADE_RANGES_MAX, 5);
	if (!span->failed && !raw.failed && !table.failed)
		*ranges = calloc(*n + 1ul, sizeof(**ranges));
	if (*ranges)
		get_ranges(&table, *ranges, *n);
	span->failed |= table.failed || (*ranges && span_left(&table));
	buf_fini(&raw);
	if (*ranges && !span->failed)
		return true;
	free(*ranges);
	*ranges = NULL;
	return false;
}
