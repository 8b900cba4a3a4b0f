// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers for people, written and read: digits in groups of three, sizes in powers of
 * 1000, and no more digits than are significant. Formats for programs do not use these
 * functions.
 *
 * Limits such as 999.5 and 9.95 are where rounding would produce one digit more than is
 * wanted: 999.6 kB would print as "1000 kB", so it becomes "1.0 MB".
 */
#include "out/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimal or 0x; no signs, no blanks, no octal: "010" is ten. */
bool number_parse(const char *text, uint64_t *value)
{
	int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	const char *digits = base == 16 ? text + 2 : text;
	const char *allowed = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";

	/* strtoull() alone would take signs and leading space. */
	if (!*digits || digits[strspn(digits, allowed)])
		return false;
	errno = 0;
	*value = strtoull(digits, NULL, base);
	return errno == 0;
}

/*
 * Removes the commas that number_grouped() puts in, so that a printed number can be given
 * back. False when one is elsewhere: "1,2" is a list, or a mistake.
 */
static bool ungroup(char *digits)
{
	size_t group = strcspn(digits, ",");
	char *to = digits + group;

	if (!*to)
		return true;
	if (!group || group > 3 || strspn(digits, "0123456789") != group)
		return false;
	for (const char *at = to; *at; at += 4) {
		if (*at != ',' || strspn(at + 1, "0123456789") < 3)
			return false;
		memmove(to, at + 1, 3);
		to += 3;
	}
	*to = '\0';
	return true;
}

/*
 * A suffix multiplies by 1000 as often as its place in "kMG", counted from 1; "K" is "k". An
 * overflow is no number.
 */
bool number_parse_bytes(const char *text, uint64_t *value)
{
	static const char units[] = "kMG";
	size_t length = strlen(text);
	char last = length ? text[length - 1] : '\0';
	const char *unit = last ? strchr(units, last == 'K' ? 'k' : last) : NULL;
	char digits[NUMBER_TEXT];
	uint64_t factor = 1;

	if (length >= sizeof(digits))
		return false;
	strcpy(digits, text);
	if (unit) {
		digits[length - 1] = '\0';
		for (const char *at = units; at <= unit; at++)
			factor *= 1000;
	}
	return ungroup(digits) && number_parse(digits, value) &&
	       !__builtin_mul_overflow(*value, factor, value);
}

/*
 * With a comma between groups of that many digits, counted from the end; 0: without. Constants
 * make the divisions cheap.
 */
static inline size_t put_digits(char *text, uint64_t value, unsigned base, unsigned group)
{
	char digits[NUMBER_TEXT];
	size_t at = sizeof(digits), length;
	unsigned n = 0;

	do {
		if (group && n && n % group == 0)
			digits[--at] = ',';
		n++;
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	length = sizeof(digits) - at;
	memcpy(text, digits + at, length);
	text[length] = '\0';
	return length;
}

size_t number_digits(char *text, uint64_t value)
{
	return put_digits(text, value, 10, 0);
}

const char *number_address(char *text, uint64_t address)
{
	text[0] = '0';
	text[1] = 'x';
	put_digits(text + 2, address, 16, 0);
	return text;
}

const char *number_grouped(char *text, uint64_t value)
{
	put_digits(text, value, 10, 3);
	return text;
}

/* Beyond what a whole number of 64 bits holds, digits are not grouped. */
const char *number_real(char *text, double value)
{
	char digits[NUMBER_TEXT], whole[NUMBER_TEXT];

	snprintf(digits, sizeof(digits), value < 1e18 ? "%.2f" : "%g", value);
	if (value < 1000 || value >= 1e18)
		return strcpy(text, digits);
	number_grouped(whole, strtoull(digits, NULL, 10));
	snprintf(text, NUMBER_TEXT, "%.27s%.3s", whole, strchr(digits, '.'));
	return text;
}

/* As few digits as read back to the same number: 0.3 has one, no double more than 17. */
const char *number_double(char *text, double value)
{
	int length, digits = 15;

	do
		length = snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
	while (strtod(text, NULL) != value && digits++ < 17);
	/* A real number stays one for whoever reads it. */
	if (strspn(text, "-0123456789") == (size_t)length)
		strcpy(text + length, ".0");
	return text;
}

const char *number_bytes(char *text, uint64_t bytes)
{
	static const char *const units[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
	double value = (double)bytes / 1000;
	unsigned unit = 0;

	if (bytes < 1000) {
		snprintf(text, NUMBER_TEXT, "%" PRIu64 " %s", bytes,
			 bytes == 1 ? "byte" : "bytes");
		return text;
	}
	for (; value >= 999.5; unit++)
		value /= 1000;
	snprintf(text, NUMBER_TEXT, "%.*f %s", value < 9.95 ? 1 : 0, value, units[unit]);
	return text;
}

/* More digits for short times: 0.012 s, 3.40 s, 12.3 s, 5 min 7 s. */
const char *number_seconds(char *text, double seconds)
{
	if (seconds < 9.95)
		snprintf(text, NUMBER_TEXT, "%.*f s", seconds < 0.995 ? 3 : 2, seconds);
	else if (seconds < 119.5)
		snprintf(text, NUMBER_TEXT, "%.1f s", seconds);
	else
		snprintf(text, NUMBER_TEXT, "%.0f min %.0f s",
			 (double)((uint64_t)seconds / 60),
			 (double)((uint64_t)seconds % 60));
	return text;
}

const char *number_ratio(char *text, uint64_t file_bytes, uint64_t insns)
{
	double bits = insns ? (double)file_bytes * 8 / (double)insns : 0;

	snprintf(text, NUMBER_TEXT, "%.3g", bits);
	/* %g uses an exponent below 0.0001 and from 1000 on. */
	if (strchr(text, 'e'))
		snprintf(text, NUMBER_TEXT, bits < 1 ? "%.7f" : "%.0f", bits);
	return text;
}
