// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the places in a file that a user names by a symbol, a line, or a pattern.
 *
 * One pass over the symbols of a file, one over its inlined calls, and one over its lines
 * serve all landmarks.
 * Places that touch are merged, so that a pattern that matches a whole library gives the
 * plugin few places to search for each block that it translates.
 *
 * Invariant: places are in bytes of the file, start < end, and after merge() those of one
 * sense and window are sorted and apart.
 */
#include "program/landmarks-data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/pattern.h"
#include "program/demangle.h"
#include "program/elf/inlines.h"
#include "program/kernel/image.h"
#include "program/packed.h"

#define FILE_BYTES_MAX INT64_MAX /* of any file, as the kernel has it */

bool landmarks_fit_file(const char *pattern, const char *path)
{
	/* A pattern with a slash is for the whole path, one without for its last part. */
	const char *slash = strrchr(path, '/');
	char inside[128];

	/* In a pattern brackets are a set of letters, so they are compared as they are. */
	if (sscanf(path, "[%127[^]]]", inside) == 1)
		return !strcmp(pattern, path) || pattern_fits(pattern, inside);
	return pattern_fits(pattern, slash && !strchr(pattern, '/') ? slash + 1 : path);
}

bool landmarks_is_here(const struct looking *looking, const struct landmark *landmark)
{
	return !landmark->module || landmarks_fit_file(landmark->module, looking->path);
}

bool landmarks_add(struct looking *looking, size_t index, uint64_t start, uint64_t end)
{
	const struct landmark *landmark = &looking->landmarks[index];
	struct order_place place = {
		.start = start,
		.end = end,
		.sense = landmark->sense,
		.window = landmark->window,
	};

	/* An empty range is no place, and counts as not found. */
	if (start >= end)
		return true;
	looking->finds[index].places++;
	looking->failed |= !APPEND(looking->places, looking->n_places, place);
	return !looking->failed;
}

/* ---- symbols ------------------------------------------------------------- */

static bool is_part(void *name, const char *part)
{
	return !strcmp(name, part);
}

/* As demangle_names(), of a symbol that was demangled for all landmarks; or `full` is NULL. */
static bool fits_symbol(const char *name, const char *symbol, const char *full)
{
	return !strcmp(name, symbol) ||
	       (full && demangle_each(full, is_part, (void *)name));
}

/*
 * A name is compared literally, a pattern as pattern_fits() does: "operator*" as a symbol is
 * no pattern.
 */
static bool is_meant(const struct landmark *landmark, const char *name, const char *full)
{
	if (landmark->kind == LANDMARK_SYMBOL)
		return fits_symbol(landmark->name, name, full);
	return pattern_fits(landmark->name, name) ||
	       (full && demangle_fits(landmark->name, full));
}

/* Whether it is told by the name of a symbol. Modules and addresses may have no name at all. */
static bool has_symbol(const struct landmark *landmark)
{
	return landmark->kind == LANDMARK_SYMBOL || landmark->kind == LANDMARK_FUNCTIONS;
}

/* The name of a symbol as in the source, if a landmark may mean that; else NULL. */
static char *full_name(const struct looking *looking, const char *symbol)
{
	for (size_t i = 0; i < looking->n; i++)
		if (has_symbol(&looking->landmarks[i]) &&
		    demangle_may_have(symbol, looking->landmarks[i].name))
			return demangle(symbol);
	return NULL;
}

/*
 * A symbol landmark is one point: value bytes into the symbol, if the symbol is that
 * long. A functions landmark is the whole range; a label in the middle of a function
 * (symbol->inside) is in that range already.
 */
static bool take_symbol(void *cookie, const struct elf_symbol *symbol)
{
	struct looking *looking = cookie;
	char *full = full_name(looking, symbol->name);
	bool good = true;

	for (size_t i = 0; i < looking->n && good; i++) {
		const struct landmark *landmark = &looking->landmarks[i];
		bool is_point = landmark->kind == LANDMARK_SYMBOL;
		uint64_t start = symbol->start + landmark->value;

		if (!has_symbol(landmark) || (!is_point && symbol->inside) ||
		    !landmarks_is_here(looking, landmark) ||
		    !is_meant(landmark, symbol->name, full))
			continue;
		looking->finds[i].choosers += symbol->chooser;
		/* The symbol ends before `value`: its length is kept for the message. */
		if (is_point && landmark->value &&
		    landmark->value >= symbol->end - symbol->start)
			looking->finds[i].bytes = symbol->end - symbol->start;
		else
			good = landmarks_add(looking, i, start,
					     is_point ? start + 1 : symbol->end);
	}
	free(full);
	return good;
}

