// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shortens names of functions, which in C++ may have hundreds of characters. The outer
 * brackets distinguish functions and the inner ones mostly repeat default arguments of a
 * library's templates, so the content of the innermost brackets is left out first:
 *
 *	std::map<int, std::less<int>, std::allocator<char>>::find(int const&)
 *	std::map<int, std::less<…>, std::allocator<…>>::find(int const&)
 *	std::map<…>::find(…)
 *
 * What is still too long loses its middle. The signs in an operator's name (operator<,
 * operator()) are no brackets, nor is the > of an arrow (->). Those around the type that a
 * method of Rust is of do not count, because the type says most:
 *
 *	<shop::Book<u8> as shop::Match>::find
 *	<shop::Book<…> as shop::Match>::find
 */
#include "out/shorten.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* Limits the work on a malicious name: each level costs a pass over it. */
enum { DEPTH_MAX = 64 };

/* The state of reading a name: `at` bytes are read, `depth` brackets are open. */
struct reading {
	const char *name;
	size_t at;
	unsigned depth;
};

/*
 * The length of the signs after the word "operator", when it ends at reading->at; else 0.
 * The word must not be the end of a longer one, such as "my_operator".
 */
static size_t operator_signs(const struct reading *reading)
{
	static const char word[] = "operator";
	const size_t length = sizeof(word) - 1;
	const char *at = reading->name + reading->at;

	if (reading->at < length || memcmp(at - length, word, length) != 0 ||
	    (reading->at > length && (isalnum((unsigned char)at[-(int)length - 1]) ||
				      at[-(int)length - 1] == '_')))
		return 0;
	return !strncmp(at, "()", 2) ? 2 : strspn(at, "<>=-");
}

/* Whether "<Type as Trait>::" or "::<impl Trait for Type>::" begins, outside brackets. */
static bool opens_type(const struct reading *reading)
{
	const char *at = reading->name + reading->at;

	return !reading->depth && (!reading->at || !strncmp(at, "<impl ", 6));
}

/* Whether a heap object's size begins, "(24)" at the end: it tells one from another. */
static bool opens_size(const char *at)
{
	size_t digits = strspn(at + 1, "0123456789");

	return digits && !strcmp(at + 1 + digits, ")");
}

/*
 * Reads one piece: a byte, or the signs of an operator. Returns its bytes. A > only
 * closes when a bracket is open and it does not end an arrow.
 */
static size_t read_piece(struct reading *reading)
{
	const char *at = reading->name + reading->at;
	size_t bytes = operator_signs(reading);

	if (!bytes) {
		bytes = 1;
		if ((*at == '<' && !opens_type(reading)) ||
		    (*at == '(' && !opens_size(at)))
			reading->depth++;
		else if ((*at == ')' || (*at == '>' && reading->at && at[-1] != '-')) &&
			 reading->depth)
			reading->depth--;
	}
	reading->at += bytes;
	return bytes;
}

/* The deepest level of brackets in a name. */
static unsigned depth_of(const char *name)
{
	struct reading reading = { .name = name };
	unsigned deepest = 0;

	while (name[reading.at]) {
		read_piece(&reading);
		if (reading.depth > deepest)
			deepest = reading.depth;
	}
	return deepest;
}

/*
 * Copies the name without what is inside more than `depth` brackets, an ellipsis in its
 * place. The brackets themselves stay: a piece that changes the depth is copied.
 */
static void fold(const char *name, unsigned depth, char *out)
{
	struct reading reading = { .name = name };
	bool left_out = false;

	while (name[reading.at]) {
		const char *at = name + reading.at;
		unsigned before = reading.depth;
		size_t bytes = read_piece(&reading);

		if (before > depth && reading.depth > depth) {
			left_out = true;
			continue;
		}
		if (left_out)
			out = stpcpy(out, ELLIPSIS);
		left_out = false;
		memcpy(out, at, bytes);
		out += bytes;
	}
	strcpy(out, left_out ? ELLIPSIS : "");
}

/*
 * Removes the middle: two thirds of the columns go to the begin, which says more than the
 * end. Of 56 columns, 36 are the begin, 1 the ellipsis, and 19 the end.
 */
static void cut_middle(char *name, size_t columns)
{
	size_t all = utf8_columns(name);
	size_t head = utf8_fitting(name, (columns - 1) * 2 / 3), tail;

	if (all <= columns)
		return;
	tail = utf8_fitting(name, all - (columns - 1 - (columns - 1) * 2 / 3));
	/* A wide character that the cut splits goes too. */
	while (utf8_columns(name + tail) > columns - 1 - (columns - 1) * 2 / 3)
		tail += utf8_length(name + tail) ? utf8_length(name + tail) : 1;
	memmove(name + head + strlen(ELLIPSIS), name + tail, strlen(name + tail) + 1);
	memcpy(name + head, ELLIPSIS, strlen(ELLIPSIS));
}

char *shorten(const char *name, size_t columns)
{
	unsigned depth = depth_of(name);
	/* At worst every byte is replaced by an ellipsis, which has three. */
	char *out = malloc(strlen(name) * strlen(ELLIPSIS) + sizeof(ELLIPSIS));

	if (!out)
		return NULL;
	strcpy(out, name);
	if (depth > DEPTH_MAX)
		depth = DEPTH_MAX;
	while (utf8_columns(out) > columns && depth)
		fold(name, --depth, out);
	cut_middle(out, columns);
	return out;
}
