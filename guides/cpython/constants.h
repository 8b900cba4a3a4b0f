/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constants of code objects as texts, as Python's repr() has them. */
#ifndef GUIDES_CPYTHON_CONSTANTS_H
#define GUIDES_CPYTHON_CONSTANTS_H

#include "guides/cpython/api.h"
#include "guides/cpython/text.h"

enum { CONSTANT_BYTES = 40 };

/*
 * Appends the text of a constant, of which only the first CONSTANT_BYTES bytes matter. False: of
 * a type that compilers make no constants of, whose repr() could be the program's.
 */
bool constant_text(struct text *text, struct object *constant);

#endif