/* ---- inlined calls ------------------------------------------------------- */

/*
 * Values are left out: the registers of a function's arguments are those where it is
 * called, and an inlined call has none.
 */
static bool counts_inlined(const struct looking *looking, const struct landmark *landmark)
{
	bool is_entry = landmark->kind == LANDMARK_SYMBOL && !landmark->value;

	return (is_entry || landmark->kind == LANDMARK_FUNCTIONS) &&
	       !landmark->no_inline && landmark->sense <= ORDER_EXCEPT &&
	       landmarks_is_here(looking, landmark);
}

/* A verdict on a name: a landmark means it, or none does. */
enum { MEANT = 1, NOT_MEANT };

static uint32_t judge(const struct looking *looking, const char *name, bool is_linkage)
{
	char *full = is_linkage ? full_name(looking, name) : NULL;
	uint32_t verdict = NOT_MEANT;

	for (size_t i = 0; i < looking->n && verdict != MEANT; i++)
		if (counts_inlined(looking, &looking->landmarks[i]) &&
		    is_meant(&looking->landmarks[i], name, full))
			verdict = MEANT;
	free(full);
	return verdict;
}

/*
 * Asked for each call, which may be millions. A function's name is one string of the file
 * for all its calls, so the verdict is kept by the string's address.
 */
static bool wants_call(void *cookie, const char *name, const char *linkage)
{
	struct looking *looking = cookie;
	const char *symbol = linkage ? linkage : name;
	uint32_t *verdict = u64map_at(&looking->verdicts, (uintptr_t)symbol);

	if (!verdict)
		return judge(looking, symbol, linkage) == MEANT;
	if (!*verdict)
		*verdict = judge(looking, symbol, linkage);
	return *verdict == MEANT;
}

/* A call is a point where it begins, once for all of its parts; or it is its parts. */
static bool take_call(void *cookie, const struct elf_inline *part)
{
	struct looking *looking = cookie;
	const char *symbol = part->linkage ? part->linkage : part->name;
	char *full = part->linkage ? demangle(part->linkage) : NULL;
	bool begins = part->call != looking->last_call && part->entry != UINT64_MAX;
	bool good = true;

	for (size_t i = 0; i < looking->n && good; i++) {
		const struct landmark *landmark = &looking->landmarks[i];

		if (!counts_inlined(looking, landmark) ||
		    !is_meant(landmark, symbol, full))
			continue;
		if (landmark->kind == LANDMARK_FUNCTIONS)
			good = landmarks_add(looking, i, part->start, part->end);
		else if (begins)
			good = landmarks_add(looking, i, part->entry, part->entry + 1);
	}
	looking->last_call = part->call;
	free(full);
	return good;
}

static void look_for_calls(struct looking *looking, const char *build_id)
{
	const struct elf_inlines_asker asker = { wants_call, take_call, looking, false };
	bool any = false;
	int copy;

	for (size_t i = 0; i < looking->n && !any; i++)
		any = counts_inlined(looking, &looking->landmarks[i]);
	if (!any)
		return;
	copy = dup(looking->fd);
	if (copy < 0)
		return;
	looking->failed |= u64map_init(&looking->verdicts) != 0;
	if (!looking->failed)
		/* It takes the descriptor over. */
		elf_inlines_each(copy, looking->path, build_id, &asker);
	else
		close(copy);
	u64map_fini(&looking->verdicts);
}

/* ---- all of it ----------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct order_place *x = a, *y = b;

	if (x->sense != y->sense)
		return x->sense < y->sense ? -1 : 1;
	if (x->window != y->window)
		return x->window < y->window ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/*
 * Merges places of one sense and window that touch. Points that touch are two places and
 * stay apart; equal points become one.
 */
