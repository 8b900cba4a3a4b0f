// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU pads mnemonics and operands to columns of 24, which suits a log but fills a
 * terminal; its words are kept here, its blanks are not.
 */
#include "out/text.h"

#include <string.h>

static void blanks(FILE *out, unsigned n)
{
	while (n--)
		putc(' ', out);
}

static const char *next_word(const char *at, unsigned *length)
{
	at += strspn(at, " \t");
	*length = (unsigned)strcspn(at, " \t");
	return at;
}

void text_disas(FILE *out, const char *disas, unsigned column)
{
	unsigned length;
	const char *word = next_word(disas, &length);
	unsigned gap = length + 1 < column ? column - length : 1;

	while (length) {
		fwrite(word, 1, length, out);
		word = next_word(word + length, &length);
		if (length)
			blanks(out, length == 1 && *word == '#' ? 2 : gap);
		gap = 1;
	}
}

char *text_disas_new(const char *disas, unsigned column)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	text_disas(out, disas, column);
	fclose(out);
	return text;
}

void text_make_plain(char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text[i];
		unsigned char before = i ? (unsigned char)text[i - 1] : 0;

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
			text[i] = '?';
		else if (before == 0xc2 && c >= 0x80 && c < 0xa0) /* U+0080 to U+009F */
			text[i - 1] = text[i] = '?';
	}
}

void text_csv(FILE *out, const char *field)
{
	if (!strpbrk(field, ",\"\r\n")) {
		fputs(field, out);
		return;
	}
	putc('"', out);
	for (; *field; field++) {
		if (*field == '"')
			putc('"', out);
		putc(*field, out);
	}
	putc('"', out);
}
