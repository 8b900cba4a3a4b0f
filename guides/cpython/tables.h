/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of a code object, from CPython's form into that of notes. */
#ifndef GUIDES_CPYTHON_TABLES_H
#define GUIDES_CPYTHON_TABLES_H

#include "guides/cpython/text.h"

/* The lines by offset; where code has none the line is 0. `line` is the code's first. */
void put_lines(struct text *text, const uint8_t *bytes, long size, int64_t line);
/* From which offset to which, and where what is raised there is caught. */
void put_handlers(struct text *text, const uint8_t *bytes, long size);

#endif
