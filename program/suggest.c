// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares a mistyped name with those of all functions in the files that the program had
 * mapped: those of symbols, and those that the debugging information has of inlined calls. It
 * is slow, some tenths of a second of a large program, and so it is done for an error only.
 *
 * C++ names are compared as people type them, by parts. Example: for "Book::mach" the symbol
 * _ZN4shop4Book5matchEi is compared as "shop::Book::match(int)", "shop::Book::match",
 * "Book::match", which is near, and "match".
 */
#include "program/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/demangle.h"
#include "program/elf/inlines.h"

/* Never ends the walk over parts: a later one may be nearer. */
static bool compare(void *cookie, const char *part)
{
	struct suggestion *suggestion = cookie;

	/* A name that is cut would be none. */
	if (strlen(part) < sizeof(suggestion->name) &&
	    nearest_try(&suggestion->nearest, part))
		strcpy(suggestion->name, part);
	return false;
}

void suggest_symbol(struct suggestion *suggestion, const char *symbol)
{
	char *name = symbol[0] == '_' ? demangle(symbol) : NULL;

	compare(suggestion, symbol);
	if (name && strcmp(name, symbol) != 0)
		demangle_each(name, compare, suggestion);
	free(name);
}

/* Asked of each inlined call; none is wanted. */
static bool see_inlined(void *cookie, const char *name, const char *linkage)
{
	suggest_symbol(cookie, linkage ? linkage : name);
	compare(cookie, name);
	return false;
}

static bool take_none(void *cookie, const struct elf_inline *part)
{
	(void)cookie;
	(void)part;
	return true;
}

void suggest_inlined(struct suggestion *suggestion, int fd, const char *path,
		     const char *build_id)
{
	const struct elf_inlines_asker asker = { see_inlined, take_none, suggestion,
						 false };

	elf_inlines_each(fd, path, build_id, &asker);
}

const char *suggest_text(char *text, const struct suggestion *suggestion)
{
	*text = 0;
	/* 1 is no edit: the name exists. */
	if (suggestion->nearest.edits > 1)
		snprintf(text, SUGGEST_TEXT, "; did you mean \"%s\"?", suggestion->name);
	return text;
}

static void compare_file(struct suggestion *suggestion, struct symbols *symbols,
			 uint32_t file)
{
	const char *build_id, *path = symbols_file(symbols, file, &build_id);
	struct symbol_range range;
	int fd;

	for (uint32_t i = 0; symbols_at(symbols, file, i, &range); i++)
		suggest_symbol(suggestion, range.name);
	fd = *path ? symbols_open(symbols, file) : -1;
	if (fd >= 0)
		suggest_inlined(suggestion, fd, path, build_id);
}

const char *suggest_function(char *text, struct symbols *symbols, const char *typed)
{
	struct suggestion suggestion = { .nearest.typed = typed };

	*text = 0;
	if (strpbrk(typed, "*?["))
		return text;
	for (uint32_t i = 0; i < symbols_files(symbols); i++)
		compare_file(&suggestion, symbols, i);
	return suggest_text(text, &suggestion);
}
