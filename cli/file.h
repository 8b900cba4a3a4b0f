/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The argument of commands that read a trace: [FILE], or else waymark.wmk. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <argp.h>

/*
 * For a parser's children; its input is a const char *, which is set. The parser's own
 * args_doc names FILE.
 */
extern const struct argp file_argp;

#endif