static void merge(struct looking *looking)
{
	struct order_place *last = NULL;
	size_t n = 0;

	if (looking->n_places)
		qsort(looking->places, looking->n_places, sizeof(*looking->places),
		      by_place);
	for (size_t i = 0; i < looking->n_places; i++) {
		const struct order_place *place = &looking->places[i];
		bool is_point = order_is_point(place->sense);

		if (last && place->sense == last->sense &&
		    place->window == last->window &&
		    place->start < last->end + !is_point) {
			if (place->end > last->end)
				last->end = place->end;
			continue;
		}
		last = &looking->places[n++];
		*last = *place;
	}
	looking->n_places = n;
}

/* Whether any landmark that can be in the file is of one of these kinds. */
static bool has_kind(const struct looking *looking, enum landmark_kind kind,
		     enum landmark_kind other)
{
	for (size_t i = 0; i < looking->n; i++)
		if ((looking->landmarks[i].kind == kind ||
		     looking->landmarks[i].kind == other) &&
		    landmarks_is_here(looking, &looking->landmarks[i]))
			return true;
	return false;
}

/* Whole files need no symbols, so they are taken first. */
static void add_files(struct looking *looking)
{
	for (size_t i = 0; i < looking->n; i++) {
		if (!landmarks_is_here(looking, &looking->landmarks[i]))
			continue;
		looking->finds[i].module = true;
		if (looking->landmarks[i].kind == LANDMARK_MODULE)
			landmarks_add(looking, i, 0, FILE_BYTES_MAX);
	}
}

static bool finish(struct looking *looking, struct order_place **places, size_t *n_places)
{
	merge(looking);
	*places = looking->places;
	*n_places = looking->n_places;
	return !looking->failed;
}

bool landmarks_find(const struct landmark *landmarks, size_t n, int fd, const char *path,
		    const char *build_id, struct landmark_find *finds,
		    struct order_place **places, size_t *n_places)
{
	struct looking looking = {
		.landmarks = landmarks,
		.n = n,
		.path = path,
		.fd = fd,
		.finds = finds,
		.last_call = UINT64_MAX,
	};

	add_files(&looking);
	if (fd >= 0 && has_kind(&looking, LANDMARK_SYMBOL, LANDMARK_FUNCTIONS))
		kernel_names_each(fd, path, build_id, take_symbol, &looking);
	if (fd >= 0)
		look_for_calls(&looking, build_id);
	if (fd >= 0 && has_kind(&looking, LANDMARK_LINE, LANDMARK_LINE))
		landmarks_look_for_lines(&looking, fd, build_id);
	return finish(&looking, places, n_places);
}

bool landmarks_find_names(const struct landmark *landmarks, size_t n,
			  const struct symtab *names, const char *path,
			  struct landmark_find *finds, struct order_place **places,
			  size_t *n_places)
{
	struct looking looking = {
		.landmarks = landmarks, .n = n, .path = path, .fd = -1, .finds = finds
	};

	add_files(&looking);
	for (uint32_t i = 0; i < names->n_ranges; i++) {
		const struct symtab_range *range = &names->ranges[i];
		struct elf_symbol symbol = {
			.name = (const char *)names->names.data + range->name,
			.start = range->start,
			.end = range->end,
			.inside = range->outer != SYMTAB_NO_RANGE,
		};

		if (!take_symbol(&looking, &symbol))
			break;
	}
	return finish(&looking, places, n_places);
}

bool landmarks_find_lines(const struct landmark *landmarks, size_t n,
			  const struct packed *packed, const struct interner *sources,
			  const char *path, struct landmark_find *finds,
			  struct order_place **places, size_t *n_places)
{
	struct looking looking = {
		.landmarks = landmarks, .n = n, .path = path, .fd = -1, .finds = finds
	};

	add_files(&looking);
	if (landmarks_begin_lines(&looking, sources)) {
		packed_lines_each(packed, landmarks_take_line, &looking);
		landmarks_end_lines(&looking);
	}
	return finish(&looking, places, n_places);
}

bool landmarks_load(struct order_place *place, const struct elf_load *part)
{
	uint64_t from = part->file_off, to = from + part->end - part->start;

	if (place->start < from)
		place->start = from;
	if (place->end > to)
		place->end = to;
	if (place->start >= place->end)
		return false;
	place->start += part->start - from;
	place->end += part->start - from;
	return true;
}
