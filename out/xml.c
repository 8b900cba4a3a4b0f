// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text from anywhere becomes text of XML 1.0, whose characters are few: of those below the
 * blank only tabs and newlines, and neither U+FFFE nor U+FFFF. A parser refuses a whole file
 * for one of the others, whichever way it is written. Example: "a<\001b" is "a&lt;?b".
 */
#include "out/xml.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

static const char *escape_of(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

/* Of a valid sequence. C1 controls are allowed, and shown by nobody. */
static bool is_character(const char *text, unsigned bytes)
{
	unsigned char c = (unsigned char)*text;

	if (bytes == 1)
		return c == '\t' || c == '\n' || (c >= ' ' && c != 0x7f);
	return !(bytes == 3 && !strncmp(text, "\xef\xbf", 2) &&
		 (unsigned char)text[2] >= 0xbe) &&
	       !(bytes == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0);
}

void xml_put(FILE *out, const char *text, size_t bytes)
{
	const char *end = text + strnlen(text, bytes);

	while (text < end) {
		unsigned n = utf8_length(text);

		if (!n || n > (size_t)(end - text) || !is_character(text, n)) {
			fputc('?', out);
			text += n && n <= (size_t)(end - text) ? n : 1;
			continue;
		}
		if (escape_of(*text))
			fputs(escape_of(*text), out);
		else
			fwrite(text, 1, n, out);
		text += n;
	}
}

void xml_text(FILE *out, const char *text)
{
	xml_put(out, text, strlen(text));
}
