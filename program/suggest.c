// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares a mistyped name with those of all functions in the files that the program had
 * mapped: those of symbols, and those that the debugging information has of inlined calls. It
 * is slow, some tenths of a second of a large program, and so it is done for an error only.
 *
 * C++ names are compared as people type them, by parts. Example: for "Book::mach" the symbol
 * _ZN4shop4Book5matchEi is compared as "shop::Book::match(int)", "shop::Book::match",
 * "Book::match", which is near, and "match".
 *
 * A name may be right and yet be no function's: libc's `malloc` is another symbol where
 * `__libc_malloc` begins, whose name the code has; and an inlined function is in others.
 */
#include "program/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/demangle.h"
#include "program/elf/inlines.h"
#include "program/elf/symbols.h"
#include "program/inlines.h"

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

/* A search for the name that the code of a symbol has, in one file. */
struct alias {
	const char *typed;
	struct symbols *symbols;
	uint32_t file;
	char *name; /* [SUGGEST_NAME]; "" until it is found */
};

static bool see_alias(void *cookie, const struct elf_symbol *symbol)
{
	struct alias *alias = cookie;
	const struct origin origin = { alias->file, symbol->start };
	struct symbol_range range;

	if (strcmp(symbol->name, alias->typed) != 0)
		return true;
	if (symbols_over(alias->symbols, &origin, &range) &&
	    range.start == symbol->start && strcmp(range.name, alias->typed) != 0)
		snprintf(alias->name, SUGGEST_NAME, "%s", range.name);
	return !*alias->name;
}

static void compare_file(struct suggestion *suggestion, struct alias *alias)
{
	struct symbols *symbols = alias->symbols;
	const char *build_id, *path = symbols_file(symbols, alias->file, &build_id);
	struct symbol_range range;
	int fd;

	for (uint32_t i = 0; symbols_at(symbols, alias->file, i, &range); i++)
		suggest_symbol(suggestion, range.name);
	fd = *path ? symbols_open(symbols, alias->file) : -1;
	if (fd < 0)
		return;
	elf_symbols_each(fd, path, build_id, see_alias, alias);
	suggest_inlined(suggestion, fd, path, build_id);
}

/* Where a function is inlined is the end of the sentence; "" when it is nowhere. */
static const char *inlined_text(char *text, struct symbols *symbols, const char *typed)
{
	char places[SUGGEST_TEXT - 24];
	struct inlines inlines;
	struct wm_error err;

	inlines_init(&inlines, typed);
	if (!inlines_find(&inlines, symbols, &err)) {
		inlines_places(&inlines, places, sizeof(places));
		if (*places)
			snprintf(text, SUGGEST_TEXT, "; it is inlined %s", places);
	}
	inlines_fini(&inlines);
	return text;
}

const char *suggest_function(char *text, struct symbols *symbols, const char *typed)
{
	struct suggestion suggestion = { .nearest.typed = typed };
	char name[SUGGEST_NAME] = "";
	struct alias alias = { typed, symbols, 0, name };

	*text = 0;
	if (strpbrk(typed, "*?["))
		return text;
	for (; alias.file < symbols_files(symbols); alias.file++)
		compare_file(&suggestion, &alias);
	/* 1 is no edit: the name exists. */
	if (suggestion.nearest.edits == 1)
		return inlined_text(text, symbols, typed);
	if (!*name)
		return suggest_text(text, &suggestion);
	snprintf(text, SUGGEST_TEXT, "; its code is called \"%s\"", name);
	return text;
}
