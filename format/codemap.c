// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names, lines and inlined calls of code that ran: put and get, mirroring each other.
 *
 * Columns of similar numbers compress best, and the numbers are small: a line begins where
 * the one before it ends, or a little later; a file's lines are near each other.
 *
 *	lines	0x100..0x108 list.c:12		gaps	0x100 0 4
 *		0x108..0x10c list.c:13		bytes	8 4 4
 *		0x110..0x114 list.c:12		numbers	+12 +1 -1
 *
 * Invariant of what codemap_get() accepts: lines ascend and do not overlap, every index is
 * that of a text, and no end is before its start.
 */
#include "format/codemap.h"

#include <stdlib.h>
#include <string.h>

#include "format/pack.h"

enum { PLACES_LEVEL = 19 }; /* zstd: there is little of it, and it is written once */

void codemap_fini(struct codemap *map)
{
	symtab_fini(&map->names);
	buf_fini(&map->texts);
	free(map->text_off);
	free(map->lines);
	free(map->calls);
	*map = CODEMAP_INIT;
}

/* ---- putting ------------------------------------------------------------- */

static void put_lines(struct buf *places, const struct codemap *map)
{
	const struct codemap_line *lines = map->lines;
	uint32_t n = map->n_lines;

	buf_put_varint(places, n);
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(places, lines[i].start - (i ? lines[i - 1].end : 0));
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(places, lines[i].end - lines[i].start);
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(places, lines[i].source);
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(places, zigzag((int64_t)lines[i].number -
					      (i ? lines[i - 1].number : 0)));
}

static void put_calls(struct buf *places, const struct codemap *map)
{
	const struct codemap_call *calls = map->calls;
	uint32_t n = map->n_calls;

	buf_put_varint(places, n);
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(places, zigzag((int64_t)(calls[i].start -
							(i ? calls[i - 1].start : 0))));
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(places, calls[i].end - calls[i].start);
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(places, calls[i].name);
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(places, calls[i].source);
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(places, calls[i].line);
}

static void put_places(struct buf *places, const struct codemap *map)
{
	buf_put_varint(places, map->complete);
	buf_put_varint(places, map->n_texts);
	buf_put(places, map->texts.data, map->texts.len);
	put_lines(places, map);
	put_calls(places, map);
}

bool codemap_put(struct buf *payload, const struct symtab_head *head,
		 const struct codemap *map, bool with_places)
{
	static const struct codemap nothing;
	struct buf places = BUF_INIT;
	bool good = map->n_texts <= CODEMAP_TEXTS_MAX &&
		    map->n_lines <= CODEMAP_LINES_MAX &&
		    map->n_calls <= CODEMAP_CALLS_MAX;

	/* Nothing is put that codemap_get() would refuse. */
	put_places(&places, with_places ? map : &nothing);
	good = good && !places.failed && places.len <= CODEMAP_RAW_MAX &&
	       symtab_put(payload, head, &map->names);
	if (good)
		pack_put(payload, places.data, places.len, PLACES_LEVEL);
	buf_fini(&places);
	return good && !payload->failed;
}

/* ---- getting ------------------------------------------------------------- */

static bool get_texts(struct span *span, struct codemap *map)
{
	uint32_t n = span_count(span, CODEMAP_TEXTS_MAX, 1);
	const uint8_t *texts = span->at;
	size_t bytes = span_left(span), at = 0;

	map->text_off = calloc(n + 1ul, sizeof(*map->text_off));
	if (!map->text_off)
		return false;
	for (; map->n_texts < n; map->n_texts++) {
		const uint8_t *end = memchr(texts + at, 0, bytes - at);

		if (!end) {
			span->failed = true;
			return false;
		}
		map->text_off[map->n_texts] = (uint32_t)at;
		at = (size_t)(end - texts) + 1;
	}
	buf_put(&map->texts, span_bytes(span, at), at);
	return !map->texts.failed;
}

/* The index of one of `n` things. */
static uint32_t get_index(struct span *span, uint32_t n)
{
	uint64_t index = span_varint(span);

	if (index < n)
		return (uint32_t)index;
	span->failed = true;
	return 0;
}

/* A number from 0 on that differs from the one before it. */
static uint32_t get_number(struct span *span, uint32_t before)
{
	uint64_t number = before + (uint64_t)unzigzag(span_varint(span));

	if (number > UINT32_MAX)
		span->failed = true;
	return (uint32_t)number;
}

static bool get_lines(struct span *span, struct codemap *map)
{
	uint32_t n = span_count(span, CODEMAP_LINES_MAX, 4);
	struct codemap_line *lines = calloc(n + 1ul, sizeof(*lines));
	uint64_t end = 0;

	map->lines = lines;
	if (!lines)
		return false;
	for (uint32_t i = 0; i < n; i++)
		lines[i].start = span_varint(span);
	for (uint32_t i = 0; i < n; i++) {
		/* Gaps become places once the sizes are known. */
		lines[i].start = span_sum(span, end, lines[i].start);
		end = lines[i].end = span_sum(span, lines[i].start, span_varint(span));
	}
	for (uint32_t i = 0; i < n; i++)
		lines[i].source = get_index(span, map->n_texts);
	for (uint32_t i = 0; i < n; i++)
		lines[i].number = get_number(span, i ? lines[i - 1].number : 0);
	map->n_lines = n;
	return !span->failed;
}

static bool get_calls(struct span *span, struct codemap *map)
{
	uint32_t n = span_count(span, CODEMAP_CALLS_MAX, 5);
	struct codemap_call *calls = calloc(n + 1ul, sizeof(*calls));

	map->calls = calls;
	if (!calls)
		return false;
	/* Wraps where the file lies; an end is checked against its own start. */
	for (uint32_t i = 0; i < n; i++)
		calls[i].start = (i ? calls[i - 1].start : 0) +
				 (uint64_t)unzigzag(span_varint(span));
	for (uint32_t i = 0; i < n; i++)
		calls[i].end = span_sum(span, calls[i].start, span_varint(span));
	for (uint32_t i = 0; i < n; i++)
		calls[i].name = get_index(span, map->n_texts);
	for (uint32_t i = 0; i < n; i++)
		calls[i].source = get_index(span, map->n_texts + 1);
	for (uint32_t i = 0; i < n; i++)
		calls[i].line = get_index(span, UINT32_MAX);
	map->n_calls = n;
	return !span->failed;
}

/* False with a sound span means that there is no memory. */
bool codemap_get(struct span *span, struct codemap *map)
{
	struct buf raw = BUF_INIT;
	struct span places;
	bool good;

	*map = CODEMAP_INIT;
	if (!symtab_get(span, &map->names))
		return false;
	pack_get(span, &raw, CODEMAP_RAW_MAX);
	places = span_of(raw.data, raw.len);
	map->complete = span_varint(&places);
	good = !span->failed && !raw.failed && get_texts(&places, map) &&
	       get_lines(&places, map) && get_calls(&places, map);
	span->failed |= places.failed || (good && span_left(&places));
	buf_fini(&raw);
	if (good && !span->failed)
		return true;
	codemap_fini(map);
	return false;
}
