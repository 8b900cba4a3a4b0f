// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/demangle.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compilers cut and hash names far shorter; what grows beyond when read is an attack. */
enum { SYMBOL_MAX = 4096, NAME_MAX_BYTES = 65536 };

/* Whose rules a symbol follows; 0: it is not mangled. The rules of Ada would fit C's. */
static int style_of(const char *symbol)
{
	if (!strncmp(symbol, "_D", 2))
		return DMGL_DLANG;
	return !strncmp(symbol, "_Z", 2) || !strncmp(symbol, "_R", 2) ? DMGL_AUTO : 0;
}

/* `symbol` up to its "@plt" or "@@VERSION", demangled; NULL when it is not mangled. */
static char *demangle_stem(const char *symbol, size_t stem)
{
	char text[SYMBOL_MAX + 1];
	int style = style_of(symbol);
	char *name = NULL;

	if (style && stem <= SYMBOL_MAX) {
		memcpy(text, symbol, stem);
		text[stem] = 0;
		name = cplus_demangle(text, DMGL_PARAMS | DMGL_ANSI | style);
	}
	if (name && strlen(name) > NAME_MAX_BYTES) {
		free(name);
		name = NULL;
	}
	return name;
}

char *demangle(const char *symbol)
{
	size_t stem = strcspn(symbol, "@");
	char *name = demangle_stem(symbol, stem), *whole;

	if (!name)
		return strdup(symbol);
	if (!symbol[stem])
		return name;
	if (asprintf(&whole, "%s%s", name, symbol + stem) < 0)
		whole = NULL;
	free(name);
	return whole;
}
