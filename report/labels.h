/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions, each kept once, however many parts of a report refer to it. */
#ifndef REPORT_LABELS_H
#define REPORT_LABELS_H

#include <stddef.h>

#include "base/intern.h"
#include "out/json.h"

/*
 * Names have LABEL_BYTES_MAX bytes at most. One of more than LABEL_COLUMNS columns has a
 * short form beside it, for people.
 */
enum { LABEL_BYTES_MAX = 480, LABEL_COLUMNS = 56, PATH_BYTES_MAX = 1024 };
/*
 * Cuts a text to `most` bytes: returns `text` when it is short enough, otherwise
 * room[most + 4] with the cut text.
 */
const char *label_cut(char *room, const char *text, size_t most);
/*
 * The same of a name, for room[LABEL_BYTES_MAX + 4]: it loses what is nested deepest in its
 * brackets (out/shorten.h), so that its end remains, which says most.
 */
const char *label_name(char *room, const char *name);

struct labels {
	struct interner modules, names;
};

#define LABELS_INIT ((struct labels){ .modules = INTERNER_INIT, .names = INTERNER_INIT })

void labels_fini(struct labels *labels);
/* The number, from 1, of a path among the "modules". 0: no memory. */
uint32_t labels_add_path(struct labels *labels, const char *path);
/* The number, from 1, of a name in a file (NULL: in none). 0: no memory. */
uint32_t labels_add(struct labels *labels, const char *name, const char *module);
/* Puts "modules": paths, and "names": arrays of a name, the number of its path, or 0,
 * and of a long name its short form. */
void labels_put(const struct labels *labels, struct json *json);

#endif
