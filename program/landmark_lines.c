// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the places of lines.
 *
 * A line has code where a range of it begins that does not continue an earlier one.
 * Compilers split a line into many ranges: with ranges [0,4) [4,8) [20,24) of line 7, its
 * places are 0 and 20, not 4.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/nearest.h"
#include "program/landmarks-data.h"

/*
 * Whether a path ends with `name`, at a slash: "list.c" is meant for /src/list.c, but not
 * for /src/blacklist.c. So is "./list.c", as compilers and shells write it.
 */
static bool is_path_of(const char *name, const char *path)
{
	size_t bytes = strlen(path), wanted;

	while (!strncmp(name, "./", 2))
		name += 2;
	wanted = strlen(name);
	return bytes >= wanted && !strcmp(path + bytes - wanted, name) &&
	       (bytes == wanted || *name == '/' || path[bytes - wanted - 1] == '/');
}

/* Notes a source whose name somebody may have meant: as much of its path as was typed. */
static void try_source(struct landmark_find *find, const char *typed, const char *path)
{
	struct nearest nearest = { .typed = typed, .edits = find->near_edits };
	const char *name = path + strlen(path);

	for (const char *at = typed; at && name > path; at = strchr(at, '/'), at += !!at)
		for (name -= name > path; name > path && name[-1] != '/';)
			name--;
	if (strlen(name) < sizeof(find->near) && nearest_try(&nearest, name))
		strcpy(find->near, name);
	find->near_edits = nearest.edits;
}

static void compare_source(struct looking *looking, uint32_t source)
{
	uint64_t address;
	uint32_t bytes;
	const char *path =
		(const char *)intern_code(looking->sources, source, &address, &bytes);

	looking->last_source = source;
	for (size_t i = 0; i < looking->n; i++) {
		const struct landmark *landmark = &looking->landmarks[i];
		bool is_line = landmark->kind == LANDMARK_LINE &&
			       landmarks_is_here(looking, landmark);

		looking->is_source[i] = is_line && is_path_of(landmark->name, path);
		if (is_line && !looking->is_source[i])
			try_source(&looking->finds[i], landmark->name, path);
	}
}

/*
 * Lines of one source come together, so the path is compared once for each run of them.
 * For a line without code the nearest lines with code are noted, for the error message.
 */
bool landmarks_take_line(void *cookie, const struct elf_line *line)
{
	struct looking *looking = cookie;

	/* No source has the number 0, so the first line is always compared. */
	if (line->file != looking->last_source)
		compare_source(looking, line->file);
	for (size_t i = 0; i < looking->n && !looking->failed; i++) {
		struct landmark_find *find = &looking->finds[i];
		struct range range = { line->start, line->end, i };

		if (!looking->is_source[i])
			continue;
		/* The source is there, although the line may have no code. */
		find->source = true;
		if (line->line == looking->landmarks[i].value)
			looking->failed |=
				!APPEND(looking->ranges, looking->n_ranges, range);
		else if (line->line < looking->landmarks[i].value)
			find->below = line->line > find->below ? line->line : find->below;
		else if (!find->above || line->line < find->above)
			find->above = line->line;
	}
	return !looking->failed;
}

static int by_landmark(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->landmark != y->landmark)
		return x->landmark < y->landmark ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Adds the starts of ranges that do not continue a range of the same line. */
static void add_lines(struct looking *looking)
{
	/* The furthest end of the ranges of the line so far. */
	uint64_t reach = 0;

	if (looking->n_ranges)
		qsort(looking->ranges, looking->n_ranges, sizeof(*looking->ranges),
		      by_landmark);
	for (size_t i = 0; i < looking->n_ranges; i++) {
		const struct range *range = &looking->ranges[i];

		if (!i || range->landmark != range[-1].landmark || range->start > reach)
			landmarks_add(looking, range->landmark, range->start,
				      range->start + 1);
		if (!i || range->landmark != range[-1].landmark || range->end > reach)
			reach = range->end;
	}
}

bool landmarks_begin_lines(struct looking *looking, const struct interner *sources)
{
	looking->sources = sources;
	looking->is_source = calloc(looking->n, sizeof(*looking->is_source));
	looking->failed |= !looking->is_source;
	return !looking->failed;
}

void landmarks_end_lines(struct looking *looking)
{
	add_lines(looking);
	free(looking->is_source);
	free(looking->ranges);
}

void landmarks_look_for_lines(struct looking *looking, int fd, const char *build_id)
{
	/* elf_lines_open() takes its descriptor over, and the caller keeps his own. */
	int copy = dup(fd);
	struct interner sources = INTERNER_INIT;
	struct elf_lines *lines;

	/* Without a descriptor no line is found. */
	if (copy < 0)
		return;
	lines = elf_lines_open(copy, looking->path, build_id, &sources);
	if (lines && landmarks_begin_lines(looking, &sources)) {
		elf_lines_each(lines, landmarks_take_line, looking);
		landmarks_end_lines(looking);
	}
	elf_lines_close(lines);
	interner_fini(&sources);
}
