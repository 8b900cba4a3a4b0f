// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A parser by recursive descent over the bytes. It builds a tree in which a table is an array
 * of values with keys, found by a linear search: files have some hundred keys at most, and a
 * larger one is refused (KEYS_MAX) before the search takes long.
 *
 * A header selects the table that the following keys go to. Values move when their array
 * grows, so `table` is searched again from the root at each header, and nothing but it points
 * into the tree between two lines: a table does not move while keys are added to itself.
 *
 * Example: after "[a.b]" `table` is root -> "a" -> "b"; after "[[c]]" it is the last element of
 * the array root -> "c".
 */
#include "base/toml.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"

/* DEPTH_MAX: of arrays and inline tables in each other, and of dots in a key. */
enum { DEPTH_MAX = 16, KEYS_MAX = 65536 };

struct parser {
	const char *at, *end;
	unsigned line;
	size_t keys;
	struct toml *root, *table;
	struct wm_error *err;
};

static int malformed(struct parser *in, const char *what)
{
	return wm_fail(in->err, WM_E_FORMAT, 0, "line %u: %s", in->line, what);
}

static int no_memory(struct parser *in)
{
	return wm_fail_nomem(in->err, "a file's values");
}

void toml_fini(struct toml *value)
{
	for (size_t i = 0; i < value->n; i++)
		toml_fini(&value->all[i]);
	free(value->all);
	free(value->key);
	free(value->text);
	*value = (struct toml){ .type = TOML_TABLE };
}

static struct toml *find(struct toml *table, const char *key)
{
	for (size_t i = 0; i < table->n; i++)
		if (!strcmp(table->all[i].key, key))
			return &table->all[i];
	return NULL;
}

const struct toml *toml_find(const struct toml *table, const char *key)
{
	return find((struct toml *)(uintptr_t)table, key);
}

const char *toml_type_name(enum toml_type type)
{
	static const char *const names[] = { "a text", "a number", "true or false",
					     "an array", "a table" };

	return names[type];
}

/* ---- characters ---------------------------------------------------------- */

/* 0 at the end: a NUL is no character of a file. */
static char peek(const struct parser *in)
{
	return in->at < in->end ? *in->at : 0;
}

static bool take(struct parser *in, char c)
{
	if (peek(in) != c || in->at == in->end)
		return false;
	in->at++;
	return true;
}

static void skip_blanks(struct parser *in)
{
	while (peek(in) == ' ' || peek(in) == '\t')
		in->at++;
}

static void skip_comment(struct parser *in)
{
	if (peek(in) == '#')
		while (in->at < in->end && *in->at != '\n')
			in->at++;
}

/* The end of a line, with what may stand before it. False: something else is there. */
static bool take_line_end(struct parser *in)
{
	skip_blanks(in);
	skip_comment(in);
	take(in, '\r');
	if (in->at == in->end)
		return true;
	if (!take(in, '\n'))
		return false;
	in->line++;
	return true;
}

/* Also lines: in arrays. */
static void skip_space(struct parser *in)
{
	const char *before;

	do {
		before = in->at;
		skip_blanks(in);
		if (peek(in) == '#' || peek(in) == '\n' || peek(in) == '\r')
			take_line_end(in);
	} while (in->at != before);
}

/* ---- texts and keys ------------------------------------------------------ */

