// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many columns of a terminal a text takes, and how much of it fits. Text in a trace
 * need not be UTF-8: a byte that begins no valid sequence counts as one character,
 * because it will be shown as some mark.
 *
 * Widths are those of whole scripts, which is enough to align columns; combining
 * characters count as one column each. Example: "a" is 1 column, "é" is 2 bytes and 1
 * column, a Chinese character is 3 bytes and 2 columns.
 */
#include "base/utf8.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The length of a sequence by its first byte; 0 when no sequence begins with it. c0 and
 * c1 would be overlong forms, f5 and above lie beyond U+10FFFF.
 */
static unsigned announced(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef)
		return 3;
	return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

unsigned utf8_length(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	unsigned length = announced(at[0]);
	/*
	 * The second byte is restricted after four first bytes: e0 and f0 (overlong
	 * forms), ed (surrogates) and f4 (beyond U+10FFFF).
	 */
	unsigned low = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
	unsigned high = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;

	/* A NUL is below `low`, so nothing after the end of the text is read. */
	if (length > 1 && (at[1] < low || at[1] > high))
		return 0;
	for (unsigned i = 2; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/* The code point of a valid sequence of that length. */
static uint32_t character(const char *text, unsigned length)
{
	static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t c = (unsigned char)text[0] & masks[length];

	for (unsigned i = 1; i < length; i++)
		c = c << 6 | ((unsigned char)text[i] & 0x3f);
	return c;
}

/* Unicode's wide characters (UAX 11), as ranges of whole scripts. */
static unsigned width_of(uint32_t c)
{
	static const uint32_t wide[][2] = {
		{ 0x1100, 0x115f }, { 0x2e80, 0xa4cf },	  { 0xac00, 0xd7a3 },
		{ 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },	  { 0xff01, 0xff60 },
		{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1faff }, { 0x20000, 0x3fffd },
	};

	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (c >= wide[i][0] && c <= wide[i][1])
			return 2;
	return 1;
}

/*
 * Returns the bytes of what fits into *columns and sets *columns to what that takes. A
 * wide character that fits by half is left out.
 */
static size_t walk(const char *text, size_t *columns)
{
	size_t at = 0, left = *columns;

	while (text[at]) {
		/* Nearly all is ASCII. */
		bool is_ascii = (unsigned char)text[at] < 0x80;
		unsigned length = is_ascii ? 1 : utf8_length(text + at);
		unsigned width = length > 1 ? width_of(character(text + at, length)) : 1;

		if (width > left)
			break;
		left -= width;
		at += length ? length : 1;
	}
	*columns -= left;
	return at;
}

size_t utf8_columns(const char *text)
{
	size_t columns = SIZE_MAX;

	walk(text, &columns);
	return columns;
}

size_t utf8_fitting(const char *text, size_t columns)
{
	return walk(text, &columns);
}
