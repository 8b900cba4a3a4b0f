// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entries are written as in Java's own sources: "java.util.ArrayList", "Bank.total:J", 5L, 1.5f, and
 * texts in quotes, with escapes. Names that are in the pool's entries as addresses lie still.
 *
 * Texts of class files are UTF-8 but for NUL and what is beyond 16 bits, which has two
 * surrogates: all of these are written as \u and four digits.
 */
#include "guides/hotspot/constants.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	TAG_INTEGER = 3,
	TAG_FLOAT,
	TAG_LONG,
	TAG_DOUBLE,
	TAG_CLASS,
	TAG_STRING,
	TAG_FIELD,
	TAG_METHOD_HANDLE = 15,
	TAG_METHOD_TYPE,
	TAG_DYNAMIC,
	TAG_INVOKE_DYNAMIC,
	/* HotSpot's own. */
	TAG_CLASS_UNRESOLVED = 100,
	TAG_CLASS_IN_ERROR = 103,
	TAG_METHOD_HANDLE_IN_ERROR,
	TAG_METHOD_TYPE_IN_ERROR,
	TAG_DYNAMIC_IN_ERROR,
};

enum { ARRAY_BYTES = 4, STRING_MOST = 40, NAME_MOST = 200 };

struct constant {
	const struct vm *vm;
	const char *pool;
	struct buf *text;
};

static uint64_t word_of(const struct constant *in, uint32_t entry)
{
	uint64_t at = in->vm->pool_bytes + entry * sizeof(void *);

	return entry < vm_u32(in->pool, in->vm->pool_length) ? vm_word(in->pool, at) : 0;
}

/* The lower half of an entry, which is all of it but of names and long numbers. */
static uint32_t half_of(const struct constant *in, uint32_t entry)
{
	return (uint32_t)word_of(in, entry);
}

/* ---- names --------------------------------------------------------------- */

static const char *name_of(const struct constant *in, uint32_t entry, uint32_t *bytes)
{
	/* Its address may have a mark in bit 0. */
	const char *symbol = (const char *)(uintptr_t)(word_of(in, entry) & ~(uint64_t)1);

	*bytes = symbol ? vm_u16(symbol, in->vm->symbol_length) : 0;
	return symbol ? symbol + in->vm->symbol_body : NULL;
}

static void put_name(const struct constant *in, uint32_t entry)
{
	uint32_t bytes;
	const char *name = name_of(in, entry, &bytes);

	buf_put(in->text, name, bytes);
}

/* Of a class the name is in the upper half of its entry. */
static void put_class(const struct constant *in, uint32_t entry)
{
	size_t from = in->text->len;

	put_name(in, half_of(in, entry) >> 16);
	for (size_t i = from; i < in->text->len && !in->text->failed; i++)
		if (in->text->data[i] == '/')
			in->text->data[i] = '.';
}

/* "f()V", "out:I". */
static void put_name_and_type(const struct constant *in, uint32_t entry)
{
	uint32_t both = half_of(in, entry), bytes;
	const char *type = name_of(in, both >> 16, &bytes);

	put_name(in, both & 0xffff);
	if (bytes && *type != '(')
		buf_put_u8(in->text, ':');
	put_name(in, both >> 16);
}

/* A field or a method. */
static void put_member(const struct constant *in, uint32_t entry)
{
	uint32_t both = half_of(in, entry);

	put_class(in, both & 0xffff);
	buf_put_u8(in->text, '.');
	put_name_and_type(in, both >> 16);
}

/* ---- values -------------------------------------------------------------- */

static void put_chars(struct buf *text, const char *chars)
{
	buf_put(text, chars, strlen(chars));
}

static void put_unit(struct buf *text, unsigned unit)
{
	char escape[8];

	snprintf(escape, sizeof(escape), "\\u%04x", unit & 0xffff);
	put_chars(text, escape);
}

/* A character that is not written as it is: returns its bytes, or 0 of another one. */
static uint32_t put_escape(struct buf *text, const uint8_t *at, uint32_t left)
{
	static const char plain[] = "\"\\\n\t\r\b\f", escaped[] = "\"\\ntrbf";
	const char *found = *at ? strchr(plain, *at) : NULL;

	if (found) {
		buf_put_u8(text, '\\');
		buf_put_u8(text, (uint8_t)escaped[found - plain]);
		return 1;
	}
	if (*at < ' ' || *at == 0x7f) {
		put_unit(text, *at);
		return 1;
	}
	/* NUL; a surrogate. */
	if (left >= 2 && at[0] == 0xc0 && at[1] == 0x80) {
		put_unit(text, 0);
		return 2;
	}
	if (left >= 3 && at[0] == 0xed && at[1] >= 0xa0) {
		put_unit(text, 0xd000u | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu));
		return 3;
	}
	return 0;
}

