// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols come in any order, several at one address, some without a size, some as labels
 * inside functions. What a table of names needs is one name for each address, sorted:
 *
 *	symbols					table
 *	0x120 loop  (label)			0x100..0x140 main
 *	0x100 main  size 0x40			0x140..0x200 helper
 *	0x140 __helper, helper  no size
 *
 * `loop` lies inside main and is dropped; of two names at 0x140 the one that users wrote
 * is kept (the lower worth); helper has no size and runs to the next name, at most to the end
 * of its section. Ranges may still nest, where a function has a second entry with a size.
 */
#include "program/elf/names.h"

#include <stdlib.h>
#include <string.h>

enum {
	NAME_BYTES_MAX = 1 << 16,
	NAMES_BYTES_MAX = 1 << 29, /* symbols may all point into one endless name */
};

void names_fini(struct names *names)
{
	free(names->all);
	buf_fini(&names->texts);
}

/*
 * Mapping symbols mark code ($x, $xrv64gc) and data ($d): they name nothing. Newer linkers mark
 * the table of stubs; its beginning is no function either, it only leads to the loader.
 */
bool names_nothing(const char *text)
{
	return !text || !*text ||
	       (text[0] == '$' && text[1] && strchr("xdat", text[1])) ||
	       !strncmp(text, ".L", 2) || !strcmp(text, "_PROCEDURE_LINKAGE_TABLE_");
}

/* A version after the name, "puts@@GLIBC_2.27", is cut off. */
bool names_add(struct names *names, const struct name *name, const char *text,
	       const char *suffix)
{
	size_t bytes = strnlen(text, NAME_BYTES_MAX);
	/* From the second character on: a name may begin with "@". */
	const char *version = memchr(text + 1, '@', bytes - 1);

	if (version)
		bytes = (size_t)(version - text);
	if (names->n == names->room) {
		uint32_t room = names->room * 2 + 256;
		void *all = realloc(names->all, room * sizeof(*names->all));

		if (!all)
			return false;
		names->all = all;
		names->room = room;
	}
	names->all[names->n] = *name;
	names->all[names->n++].text = (uint32_t)names->texts.len;
	buf_put(&names->texts, text, bytes);
	buf_put(&names->texts, suffix, strlen(suffix) + 1);
	/* Offsets of names have 32 bits, far more than NAMES_BYTES_MAX. */
	return !names->texts.failed && names->texts.len < NAMES_BYTES_MAX;
}

/*
 * The text decides last, so that the table does not depend on the order of symbols in the
 * file.
 */
static int by_start_and_worth(const void *a, const void *b, void *cookie)
{
	const struct name *x = a, *y = b;
	const char *texts = cookie;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->worth != y->worth)
		return x->worth < y->worth ? -1 : 1;
	return strcmp(texts + x->text, texts + y->text);
}

/* Keeps the names for which `keep`, called in order, returns true. */
static void filter(struct names *names,
		   bool (*keep)(const struct name *name, uint64_t *state))
{
	uint64_t state = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < names->n; i++)
		/* In place: `n` never passes `i`. */
		if (keep(&names->all[i], &state))
			names->all[n++] = names->all[i];
	names->n = n;
}

/*
 * Of several names at one start keeps the first, which has the lowest worth. The state is
 * the last start plus one, so that 0 means none.
 */
static bool first_of_start(const struct name *name, uint64_t *next)
{
	if (*next == name->start + 1)
		return false;
	*next = name->start + 1;
	return true;
}

/* Drops labels inside functions. The state is how far the functions so far reach. */
static bool not_inside_function(const struct name *name, uint64_t *reach)
{
	if (name->label)
		return name->start >= *reach;
	if (name->end > *reach)
		*reach = name->end;
	return true;
}

/* Drops guesses inside names with a size. The state is how far these reach so far. */
static bool not_guessed_inside(const struct name *name, uint64_t *reach)
{
	if (name->guess)
		return name->start >= *reach;
	if (name->end > name->start && name->end > *reach)
		*reach = name->end;
	return true;
}

/*
 * Gives sizes to names without one. Backwards, because a name ends where the next higher
 * start begins; of several names at one start, all run to that.
 */
static void give_sizes(struct names *names)
{
	uint64_t next = UINT64_MAX, start = UINT64_MAX;

	for (uint32_t i = names->n; i-- > 0;) {
		struct name *name = &names->all[i];

		if (name->start != start) {
			next = start;
			start = name->start;
		}
		if (name->end > name->start)
			continue;
		/* At most to the end of its section, or to the next name. */
		name->end = name->limit > name->start ? name->limit : name->start;
		if (next < name->end)
			name->end = next;
	}
}

/* Guesses go first: they give no other name its end. */
static void sort(struct names *names)
{
	if (names->n)
		qsort_r(names->all, names->n, sizeof(*names->all), by_start_and_worth,
			names->texts.data);
	filter(names, not_guessed_inside);
}

/* Labels are judged last: functions must have their sizes by then. */
static void put_in_order(struct names *names)
{
	sort(names);
	filter(names, first_of_start);
	give_sizes(names);
	filter(names, not_inside_function);
}

void names_put_in_order(struct names *names)
{
	sort(names);
	give_sizes(names);
}

bool names_finish(struct names *names, struct symtab *symtab)
{
	put_in_order(names);
	symtab->ranges = calloc(names->n + 1ul, sizeof(*symtab->ranges));
	if (!symtab->ranges)
		return false;
	for (uint32_t i = 0; i < names->n; i++) {
		const struct name *name = &names->all[i];

		symtab->ranges[i] = (struct symtab_range){ .start = name->start,
							   .end = name->end,
							   .name = name->text };
	}
	symtab->n_ranges = names->n;
	symtab->names = names->texts;
	names->texts = BUF_INIT;
	symtab_nest(symtab);
	return true;
}
