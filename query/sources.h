/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of source files, line by line. A file is looked for below the folder of --symfs,
 * at its path; then at its path; then below that folder at the ends of its path, the longest
 * first. Example: src/a.c and a.c of /build/src/a.c, where a source tree was moved.
 */
#ifndef QUERY_SOURCES_H
#define QUERY_SOURCES_H

#include <stddef.h>
#include <stdint.h>

struct sources {
	struct source_text *files; /* [n] those opened so far */
	size_t n;
	unsigned tab; /* columns from one tab stop to the next */
};

/* 8 columns are what most sources are written for. */
#define SOURCES_INIT ((struct sources){ .files = NULL, .tab = 8 })

void sources_fini(struct sources *sources);
/*
 * Line `number`, from 1, of the file at `path`, without its end and with
 * blanks for tabs; NULL when there is no such
 * file or line. Valid until sources_fini().
 */
const char *sources_line(struct sources *sources, const char *path, uint32_t number);

#endif
