/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns for names of functions, methods, files, threads and processes. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <stdbool.h>

/*
 * Whether a text fits a pattern as of fnmatch(3), or is the pattern, letter for letter. In many
 * names brackets are no set of letters, and who copies such a name means it: "sum(int (&) [3])"
 * of C++, "<[u64; 3] as Sum>::total" of Rust, "main.Max[int]" of Go, "[anonymous]".
 */
bool pattern_fits(const char *pattern, const char *text);

/*
 * Where a name with a MODULE before it is divided: at its first colon that is not doubled;
 * NULL: it has none.
 */
const char *pattern_colon(const char *text);

#endif
