/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files of two runs count as the same. Files with the same build-id do, whatever
 * their names; their code is compared by its place in the file. Otherwise files of the
 * same name do, and the programs themselves. Their code is compared by symbol, because
 * functions have moved in another build.
 *
 * Memory without a file has no name. Where both runs had code in the page of an address,
 * it counts as the same page.
 */
#ifndef ANALYSIS_DIFF_MODULES_H
#define ANALYSIS_DIFF_MODULES_H

#include <stdbool.h>

#include "waymark.h"

enum diff_side { DIFF_A, DIFF_B };

struct diff_module {
	uint32_t identity; /* the same number for files that count as the same, from 1 */
	bool same_build;
};

struct diff_modules;

/* Nothing is changed afterwards, so any number of threads may read. WM_E_NOMEM. */
int diff_modules_new(struct diff_modules **modules, const struct wm_trace *a,
		     const struct wm_trace *b, struct wm_error *err);
void diff_modules_free(struct diff_modules *modules);

/*
 * The identity of a path of this side; NULL: it is that of no module but of a table of names
 * for generated code.
 */
const struct diff_module *diff_modules_find(const struct diff_modules *modules,
					    enum diff_side side, const char *path);

/*
 * The next two files, from index *at of A's on, that are compared by symbol; it moves past
 * them. False when there are no more.
 */
bool diff_modules_next_other(const struct diff_modules *modules, uint32_t *at,
			     const char **a, const char **b);

/*
 * Whether one of the runs has no file, and the other one has: an import without the program's
 * files. No place in a file is then in both, and all memory counts as without a file.
 */
bool diff_modules_one_sided(const struct diff_modules *modules);

#define DIFF_PAGE_BYTES 4096
/* Whether code of either side begins in the page of an address. */
bool diff_modules_share(const struct diff_modules *modules, uint64_t address);

#endif
