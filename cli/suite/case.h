/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One case of a suite: recorded, verified, summarised. Its folder is complete or not there:
 *
 *	OUT/NAME/trace.wmk      the first run
 *	         stdout stderr  what the program printed
 *	         functions.tsv  instructions, executions, module and name of each function
 *	         result.toml    what became of it
 */
#ifndef CLI_SUITE_CASE_H
#define CLI_SUITE_CASE_H

#include <sys/types.h>

#include "cli/suite/result.h"
#include "cli/suite/suite.h"

/*
 * Runs the case, and puts its folder into the folder `out`, which is there, in place of an older
 * one. A program that fails is a result; errors are those of files: WM_E_OUTPUT, WM_E_NOMEM.
 */
int case_run(const struct suite *suite, const struct suite_case *of, const char *out,
	     struct result *result, struct wm_error *err);

/*
 * fork(), of a child that ends with its parent: SIGTERM comes then, also if the parent has ended
 * before the child could ask for it.
 */
pid_t case_fork(void);

/* Its result so far. */
void case_result(const struct suite_case *of, const char *out, struct result *result);

/* Whether the result is one of this definition, and good: it need not run again. */
bool case_is_done(const struct suite_case *of, const struct result *result);

#endif
