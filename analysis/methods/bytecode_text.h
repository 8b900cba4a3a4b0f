/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bytecode as text, with the name of the method that a call of Java is to. */
#ifndef ANALYSIS_METHODS_BYTECODE_TEXT_H
#define ANALYSIS_METHODS_BYTECODE_TEXT_H

#include "managed/classes.h"

/*
 * "invokevirtual shop.Order.total(I)J", cut to `size` bytes: as unit_text(), and what
 * classes_call() finds. The unit is one of classes->units.
 */
void bytecode_text(const struct classes *classes, const struct unit *unit,
		   uint32_t offset, char *text, size_t size);

#endif
