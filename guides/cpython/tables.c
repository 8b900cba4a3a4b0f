// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both tables are bytes of CPython's own, which a program may make up: beyond their end everything
 * is 0.
 */
#include "guides/cpython/tables.h"

#include <stdlib.h>

/* ---- lines --------------------------------------------------------------- */

/* A location table (CPython's Objects/locations.md). */
struct table {
	const uint8_t *at, *end;
};

static unsigned get_byte(struct table *table)
{
	return table->at < table->end ? *table->at++ : 0;
}

static uint64_t get_varint(struct table *table)
{
	unsigned byte = get_byte(table), shift = 0;
	uint64_t value = byte & 63;

	while (byte & 64 && shift < 54) {
		byte = get_byte(table);
		shift += 6;
		value |= (uint64_t)(byte & 63) << shift;
	}
	return value;
}

static int64_t get_signed(struct table *table)
{
	uint64_t value = get_varint(table);

	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

enum { LOCATION_ONE_LINE = 10, LOCATION_NO_COLUMNS = 13, LOCATION_LONG, LOCATION_NONE };

/* Reads past the rest of an entry; returns by how much its line is later. */
static int64_t get_step(struct table *table, unsigned code)
{
	int64_t step;

	if (code == LOCATION_NONE)
		return 0;
	if (code == LOCATION_NO_COLUMNS)
		return get_signed(table);
	if (code == LOCATION_LONG) {
		step = get_signed(table);
		get_varint(table);
		get_varint(table);
		get_varint(table);
		return step;
	}
	get_byte(table);
	if (code < LOCATION_ONE_LINE)
		return 0;
	get_byte(table);
	return code - LOCATION_ONE_LINE;
}

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

void put_lines(struct text *text, const uint8_t *bytes, long size, int64_t line)
{
	struct table table = { bytes, bytes + size };
	struct text lines = { 0 };
	uint64_t n = 0, offset = 0, last_offset = 0;
	int64_t last = 0;

	while (table.at < table.end) {
		unsigned head = get_byte(&table), code = head >> 3 & 15;
		int64_t now;

		line += get_step(&table, code);
		now = code == LOCATION_NONE ? 0 : line;
		if (!n || now != last) {
			text_put_varint(&lines, zigzag((int64_t)(offset - last_offset)));
			text_put_varint(&lines, zigzag(now - last));
			last_offset = offset;
			last = now;
			n++;
		}
		offset += 2 * ((head & 7) + 1);
	}
	text_put_varint(text, n);
	text_put(text, lines.data, lines.len);
	free(lines.data);
}

/* ---- handlers ------------------------------------------------------------ */

/* A number of an exception table (CPython's Objects/exception_handling_notes.txt). */
static uint64_t get_entry(struct table *table)
{
	unsigned byte = get_byte(table);
	uint64_t value = byte & 63;

	for (unsigned i = 0; byte & 64 && i < 5; i++) {
		byte = get_byte(table);
		value = value << 6 | (byte & 63);
	}
	return value;
}

void put_handlers(struct text *text, const uint8_t *bytes, long size)
{
	struct table table = { bytes, bytes + size };
	struct text handlers = { 0 };
	uint64_t n = 0;

	for (; table.at < table.end; n++) {
		uint64_t from = 2 * get_entry(&table), length = 2 * get_entry(&table);

		text_put_varint(&handlers, from);
		text_put_varint(&handlers, from + length);
		text_put_varint(&handlers, 2 * get_entry(&table));
		get_entry(&table); /* what it leaves on the stack */
	}
	text_put_varint(text, n);
	text_put(text, handlers.data, handlers.len);
	free(handlers.data);
}
