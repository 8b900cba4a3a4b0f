// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text for terminals and CSV. Names in a trace come from the guest, so control characters
 * are replaced by "?" wherever they are printed: those below U+0020, DEL, and U+0080 to
 * U+009F, which are two bytes in UTF-8 (c2 80 to c2 9f) and some of which terminals take
 * for the begin of a command.
 *
 * QEMU pads mnemonics and operands to columns of 24, which suits a log and fills a
 * terminal: text_disas() keeps its words and not its blanks.
 */
#include "out/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void blanks(FILE *out, unsigned n)
{
	while (n--)
		putc(' ', out);
}

/* The word at or after `at`; length 0 at the end. */
static const char *next_word(const char *at, unsigned *length)
{
	at += strspn(at, " \t");
	*length = (unsigned)strcspn(at, " \t");
	return at;
}

/* Only the mnemonic is padded; the operands follow with single blanks. */
void text_disas(FILE *out, const char *disas, unsigned column)
{
	unsigned length;
	const char *word = next_word(disas, &length);
	unsigned gap = length + 1 < column ? column - length : 1;

	while (length) {
		fwrite(word, 1, length, out);
		word = next_word(word + length, &length);
		if (length)
			/*
			 * QEMU's comments begin with a # by itself; two blanks set it
			 * apart.
			 */
			blanks(out, length == 1 && *word == '#' ? 2 : gap);
		gap = 1;
	}
}

/* NULL when there is no memory. */
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

/*
 * A character of two bytes may begin with the last byte of the text before: the caller
 * passes it as text[0] then (cli/stdout.c).
 */
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

/* The bytes of the control character at `text`; 0: another character. */
static unsigned control_bytes(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	if (*c < ' ' || *c == 0x7f)
		return 1;
	return *c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 ? 2 : 0;
}

/* As many "?" as the character has bytes, so the length stays. */
void text_make_line(char *text)
{
	while (*text) {
		unsigned bytes = control_bytes(text);

		memset(text, '?', bytes);
		text += bytes ? bytes : 1;
	}
}

int text_line(FILE *out, const char *text)
{
	int printed = 0;

	for (unsigned bytes; *text; text += bytes, printed += (int)bytes) {
		bytes = control_bytes(text);
		if (bytes)
			fprintf(out, "%.*s", (int)bytes, "??");
		else
			putc(*text, out);
		bytes = bytes ? bytes : 1;
	}
	return printed;
}

void text_end_line(FILE *out, const char *text)
{
	text_line(out, text);
	putc('\n', out);
}

/* A control character in a field: newlines and tabs are allowed, others become "?". */
static void put_csv_control(FILE *out, const char *text, unsigned bytes)
{
	if (*text == '\n' || *text == '\t')
		putc(*text, out);
	else
		fprintf(out, "%.*s", (int)bytes, "??");
}

void text_csv(FILE *out, const char *field)
{
	/* RFC 4180: fields with these are quoted, and quotes in them are doubled. */
	bool quoted = strpbrk(field, ",\"\r\n");

	if (quoted)
		putc('"', out);
	for (unsigned bytes; *field; field += bytes ? bytes : 1) {
		bytes = control_bytes(field);
		if (*field == '"')
			putc('"', out);
		if (bytes)
			put_csv_control(out, field, bytes);
		else
			putc(*field, out);
	}
	if (quoted)
		putc('"', out);
}

void text_join(char *text, size_t size, const char *const *words)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; words[i] && used < size; i++) {
		/*
		 * snprintf() returns the length that it would need, so `used` may exceed
		 * `size`, which ends the loop.
		 */
		const char *glue = !i ? "" : words[i + 1] ? ", " : " or ";

		used += (size_t)snprintf(text + used, size - used, "%s%s", glue,
					 words[i]);
	}
}
