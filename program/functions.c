// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions are interned by what tells them apart: one with a symbol by its start and the
 * place of its name, which is that of one file's table of names; one that is made up by the
 * file's path.
 */
#include "program/functions.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intern.h"
#include "program/demangle.h"

struct functions {
	struct symbols *symbols;
	struct interner keys;
	struct function *all; /* [allocated] by number, of which 0 is unused */
	uint32_t allocated;
};

int functions_new(struct functions **out, struct symbols *symbols, struct wm_error *err)
{
	struct functions *functions = calloc(1, sizeof(*functions));

	*out = functions;
	if (!functions)
		return wm_fail_nomem(err, "functions");
	functions->symbols = symbols;
	functions->keys = INTERNER_INIT;
	return 0;
}

void functions_free(struct functions *functions)
{
	if (!functions)
		return;
	for (uint32_t i = 1; i <= functions->keys.count && i < functions->allocated; i++)
		free((char *)functions->all[i].name);
	free(functions->all);
	interner_fini(&functions->keys);
	free(functions);
}

static char *made_up_name(const char *module)
{
	const char *slash = module ? strrchr(module, '/') : NULL;
	char *name;

	if (asprintf(&name, "[%s]",
		     slash  ? slash + 1 :
		     module ? module :
			      "anonymous") < 0)
		return NULL;
	return name;
}

static bool make_room(struct functions *functions, uint32_t number)
{
	struct function *grown;
	uint32_t n = functions->allocated * 2 + 256;

	if (number < functions->allocated)
		return true;
	grown = reallocarray(functions->all, n, sizeof(*grown));
	if (!grown)
		return false;
	memset(grown + functions->allocated, 0,
	       (n - functions->allocated) * sizeof(*grown));
	functions->all = grown;
	functions->allocated = n;
	return true;
}

static bool describe(struct functions *functions, uint32_t number,
		     const struct symbol *symbol, uint64_t start)
{
	if (!make_room(functions, number))
		return false;
	functions->all[number] = (struct function){
		.name = symbol->name ? demangle(symbol->name) :
				       made_up_name(symbol->module),
		.symbol = symbol->name,
		.module = symbol->module,
		.start = start,
	};
	return functions->all[number].name;
}

/* The number of what `symbol` says; 0: no memory. */
static uint32_t number_of(struct functions *functions, const struct symbol *symbol,
			  uint64_t start, bool *fresh)
{
	const char *path = symbol->module ? symbol->module : "";

	/* No name lies at address 0, and no path begins with the bytes of one that does. */
	if (symbol->name)
		return intern(&functions->keys, start + 1, (const uint8_t *)&symbol->name,
			      sizeof(symbol->name), fresh);
	return intern(&functions->keys, 0, (const uint8_t *)path,
		      (uint32_t)strlen(path) + 1, fresh);
}

uint32_t functions_at(struct functions *functions, uint32_t process, uint64_t address,
		      uint32_t id, uint64_t *offset)
{
	struct symbol symbol;
	uint64_t start = 0;
	uint32_t number;
	bool fresh = false;

	symbols_find(functions->symbols, process, address, id, &symbol);
	if (symbol.name)
		start = symbol.file_off - symbol.offset;
	if (offset)
		*offset = symbol.module ? symbol.offset : address;
	number = number_of(functions, &symbol, start, &fresh);
	if (number && fresh && !describe(functions, number, &symbol, start))
		return 0;
	return number;
}

uint32_t functions_count(const struct functions *functions)
{
	return functions->keys.count;
}

const struct function *functions_get(const struct functions *functions, uint32_t number)
{
	return &functions->all[number];
}

bool functions_match(const struct functions *functions, uint32_t number,
		     const char *pattern)
{
	const struct function *function = functions_get(functions, number);

	return fnmatch(pattern, function->name, 0) == 0 ||
	       (function->symbol && fnmatch(pattern, function->symbol, 0) == 0);
}