static bool put(char *to, size_t *n, uint32_t c)
{
	if (c < 0x80) {
		to[(*n)++] = (char)c;
	} else if (c < 0x800) {
		to[(*n)++] = (char)(0xc0 | c >> 6);
		to[(*n)++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		to[(*n)++] = (char)(0xe0 | c >> 12);
		to[(*n)++] = (char)(0x80 | (c >> 6 & 0x3f));
		to[(*n)++] = (char)(0x80 | (c & 0x3f));
	} else {
		to[(*n)++] = (char)(0xf0 | c >> 18);
		to[(*n)++] = (char)(0x80 | (c >> 12 & 0x3f));
		to[(*n)++] = (char)(0x80 | (c >> 6 & 0x3f));
		to[(*n)++] = (char)(0x80 | (c & 0x3f));
	}
	return true;
}

/* \uXXXX and \UXXXXXXXX. Surrogates are no characters, and a NUL would end the text. */
static bool take_code(struct parser *in, unsigned digits, char *to, size_t *n)
{
	uint32_t c = 0;

	while (digits--) {
		static const char hex[] = "0123456789abcdef";
		char lower = (char)(peek(in) | 0x20);
		const char *digit = peek(in) ? strchr(hex, lower) : NULL;

		if (!digit)
			return false;
		c = c << 4 | (uint32_t)(digit - hex);
		in->at++;
	}
	return c && c < 0x110000 && (c < 0xd800 || c > 0xdfff) && put(to, n, c);
}

static bool take_escape(struct parser *in, char *to, size_t *n)
{
	static const char letters[] = "btnfr\"\\", means[] = "\b\t\n\f\r\"\\";
	char c = peek(in);
	const char *known = c ? strchr(letters, c) : NULL;

	in->at += c != 0;
	if (c == 'u' || c == 'U')
		return take_code(in, c == 'u' ? 4 : 8, to, n);
	if (known)
		to[(*n)++] = means[known - letters];
	return known;
}

/* The text after its quote, up to the closing one. An escape is longer than what it means. */
static int parse_text(struct parser *in, char quote, char **text)
{
	size_t n = 0;
	char *to;

	if (in->end - in->at > 1 && in->at[0] == quote && in->at[1] == quote)
		return malformed(in, "texts of several lines are not known here");
	*text = to = malloc((size_t)(in->end - in->at) + 1);
	if (!to)
		return no_memory(in);
	while (!take(in, quote)) {
		unsigned char c = (unsigned char)peek(in);

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return malformed(in, "a text does not end on its line");
		in->at++;
		if (c != '\\' || quote == '\'')
			to[n++] = (char)c;
		else if (!take_escape(in, to, &n))
			return malformed(in, "there is no such escape in a text");
	}
	to[n] = 0;
	/* What was allocated is the rest of the file. */
	to = realloc(to, n + 1);
	*text = to ? to : *text;
	return 0;
}

static bool is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static int parse_key(struct parser *in, char **key)
{
	const char *begin = in->at;

	*key = NULL;
	if (++in->keys > KEYS_MAX)
		return malformed(in, "there are too many keys");
	if (take(in, '"'))
		return parse_text(in, '"', key);
	if (take(in, '\''))
		return parse_text(in, '\'', key);
	while (is_bare(peek(in)))
		in->at++;
	if (in->at == begin)
		return malformed(in, "a key is missing");
	*key = strndup(begin, (size_t)(in->at - begin));
	return *key ? 0 : no_memory(in);
}

/* ---- the tree ------------------------------------------------------------ */

/* Takes the key over, which may be NULL. */
static int add(struct parser *in, struct toml *to, char *key, enum toml_type type,
	       struct toml **value)
{
	struct toml new = { .key = key, .type = type, .line = in->line };

	*value = NULL;
	if (!APPEND(to->all, to->n, new)) {
		free(key);
		return no_memory(in);
	}
	*value = &to->all[to->n - 1];
	return 0;
}

/*
 * The table that a key is in, made if it is new: of an array of tables the last one. Takes the
 * key over.
 */
static int enter(struct parser *in, struct toml **table, char *key)
{
	struct toml *found = find(*table, key);

	if (!found)
		return add(in, *table, key, TOML_TABLE, table);
	free(key);
	if (found->type == TOML_ARRAY && !found->closed)
		found = &found->all[found->n - 1];
	if (found->type != TOML_TABLE || found->closed)
		return malformed(in, "the key is in use for something else");
	*table = found;
	return 0;
}

/* "a.b.c": enters a and b; *last is "c", the caller's. */
static int parse_keys(struct parser *in, struct toml **table, char **last)
{
	int ret = parse_key(in, last);

	for (unsigned depth = 0; !ret; depth++) {
		skip_blanks(in);
		if (!take(in, '.'))
			return 0;
		if (depth == DEPTH_MAX) {
			ret = malformed(in, "the key has too many parts");
			break;
		}
		skip_blanks(in);
		ret = enter(in, table, *last);
		*last = NULL;
		if (!ret)
			ret = parse_key(in, last);
	}
	free(*last);
	*last = NULL;
	return ret;
}

/* ---- values -------------------------------------------------------------- */

static int parse_value(struct parser *in, struct toml *value, unsigned depth);

/* Decimal, with single underscores between digits. */
static int parse_number(struct parser *in, struct toml *value)
{
	bool minus = take(in, '-'), digits = false, good = true;
	const char *begin;
	int64_t number = 0;

	if (!minus)
		take(in, '+');
	begin = in->at;
	for (; is_bare(peek(in)) || peek(in) == '.' || peek(in) == ':'; in->at++) {
		char c = *in->at;

		if (c == '_') {
			good = good && digits && in->at[-1] != '_';
			continue;
		}
		digits = c >= '0' && c <= '9';
		good = good && digits && !__builtin_mul_overflow(number, 10, &number) &&
		       !__builtin_sub_overflow(number, c - '0', &number);
	}
	if (!digits || !good || (in->at - begin > 1 && *begin == '0') ||
	    in->at[-1] == '_' || (!minus && number == INT64_MIN))
		return malformed(in, "a value is a text in quotes, a whole number, true, "
				     "false, an array or a table");
	value->type = TOML_NUMBER;
	/* It was made as a negative one, which has one more. */
	value->number = minus ? number : -number;
	return 0;
}

static bool take_word(struct parser *in, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(in->end - in->at) < n || memcmp(in->at, word, n) != 0 ||
	    (in->at + n < in->end && is_bare(in->at[n])))
		return false;
	in->at += n;
	return true;
}

