// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An item begins with a byte: what it is, in two bits, and of an access its kind in two more and
 * whether data are stored. The time since the item before follows, then of an access the
 * block's id, the instruction and its bytes; then the distance from the address before. What 3
 * is a mark: of the space, or of the interval, in which later accesses are.
 *
 * Example: an access that misses L1 and L2 takes some 8 bytes; one of a hundred accesses does.
 */
#include "analysis/cache/below.h"

#include "analysis/statebytes.h"

enum { WHAT_MASK = 3, MARK = 3, KIND_SHIFT = 2, STORED_SHIFT = 4 };
enum { MARK_SPACE = MARK, MARK_INTERVAL = MARK | 1 << KIND_SHIFT };
/* Of one access, as in log.c. */
enum { BYTES_MAX = 1 << 16 };

static void put_mark(struct cache_below *below, uint8_t mark, uint64_t value)
{
	buf_put_u8(&below->items, mark);
	buf_put_varint(&below->items, value);
}

static void put_head(struct cache_below *below, unsigned head)
{
	buf_put_u8(&below->items, (uint8_t)head);
	buf_put_varint(&below->items, below->now - below->last.ns);
	below->last.ns = below->now;
}

static void put_address(struct cache_below *below, uint64_t address)
{
	buf_put_varint(&below->items,
		       zigzag((int64_t)(address - below->last.access.address)));
	below->last.access.address = address;
}

void cache_below_access(struct cache_below *below, const struct cache_access *access,
			bool stored)
{
	if (below->space != below->last.space)
		put_mark(below, MARK_SPACE, below->space);
	if (below->interval != below->last.interval)
		put_mark(below, MARK_INTERVAL, below->interval);
	below->last.space = below->space;
	below->last.interval = below->interval;
	put_head(below, CACHE_BELOW_ACCESS | (unsigned)access->kind << KIND_SHIFT |
				(unsigned)stored << STORED_SHIFT);
	buf_put_varint(&below->items, below->id);
	buf_put_varint(&below->items, below->insn);
	buf_put_varint(&below->items, access->bytes);
	put_address(below, access->address);
}

void cache_below_add(struct cache_below *below, enum cache_what what, uint64_t address)
{
	put_head(below, what);
	put_address(below, address);
}

/* ---- reading --------------------------------------------------------------------------- */

static void get_mark(struct span *in, uint8_t head, struct cache_asked *asked)
{
	uint64_t value = span_varint(in);

	if (head == MARK_SPACE)
		asked->space = (uint32_t)value;
	else if (head == MARK_INTERVAL)
		asked->interval = value;
	else
		in->failed = true;
	in->failed |= head == MARK_SPACE && value > UINT32_MAX;
}

static void get_access(struct span *in, uint8_t head, struct cache_asked *asked)
{
	unsigned kind = head >> KIND_SHIFT & WHAT_MASK;

	in->failed |= kind >= CACHE_KINDS;
	asked->access.kind = in->failed ? CACHE_FETCH : (enum cache_kind)kind;
	asked->stored = head >> STORED_SHIFT & 1;
	asked->id = (uint32_t)state_below(in, UINT32_MAX);
	asked->insn = (uint32_t)state_below(in, UINT32_MAX);
	asked->access.bytes = (uint32_t)state_below(in, BYTES_MAX);
	in->failed |= !asked->access.bytes;
}

bool cache_below_next(struct span *in, struct cache_asked *asked)
{
	uint8_t head = MARK;

	while ((head & WHAT_MASK) == MARK) {
		if (!span_left(in) || in->failed)
			return false;
		head = span_u8(in);
		if ((head & WHAT_MASK) == MARK)
			get_mark(in, head, asked);
	}
	asked->what = (enum cache_what)(head & WHAT_MASK);
	asked->ns += span_varint(in);
	if (asked->what == CACHE_BELOW_ACCESS)
		get_access(in, head, asked);
	asked->access.address += (uint64_t)unzigzag(span_varint(in));
	return !in->failed;
}

/* ---- bytes ----------------------------------------------------------------------------- */

void cache_below_put(const struct cache_below *below, struct buf *out)
{
	buf_put_varint(out, below->now);
	buf_put_varint(out, below->interval);
	buf_put_varint(out, below->last.ns);
	buf_put_varint(out, below->last.access.address);
	buf_put_varint(out, below->last.space);
	buf_put_varint(out, below->last.interval);
}

void cache_below_get(struct cache_below *below, struct span *in)
{
	below->now = span_varint(in);
	below->interval = span_varint(in);
	below->last.ns = span_varint(in);
	below->last.access.address = span_varint(in);
	below->last.space = (uint32_t)state_below(in, UINT32_MAX);
	below->last.interval = span_varint(in);
}