/* How many characters from there on are written as they are. */
static uint32_t plain_bytes(const uint8_t *at, uint32_t left)
{
	uint32_t n = 0;

	while (n < left && n < STRING_MOST && at[n] >= ' ' && at[n] < 0x7f &&
	       at[n] != '"' && at[n] != '\\')
		n++;
	return n;
}

static void put_string(const struct constant *in, uint32_t entry)
{
	struct buf *text = in->text;
	uint32_t bytes, step;
	const uint8_t *name = (const uint8_t *)name_of(in, entry, &bytes);

	buf_put_u8(text, '"');
	for (uint32_t at = 0; at < bytes && text->len <= STRING_MOST && !text->failed;
	     at += step) {
		step = plain_bytes(name + at, bytes - at);
		if (!step)
			step = put_escape(text, name + at, bytes - at);
		else
			buf_put(text, name + at, step);
		if (!step)
			buf_put_u8(text, name[at + step++]);
	}
	buf_put_u8(text, '"');
}

static bool is_same(const char *chars, double value, bool is_float)
{
	return is_float ? strtof(chars, NULL) == (float)value :
			  strtod(chars, NULL) == value;
}

/* In as few digits as lead back to it. */
static void put_real(struct buf *text, double value, bool is_float)
{
	char chars[40];
	char *comma;

	if (isnan(value) || isinf(value)) {
		put_chars(text, isnan(value) ? "NaN" :
				value < 0    ? "-Infinity" :
					       "Infinity");
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(chars, sizeof(chars), "%.*g", digits, value);
		if (is_same(chars, value, is_float))
			break;
	}
	/* The program may have another point. */
	comma = strchr(chars, ',');
	if (comma)
		*comma = '.';
	put_chars(text, chars);
	if (!strpbrk(chars, ".e"))
		put_chars(text, ".0");
}

static void put_number(const struct constant *in, uint8_t tag, uint32_t entry)
{
	uint64_t word = word_of(in, entry);
	uint32_t half = (uint32_t)word;
	char chars[32] = "";
	double real;
	float small;

	memcpy(&real, &word, sizeof(real));
	memcpy(&small, &half, sizeof(small));
	if (tag == TAG_FLOAT || tag == TAG_DOUBLE)
		put_real(in->text, tag == TAG_FLOAT ? (double)small : real,
			 tag == TAG_FLOAT);
	if (tag == TAG_INTEGER)
		snprintf(chars, sizeof(chars), "%" PRId32, (int32_t)half);
	if (tag == TAG_LONG)
		snprintf(chars, sizeof(chars), "%" PRId64 "L", (int64_t)word);
	put_chars(in->text, tag == TAG_FLOAT ? "f" : chars);
}

/* ---- any ----------------------------------------------------------------- */

static bool put_constant(const struct constant *in, uint8_t tag, uint32_t entry)
{
	switch (tag) {
	case TAG_INTEGER:
	case TAG_FLOAT:
	case TAG_LONG:
	case TAG_DOUBLE:
		put_number(in, tag, entry);
		return true;
	case TAG_CLASS:
	case TAG_CLASS_UNRESOLVED:
	case TAG_CLASS_IN_ERROR:
		put_class(in, entry);
		return true;
	case TAG_STRING:
		put_string(in, entry);
		return true;
	case TAG_FIELD:
		put_member(in, entry);
		return true;
	case TAG_METHOD_HANDLE:
	case TAG_METHOD_HANDLE_IN_ERROR:
		put_member(in, half_of(in, entry) >> 16);
		return true;
	case TAG_METHOD_TYPE:
	case TAG_METHOD_TYPE_IN_ERROR:
		put_name(in, half_of(in, entry) & 0xffff);
		return true;
	case TAG_DYNAMIC:
	case TAG_DYNAMIC_IN_ERROR:
	case TAG_INVOKE_DYNAMIC:
		put_name_and_type(in, half_of(in, entry) >> 16);
		return true;
	default:
		return false;
	}
}

/* Of a longer text the begin, and "…". */
static void cut(struct buf *text, size_t most)
{
	size_t kept = most;

	if (text->failed || text->len <= most)
		return;
	while (kept && (text->data[kept] & 0xc0) == 0x80)
		kept--;
	text->len = kept;
	put_chars(text, "…");
}

bool constant_text(const struct vm *vm, const char *pool, uint32_t entry,
		   struct buf *text)
{
	const struct constant in = { vm, pool, text };
	const char *tags = vm_pointer(pool, vm->pool_tags);
	uint8_t tag = entry < vm_u32(pool, vm->pool_length) ?
			      (uint8_t)tags[ARRAY_BYTES + entry] :
			      0;

	if (!put_constant(&in, tag, entry))
		return false;
	cut(text, tag == TAG_STRING ? STRING_MOST : NAME_MOST);
	return true;
}
