/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All results of a suite in one file, for programs. */
#ifndef CLI_SUITE_SUMMARY_H
#define CLI_SUITE_SUMMARY_H

#include <stdio.h>

#include "cli/suite/result.h"
#include "cli/suite/suite.h"

/* results[suite->n] are those of the cases in `folder`; writes to `out` fail as its ferror() says. */
void summary_write_json(FILE *out, const struct suite *suite,
			const struct result *results, const char *folder);
/*
 * As JUnit's XML, which systems for continuous integration read. Of a case that did not pass it
 * has the end of what it wrote to stderr, from its folder in `folder`.
 */
void summary_write_junit(FILE *out, const struct suite *suite,
			 const struct result *results, const char *folder);

#endif
