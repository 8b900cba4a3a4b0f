/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the data of a note has the form that FORMAT.md, 6.6, gives its kind. The guest wrote
 * it, so a recorder asks before it puts a note into the file, and a reader before it takes one.
 */
#ifndef FORMAT_NOTE_FORM_H
#define FORMAT_NOTE_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Of units, sites, pieces of the interpreter, classes and operands. Data of other kinds is taken as far as
 * it can be read, or not known: these have any form.
 */
bool note_is_formed(uint32_t kind, struct span data);

#endif
