/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of ELF files that were read before in this process: of a thousand traces of one
 * program, its libraries are read once. A file is known by its build-id, which says what is
 * in it wherever it lies.
 */
#ifndef PROGRAM_KNOWN_H
#define PROGRAM_KNOWN_H

#include <stdbool.h>

#include "format/symtab.h"

/* A copy of the names of that file, the caller's; false: they are not known, or no memory. */
bool known_names_get(struct symtab *names, const char *build_id);
/* Remembers a copy, if the names are few enough. Both may be called on any thread. */
void known_names_put(const struct symtab *names, const char *build_id);

#endif
