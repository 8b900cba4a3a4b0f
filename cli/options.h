/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of options that several commands have: children of their argp parsers. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <argp.h>

#include "query/scope.h"

/*
 * [FILE], or else waymark.wmk. The input is a const char *, which is set; the parser's own
 * args_doc names FILE.
 */
extern const struct argp file_argp;

/* Which part of which trace. The input is a struct scope; takes the FILE, too. */
extern const struct argp scope_argp;

/* --format of commands that print facts rather than tables. */
enum fact_format { FACTS_AS_TEXT, FACTS_AS_JSON };
/* The input is an enum fact_format, FACTS_AS_TEXT by default. */
extern const struct argp facts_argp;

/* The value of --symfs; ends the command when it is no folder. */
const char *option_symfs(const struct argp_state *state, const char *folder);

#endif
