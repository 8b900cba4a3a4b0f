/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer for people: which programs changed or did not pass, and in which functions. It is
 * printed as two tables (fill functions below), and drawn as a page (cli/suite/page.h).
 */
#ifndef CLI_SUITE_OVERVIEW_H
#define CLI_SUITE_OVERVIEW_H

#include <stdio.h>

#include "cli/suite/changed.h"
#include "out/table.h"

struct overview {
	const char *folder, *against; /* the caller's; the latter may be NULL */
	struct changed_case *cases;   /* [n] those to look at come first, then by name */
	size_t n;
	size_t n_told;		 /* changed, or not passed: the first ones of `cases` */
	size_t n_changed, n_bad; /* of these */
	uint64_t most;		 /* functions of a case that are listed by name */
};

/* names[n] must outlive it. The caller calls overview_fini(), also after WM_E_NOMEM. */
int overview_read(struct overview *overview, const char *const *names, size_t n,
		  struct wm_error *err);
void overview_fini(struct overview *overview);

/* "results/today against results/yesterday: 2 of 9 programs changed, all passed" */
void overview_sentence(const struct overview *overview, FILE *out);
/* The change as a part of what was; 0: there was nothing. */
double overview_relative(uint64_t now, uint64_t was);

enum { OVERVIEW_CASES = 8, OVERVIEW_FUNCTIONS = 7 };
extern const struct table_column overview_cases[OVERVIEW_CASES];
extern const struct table_column overview_functions[OVERVIEW_FUNCTIONS];

/* Fill in these tables; `cookie` is the overview. */
int overview_fill_cases(void *cookie, struct table *table, struct wm_error *err);
/* Of each case those that changed most, and the others in one row. WM_E_NOMEM. */
int overview_fill_functions(void *cookie, struct table *table, struct wm_error *err);

#endif
