/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What somebody meant who typed an option that a command does not have. */
#ifndef CLI_MISTYPED_H
#define CLI_MISTYPED_H

#include <argp.h>

/*
 * Ends the process with a suggestion when the first mistake of a command line is a long option
 * that is almost one of argp's. All else is left to argp_parse(), which takes the same arguments.
 */
void mistyped_end(const struct argp *argp, int argc, char **argv, unsigned flags);

#endif
