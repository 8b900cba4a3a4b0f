// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What runs are added to (cover_add.c), and the order of it when all runs are there.
 *
 * While runs are added, functions, lines and branches stand in the order of their first
 * appearance, and an index finds them by key. cover_finish() sorts them, after which the
 * index is of no use: it holds positions in the unsorted arrays.
 *
 * Blocks need no index: the same piece of code is listed once for each run and each part,
 * and sorting brings equal ones together, so that any number of runs takes no more memory. Example: blocks (module 0, 0x100, 8 bytes) of
 * two runs become one entry.
 */
#include "analysis/cover/cover.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/cover/cover_compiled.h"
#include "analysis/cover/cover_index.h"
#include "base/error.h"
#include "base/pattern.h"

int cover_init(struct cover *cover, bool branches, struct wm_error *err)
{
	*cover = (struct cover){ .has_branches = branches, .sources = INTERNER_INIT };
	cover->index = cover_index_new();
	return cover->index ? 0 : wm_fail_nomem(err, "coverage");
}

void cover_fini(struct cover *cover)
{
	for (uint32_t i = 0; i < cover->n_functions; i++)
		free(cover->functions[i].name);
	for (uint32_t i = 0; i < cover->n_runs; i++)
		free(cover->runs[i]);
	free(cover->runs);
	free(cover->modules);
	free(cover->functions);
	free(cover->lines);
	free(cover->branches);
	free(cover->blocks);
	interner_fini(&cover->sources);
	cover_index_free(cover->index);
}

const char *cover_path(const struct cover *cover, uint32_t source)
{
	uint64_t address;
	uint32_t bytes;

	return (const char *)intern_code(&cover->sources, source, &address, &bytes);
}

/* ---- in order ------------------------------------------------------------ */

/* A difference of unsigned numbers may not fit the int that qsort() takes. */
#define COMPARE(x, y) ((x) < (y) ? -1 : (x) > (y))

static int by_function(const void *a, const void *b)
{
	const struct cover_function *x = a, *y = b;

	return x->module != y->module ? COMPARE(x->module, y->module) :
					COMPARE(x->start, y->start);
}

static int by_line(const void *a, const void *b, void *cookie)
{
	const struct cover_line *x = a, *y = b;
	int order = x->line.source == y->line.source ? 0 :
						       /*
			     * Sources are numbered in the order of their first
			     * appearance, so paths are compared.
			     */
			    strcmp(cover_path(cookie, x->line.source),
				   cover_path(cookie, y->line.source));

	return order ? order : COMPARE(x->line.number, y->line.number);
}

static int by_branch(const void *a, const void *b)
{
	const struct cover_branch *x = a, *y = b;

	return x->module != y->module ? COMPARE(x->module, y->module) :
					COMPARE(x->file_off, y->file_off);
}

static int by_block(const void *a, const void *b)
{
	const struct cover_block *x = a, *y = b;

	if (x->module != y->module)
		return COMPARE(x->module, y->module);
	return x->image_off != y->image_off ? COMPARE(x->image_off, y->image_off) :
					      COMPARE(x->bytes, y->bytes);
}

static void fold_blocks(struct cover *cover)
{
	uint32_t kept = 0;

	if (!cover->n_blocks)
		return;
	qsort(cover->blocks, cover->n_blocks, sizeof(*cover->blocks), by_block);
	/* `kept` is the index of the last block that stays. */
	for (uint32_t i = 1; i < cover->n_blocks; i++)
		if (by_block(&cover->blocks[kept], &cover->blocks[i]) != 0)
			cover->blocks[++kept] = cover->blocks[i];
	cover->n_folded = cover->n_blocks = kept + 1;
}

/* When they have doubled, so that sorting them costs each run no more than its own blocks. */
void cover_fold(struct cover *cover)
{
	enum { FEW = 4096 };

	if (cover->n_blocks / 2 > cover->n_folded && cover->n_blocks > FEW)
		fold_blocks(cover);
}

void cover_finish(struct cover *cover)
{
	if (cover->n_functions)
		qsort(cover->functions, cover->n_functions, sizeof(*cover->functions),
		      by_function);
	if (cover->n_lines)
		qsort_r(cover->lines, cover->n_lines, sizeof(*cover->lines), by_line,
			cover);
	if (cover->n_branches)
		qsort(cover->branches, cover->n_branches, sizeof(*cover->branches),
		      by_branch);
	fold_blocks(cover);
	cover_join_compiled(cover);
}

static bool source_fits(const struct cover *cover, const struct srcline *line,
			const char *pattern)
{
	const char *path = line->source ? cover_path(cover, line->source) : NULL;
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (slash && !strchr(pattern, '/'))
		path = slash + 1;
	return path && pattern_fits(pattern, path);
}

/* The order stays, and with it what cover_finish() promised. */
bool cover_only_source(struct cover *cover, const char *pattern)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < cover->n_functions; i++) {
		if (source_fits(cover, &cover->functions[i].line, pattern))
			cover->functions[n++] = cover->functions[i];
		else
			free(cover->functions[i].name);
	}
	cover->n_functions = n;
	n = 0;
	for (uint32_t i = 0; i < cover->n_lines; i++)
		if (source_fits(cover, &cover->lines[i].line, pattern))
			cover->lines[n++] = cover->lines[i];
	cover->n_lines = n;
	n = 0;
	for (uint32_t i = 0; i < cover->n_branches; i++)
		if (source_fits(cover, &cover->branches[i].line, pattern))
			cover->branches[n++] = cover->branches[i];
	cover->n_branches = n;
	return cover->n_functions || cover->n_lines || cover->n_branches;
}
