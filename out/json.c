// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A streaming JSON writer. Its state is a stack of closing brackets, and one flag that is
 * set when no comma is due. Nothing of the document is kept, so there is nothing to
 * free.
 *
 * One thread writes a document, so the stream is not locked for each part of it, and numbers
 * and addresses have no printf(): a graph has a million of them.
 *
 * The output is valid JSON whatever the strings hold: names of files and symbols come
 * from unknown programs, so their bytes are checked as UTF-8. The caller's mistakes, such
 * as a key inside an array, are assertions.
 *
 *	json_object, json_uint("a", 1), json_array("b"), json_close, json_close
 *	-> {"a":1,"b":[]}
 */
#include "out/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "out/number.h"
#include "out/plain.h"

/*
 * The characters with a short escape, then other control characters, then the rest. DEL
 * is escaped too, which JSON does not require, because terminals may act on it.
 */
static void put_ascii(FILE *out, unsigned char c)
{
	static const char short_form[] = "\b\f\n\r\t\"\\";
	static const char letter[] = "bfnrt\"\\";

	for (unsigned i = 0; short_form[i]; i++) {
		if (c == (unsigned char)short_form[i]) {
			putc_unlocked('\\', out);
			putc_unlocked(letter[i], out);
			return;
		}
	}
	if (c < 0x20 || c == 0x7f)
		fprintf(out, "\\u%04x", c);
	else
		putc_unlocked(c, out);
}

/* The bytes that stand for themselves: nearly all are, so they are written together. */
static size_t count_plain(const unsigned char *at, size_t left)
{
	size_t n = 0;

	for (; left - n >= sizeof(uint64_t); n += sizeof(uint64_t)) {
		uint64_t word = plain_load((const char *)at + n);

		if (!plain_word(word) || plain_has(word, '"') || plain_has(word, '\\'))
			break;
	}
	while (at[n] >= 0x20 && at[n] < 0x7f && at[n] != '"' && at[n] != '\\')
		n++;
	return n;
}

void json_quote(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);

	putc_unlocked('"', out);
	while (*at) {
		size_t plain = count_plain(at, (size_t)(end - at));
		unsigned length;

		fwrite_unlocked(at, 1, plain, out);
		at += plain;
		if (!*at)
			break;
		length = utf8_length((const char *)at);

		/*
		 * A byte that is not UTF-8 becomes U+FFFD, so that all else stays as it
		 * is.
		 */
		if (length == 1)
			put_ascii(out, *at);
		else if (length == 2 && *at == 0xc2 &&
			 at[1] < 0xa0) /* U+0080 to U+009F: controls */
			fprintf(out, "\\u%04x", at[1]);
		else if (length)
			fwrite_unlocked(at, 1, length, out);
		else
			fputs_unlocked("\xef\xbf\xbd", out);
		at += length ? length : 1;
	}
	putc_unlocked('"', out);
}

/* Two blanks for each level. */
static void new_line(struct json *json)
{
	if (!json->indented)
		return;
	putc_unlocked('\n', json->out);
	for (unsigned i = 0; i < json->depth; i++)
		fputs_unlocked("  ", json->out);
}

/* Writes what precedes a value: a comma, a new line, the key. */
static void begin_value(struct json *json, const char *key)
{
	bool in_object = json->depth && json->closers[json->depth - 1] == '}';

	/* Members of an object have keys; other values have none. */
	assert(in_object == (key != NULL));
	if (json->depth) {
		if (!json->empty)
			putc_unlocked(',', json->out);
		new_line(json);
	}
	json->empty = false;
	if (key) {
		json_quote(json->out, key);
		fputs_unlocked(json->indented ? ": " : ":", json->out);
	}
}

/* The new level is empty until its first value. */
static void open_nest(struct json *json, const char *key, char opener, char closer)
{
	/* Documents are only as deep as the code that writes them. */
	assert(json->depth < JSON_DEPTH);
	begin_value(json, key);
	putc_unlocked(opener, json->out);
	json->closers[json->depth++] = closer;
	json->empty = true;
}

void json_init(struct json *json, FILE *out, bool indented)
{
	*json = (struct json){ .out = out, .indented = indented, .empty = true };
}

void json_object(struct json *json, const char *key)
{
	open_nest(json, key, '{', '}');
}

void json_array(struct json *json, const char *key)
{
	open_nest(json, key, '[', ']');
}

void json_close(struct json *json)
{
	char closer;

	assert(json->depth);
	closer = json->closers[--json->depth];
	/* An empty object or array stays on one line. */
	if (!json->empty)
		new_line(json);
	putc_unlocked(closer, json->out);
	json->empty = false;
	/* The document is complete. */
	if (!json->depth)
		putc_unlocked('\n', json->out);
}

void json_string(struct json *json, const char *key, const char *value)
{
	if (!value) {
		json_null(json, key);
		return;
	}
	begin_value(json, key);
	json_quote(json->out, value);
}

void json_uint(struct json *json, const char *key, uint64_t value)
{
	char digits[NUMBER_TEXT];

	begin_value(json, key);
	fwrite_unlocked(digits, 1, number_digits(digits, value), json->out);
}

void json_int(struct json *json, const char *key, int64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin_value(json, key);
	fputs_unlocked(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	begin_value(json, key);
	fputs_unlocked("null", json->out);
}

void json_real(struct json *json, const char *key, double value, int digits)
{
	/* JSON has neither infinity nor NaN. */
	if (!isfinite(value)) {
		json_null(json, key);
		return;
	}
	begin_value(json, key);
	fprintf(json->out, "%.*f", digits, value);
}

void json_double(struct json *json, const char *key, double value)
{
	char text[NUMBER_TEXT];

	if (!isfinite(value)) {
		json_null(json, key);
		return;
	}
	begin_value(json, key);
	fputs_unlocked(number_double(text, value), json->out);
}
