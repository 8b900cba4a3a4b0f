/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where bytecodes begin in the code that a compiler made of a method. */
#ifndef PROGRAM_MADE_BEGINS_H
#define PROGRAM_MADE_BEGINS_H

#include "program/made/made.h"

/*
 * Sets made_line.begins of the piece's lines, which are the last of made->lines, and adds lines
 * for what leaves the method. keys[i] stands for the frames of line i: two lines with equal
 * frames have equal keys. `code` has the bytes of the piece. False: no memory.
 */
bool begins_find(struct made *made, struct made_piece *piece, const uint64_t *keys,
		 const uint8_t *code);

#endif
