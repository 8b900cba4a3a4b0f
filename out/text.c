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
#include <stdlib.h>
#include <string.h>

#include "out/plain.h"

/* The word at or after `at`; length 0 at the end. */
static const char *next_word(const char *at, unsigned *length)
{
	at += strspn(at, " \t");
	*length = (unsigned)strcspn(at, " \t");
	return at;
}

/* What lay_out() needs: at most one more blank for each word. */
static size_t room_for(const char *disas, unsigned column)
{
	return 2 * strlen(disas) + column + 2;
}

/* Only the mnemonic is padded; the operands follow with single blanks. */
static size_t lay_out(char *text, const char *disas, unsigned column)
{
	unsigned length;
	const char *word = next_word(disas, &length);
	unsigned gap = length + 1 < column ? column - length : 1;
	char *to = text;

	while (length) {
		memcpy(to, word, length);
		to += length;
		word = next_word(word + length, &length);
		/*
		 * QEMU's comments begin with a # by itself; two blanks set it apart.
		 */
		if (length == 1 && *word == '#')
			gap = 2;
		memset(to, ' ', gap);
		to += length ? gap : 0;
		gap = 1;
	}
	*to = '\0';
	return (size_t)(to - text);
}

/* Texts are short; of a long one without memory the words stay as they are. */
void text_disas(FILE *out, const char *disas, unsigned column)
{
	char text[256], *made;

	if (room_for(disas, column) <= sizeof(text)) {
		fwrite(text, 1, lay_out(text, disas, column), out);
		return;
	}
	made = text_disas_new(disas, column);
	fputs(made ? made : disas, out);
	free(made);
}

/* NULL when there is no memory. */
char *text_disas_new(const char *disas, unsigned column)
{
	char *text = malloc(room_for(disas, column));

	if (text)
		lay_out(text, disas, column);
	return text;
}

/*
 * A character of two bytes may begin with the last byte of the text before: the caller
 * passes it as text[0] then (cli/plain.c).
 */
void text_make_plain(char *text, size_t bytes)
{
	unsigned char before = 0, c;

	/* Nearly all are printable ASCII, of which none needs to know the one before. */
	for (size_t i = 0; i < bytes; before = c) {
		size_t plain = plain_bytes(text + i, bytes - i);

		if (plain) {
			i += plain;
			c = ' ';
			continue;
		}
		c = (unsigned char)text[i++];
		if (c >= ' ' && c < 0x7f)
			continue;
		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
			text[i - 1] = '?';
		else if (before == 0xc2 && c >= 0x80 && c < 0xa0) /* U+0080 to U+009F */
			text[i - 2] = text[i - 1] = '?';
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

/*
 * The bytes up to the first that is no printable ASCII, or is one of two: nearly always all. They
 * are printed at once, because a call of stdio for each takes most of the time of a table.
 */
static size_t simple_bytes(const char *text, char other, char another)
{
	size_t n = 0;

	while (text[n] >= ' ' && text[n] < 0x7f && text[n] != other && text[n] != another)
		n++;
	return n;
}

int text_line(FILE *out, const char *text)
{
	int printed = 0;

	while (*text) {
		size_t bytes = simple_bytes(text, 0, 0);
		unsigned control = text[bytes] ? control_bytes(text + bytes) : 0;

		/* Bytes of other characters are printed one by one. */
		if (text[bytes] && !control)
			bytes++;
		fwrite(text, 1, bytes, out);
		fwrite("??", 1, control, out);
		text += bytes + control;
		printed += (int)(bytes + control);
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
	text_separated(out, field, ",");
}

void text_separated(FILE *out, const char *field, const char *separator)
{
	size_t simple = simple_bytes(field, '"', *separator);
	bool quoted;

	if (!field[simple]) {
		fwrite_unlocked(field, 1, simple, out);
		return;
	}
	/* RFC 4180: fields with these are quoted, and quotes in them are doubled. */
	quoted = strpbrk(field, "\"\r\n") || strstr(field, separator);
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
