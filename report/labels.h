/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions, each kept once, however many parts of a report refer to it. */
#ifndef REPORT_LABELS_H
#define REPORT_LABELS_H

#include <stddef.h>

#include "base/intern.h"
#include "out/json.h"

/* Longer texts are cut and end with "...". */
enum { LABEL_BYTES_MAX = 160, PATH_BYTES_MAX = 1024 };
/*
 * Cuts a text to `most` bytes: returns `text` when it is short enough, otherwise
 * room[most + 4] with the cut text.
 */
const char *label_cut(char *room, const char *text, size_t most);

struct labels {
	struct interner modules, names;
};

#define LABELS_INIT ((struct labels){ .modules = INTERNER_INIT, .names = INTERNER_INIT })

void labels_fini(struct labels *labels);
/* The number, from 1, of a path among the "modules". 0: no memory. */
uint32_t labels_add_path(struct labels *labels, const char *path);
/* The number, from 1, of a name in a file (NULL: in none). 0: no memory. */
uint32_t labels_add(struct labels *labels, const char *name, const char *module);
/* Puts "modules": paths, and "names": pairs of a name and the number of its path, or 0. */
void labels_put(const struct labels *labels, struct json *json);

#endif
