// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers the local symbols of a file that share a name. Symbols arrive by address. Of
 * several at one address the first is the one under which the code is known; if that is
 * global, the place is not in the list. The list is sorted by name to number those of one
 * name, and by address again for the lookup.
 *
 * Example: static functions helper at 0x100 and 0x340, and init at 0x200: helper 1, init
 * 1, helper 2 in the order of addresses.
 */
#include "program/locals.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/bisect.h"
#include "program/elf/symbols.h"

struct reading {
	struct locals *locals;
	uint64_t last; /* the place before this one; UINT64_MAX: none */
};

/*
 * Labels inside a function are no functions (symbol->inside). `last` is set for global
 * symbols, too, so that a local alias of a global function is skipped.
 */
static bool take(void *cookie, const struct elf_symbol *symbol)
{
	struct reading *reading = cookie;
	struct locals *locals = reading->locals;
	struct local local = { .start = symbol->start };

	if (symbol->inside || symbol->start == reading->last)
		return true;
	reading->last = symbol->start;
	if (!symbol->local)
		return true;
	local.name = strdup(symbol->name);
	locals->failed |= !local.name || !APPEND(locals->all, locals->n, local);
	if (locals->failed)
		free(local.name);
	return !locals->failed;
}

static int by_name(const void *a, const void *b)
{
	const struct local *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->start < y->start ? -1 : x->start > y->start;
}

static int by_start(const void *a, const void *b)
{
	const struct local *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Equal names are neighbours after the first sort, in the order of addresses. */
static void number_all(struct locals *locals)
{
	struct local *all = locals->all;

	if (!locals->n)
		return;
	qsort(all, locals->n, sizeof(*all), by_name);
	for (size_t i = 0; i < locals->n; i++) {
		bool again = i && !strcmp(all[i - 1].name, all[i].name);

		all[i].number = again ? all[i - 1].number + 1 : 1;
	}
	qsort(all, locals->n, sizeof(*all), by_start);
}

void locals_read(struct locals *locals, struct symbols *symbols, uint32_t file)
{
	struct reading reading = { locals, UINT64_MAX };
	const char *build_id, *path = symbols_file(symbols, file, &build_id);
	int fd = symbols_open(symbols, file);

	*locals = (struct locals){ .n = 0 };
	if (fd < 0)
		return;
	elf_symbols_each(fd, path, build_id, take, &reading);
	close(fd);
	number_all(locals);
}

void locals_fini(struct locals *locals)
{
	for (size_t i = 0; i < locals->n; i++)
		free(locals->all[i].name);
	free(locals->all);
}

uint32_t locals_number(const struct locals *locals, uint64_t start)
{
	const struct local *all = locals->all;
	size_t at = BISECT(locals->n, i, all[i].start < start);

	return at < locals->n && all[at].start == start ? all[at].number : 0;
}