static int parse_array(struct parser *in, struct toml *value, unsigned depth)
{
	int ret = 0;

	value->type = TOML_ARRAY;
	value->closed = true;
	skip_space(in);
	while (!ret && !take(in, ']')) {
		struct toml *element;

		ret = ++in->keys > KEYS_MAX ? malformed(in, "an array is too long") :
					      add(in, value, NULL, TOML_TEXT, &element);
		if (!ret)
			ret = parse_value(in, element, depth);
		skip_space(in);
		if (!ret && !take(in, ',') && peek(in) != ']')
			ret = malformed(in, "an array goes on with a comma or ends");
		skip_space(in);
	}
	return ret;
}

/* KEY = VALUE in a table. */
static int parse_pair(struct parser *in, struct toml *table, unsigned depth)
{
	struct toml *value;
	char *key;
	int ret = parse_keys(in, &table, &key);

	if (ret)
		return ret;
	if (find(table, key) || !take(in, '=')) {
		ret = malformed(in, find(table, key) ? "the key is there already" :
						       "after a key comes =");
		free(key);
		return ret;
	}
	ret = add(in, table, key, TOML_TEXT, &value);
	skip_blanks(in);
	return ret ? ret : parse_value(in, value, depth);
}

/* Whatever is in it, also by keys with dots, is complete at its end. */
static void close_all(struct toml *table)
{
	table->closed = true;
	for (size_t i = 0; i < table->n; i++)
		if (table->all[i].type == TOML_TABLE)
			close_all(&table->all[i]);
}

/* It stands on one line, and has no comma after its last pair. */
static int parse_inline(struct parser *in, struct toml *value, unsigned depth)
{
	int ret = 0;

	value->type = TOML_TABLE;
	skip_blanks(in);
	if (take(in, '}')) {
		value->closed = true;
		return 0;
	}
	do {
		skip_blanks(in);
		ret = parse_pair(in, value, depth);
		skip_blanks(in);
	} while (!ret && take(in, ','));
	if (!ret && !take(in, '}'))
		ret = malformed(in, "an inline table goes on with a comma or ends");
	close_all(value);
	return ret;
}

static int parse_value(struct parser *in, struct toml *value, unsigned depth)
{
	if (depth == DEPTH_MAX)
		return malformed(in, "arrays and tables are too deep in each other");
	if (take(in, '"'))
		return parse_text(in, '"', &value->text);
	if (take(in, '\''))
		return parse_text(in, '\'', &value->text);
	if (take(in, '['))
		return parse_array(in, value, depth + 1);
	if (take(in, '{'))
		return parse_inline(in, value, depth + 1);
	if (!take_word(in, "true") && !take_word(in, "false"))
		return parse_number(in, value);
	value->type = TOML_BOOL;
	value->number = in->at[-2] == 'u';
	return 0;
}

/* ---- lines --------------------------------------------------------------- */

/* One more table of an array, which is made if it is new. Takes the key over. */
static int add_to_array(struct parser *in, struct toml *table, char *key)
{
	struct toml *array = find(table, key);
	int ret = 0;

	if (!array)
		ret = add(in, table, key, TOML_ARRAY, &array);
	else
		free(key);
	if (!ret && (array->type != TOML_ARRAY || array->closed))
		ret = malformed(in, "the key is in use for something else");
	return ret ? ret : add(in, array, NULL, TOML_TABLE, &in->table);
}

static int enter_named(struct parser *in, struct toml *table, char *key)
{
	const struct toml *found = find(table, key);
	int ret;

	if (found && found->type == TOML_ARRAY) {
		free(key);
		return malformed(in, "the key is in use for something else");
	}
	ret = enter(in, &table, key);
	if (!ret && table->named)
		ret = malformed(in, "the table is there already");
	if (ret)
		return ret;
	table->named = true;
	in->table = table;
	return 0;
}

/* "[a.b]" or "[[a.b]]", after the first bracket. */
static int parse_header(struct parser *in)
{
	bool several = take(in, '[');
	struct toml *table = in->root;
	char *key;
	int ret;

	skip_blanks(in);
	ret = parse_keys(in, &table, &key);
	if (ret)
		return ret;
	ret = several ? add_to_array(in, table, key) : enter_named(in, table, key);
	if (!ret && (!take(in, ']') || (several && !take(in, ']'))))
		ret = malformed(in, "the name of a table ends with its brackets");
	return ret;
}

int toml_parse(struct toml *root, const char *text, size_t bytes, struct wm_error *err)
{
	struct parser in = { text, text + bytes, 1, 0, root, root, err };
	int ret = 0;

	*root = (struct toml){ .type = TOML_TABLE, .line = 1 };
	while (!ret && in.at < in.end) {
		skip_blanks(&in);
		if (take(&in, '['))
			ret = parse_header(&in);
		else if (peek(&in) != '#' && peek(&in) != '\n' && peek(&in) != '\r')
			ret = in.at == in.end ? 0 : parse_pair(&in, in.table, 0);
		if (!ret && !take_line_end(&in))
			ret = malformed(&in, "the line does not end where it should");
	}
	return ret;
}
