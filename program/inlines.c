// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The debug information of a file lists each inlined call with the ranges of code that it
 * became. Of all of them the calls of functions that fit the pattern are kept. A call may
 * have several ranges, because compilers move cold code away:
 *
 *	calls[0] = helper, into main, list.c:12		parts[] = 0x100..0x120 of call 0
 *	calls[1] = helper, into other, list.c:40		  0x180..0x190 of call 1
 *						  0x400..0x408 of call 0
 *
 * Invariant of parts[] after inlines_find(): sorted by file and start, none overlaps
 * another, so one search answers for a byte of a file.
 */
#include "program/inlines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "program/demangle.h"
#include "program/elf/file.h"
#include "program/elf/inlines.h"
#include "program/symbols.h"

void inlines_init(struct inlines *inlines, const char *pattern)
{
	*inlines = (struct inlines){ .pattern = pattern };
}

void inlines_fini(struct inlines *inlines)
{
	for (size_t i = 0; i < inlines->n_calls; i++) {
		free(inlines->calls[i].name);
		free(inlines->calls[i].into);
		free(inlines->calls[i].source);
	}
	free(inlines->calls);
	free(inlines->parts);
}

/* ---- names --------------------------------------------------------------- */

static bool fits_demangled(const char *pattern, const char *linkage)
{
	char *name = demangle(linkage);
	bool good = name && demangle_fits(pattern, name);

	free(name);
	return good;
}

/* Whether a function's calls are to be kept; demangling is slow, and so comes last. */
static bool wants(void *cookie, const char *name, const char *linkage)
{
	const struct inlines *inlines = cookie;
	const char *pattern = inlines->pattern;

	if (!strcmp(pattern, name) || demangle_fits(pattern, name) ||
	    (linkage && !strcmp(pattern, linkage)))
		return true;
	/* Other patterns are plain words, and a demangled name that is one is `name`. */
	return linkage && strpbrk(pattern, ":(<*?[") && fits_demangled(pattern, linkage);
}

/* ---- calls --------------------------------------------------------------- */

static bool add_call(struct inlines *inlines, const struct elf_inline *part)
{
	const char *slash = part->source ? strrchr(part->source, '/') : NULL;
	const char *source = slash ? slash + 1 : part->source;
	struct inlined_call call = {
		.name = demangle(part->linkage ? part->linkage : part->name),
		.into = part->into ? demangle(part->into) : NULL,
		/* Folders are left out: the message names the place for a person. */
		.source = source ? strdup(source) : NULL,
		.line = part->line,
		.number = part->call,
	};

	if (call.name && APPEND(inlines->calls, inlines->n_calls, call))
		return true;
	free(call.name);
	free(call.into);
	free(call.source);
	return false;
}

/*
 * The callback for each range of each call. Ranges of one call come one after the other
 * and have its number, so comparing with the last call is enough. Numbers restart in each
 * file.
 */
static bool take(void *cookie, const struct elf_inline *elf)
{
	struct inlines *inlines = cookie;
	const struct inlined_call *last =
		inlines->n_calls ? &inlines->calls[inlines->n_calls - 1] : NULL;
	const struct inlined_part *former =
		inlines->n_parts ? &inlines->parts[inlines->n_parts - 1] : NULL;
	struct inlined_part part = { inlines->file, elf->start, elf->end, 0 };

	if (!last || last->number != elf->call || former->file != inlines->file)
		inlines->failed |= !add_call(inlines, elf);
	if (inlines->failed)
		return false;
	part.call = inlines->n_calls - 1;
	inlines->failed |= !APPEND(inlines->parts, inlines->n_parts, part);
	return !inlines->failed;
}

static void look_through(struct inlines *inlines, uint32_t file, int fd, const char *path,
			 const char *build_id)
{
	const struct elf_inlines_asker asker = { wants, take, inlines, false };

	inlines->file = file;
	elf_inlines_each(fd, path, build_id, &asker);
}

void inlines_add(struct inlines *inlines, uint32_t file, const char *path)
{
	char build_id[ELF_BUILD_ID_TEXT];
	int fd = elf_file_open(path);

	/* A file that cannot be read has no inlined calls. */
	if (fd < 0)
		return;
	elf_file_build_id(fd, build_id);
	look_through(inlines, file, fd, path, build_id);
}

static int by_place(const void *a, const void *b)
{
	const struct inlined_part *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* The outer call comes first, because it is listed first in the DWARF. */
	return x->call < y->call ? -1 : x->call > y->call;
}

/*
 * Makes parts disjoint. A function may be inlined into itself, as recursion is: then the
 * range of the outer call holds that of the inner one, and the inner one is dropped.
 * Ranges that only overlap become one, of the call that starts first.
 */
static void merge(struct inlines *inlines)
{
	struct inlined_part *parts = inlines->parts;
	size_t n = 0;

	for (size_t i = 0; i < inlines->n_parts; i++) {
		if (!n || parts[i].file != parts[n - 1].file ||
		    parts[i].start >= parts[n - 1].end)
			parts[n++] = parts[i];
		else if (parts[i].end > parts[n - 1].end)
			parts[n - 1].end = parts[i].end;
	}
	inlines->n_parts = n;
}

int inlines_find(struct inlines *inlines, struct symbols *symbols, struct wm_error *err)
{
	for (uint32_t i = 0; i < symbols_files(symbols); i++) {
		const char *build_id, *path = symbols_file(symbols, i, &build_id);
		int fd = *path ? symbols_open(symbols, i) : -1;

		/* Memory without a file has an empty path. */
		if (fd >= 0)
			look_through(inlines, i, fd, path, build_id);
	}
	if (inlines->n_parts)
		qsort(inlines->parts, inlines->n_parts, sizeof(*inlines->parts),
		      by_place);
	merge(inlines);
	return inlines->failed ? wm_fail_nomem(err, "inlined functions") : 0;
}

/* Binary search: the last part that starts at or before the byte, if it reaches it. */
const struct inlined_part *inlines_over(const struct inlines *inlines, uint32_t file,
					uint64_t file_off)
{
	/* Parts do not overlap, so there is at most one over a byte. */
	const struct inlined_part *parts = inlines->parts;
	size_t n = BISECT(inlines->n_parts, i,
			  parts[i].file < file ||
				  (parts[i].file == file && parts[i].start <= file_off));

	return n && parts[n - 1].file == file && file_off < parts[n - 1].end ?
		       &parts[n - 1] :
		       NULL;
}

/* ---- in words ------------------------------------------------------------ */

/*
 * Bounded widths in the formats: the parts fit into their buffers whatever the names are.
 */
void inlines_places(const struct inlines *inlines, char *text, size_t n)
{
	const struct inlined_call *call = inlines->calls;
	/* Only used when there is a first call. */
	size_t more = inlines->n_calls - 1;
	char place[80] = "", others[48] = "";

	*text = 0;
	if (!inlines->n_calls)
		return;
	if (call->source && call->line)
		snprintf(place, sizeof(place), " (%.60s:%u)", call->source, call->line);
	if (more)
		snprintf(others, sizeof(others), " and at %zu more place%s", more,
			 more == 1 ? "" : "s");
	snprintf(text, n, "into %.80s%s%s", call->into ? call->into : "a function", place,
		 others);
}
