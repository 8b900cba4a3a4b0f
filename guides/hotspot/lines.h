/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HotSpot's tables of a method beside its bytecode: lines and exception handlers. */
#ifndef GUIDES_HOTSPOT_LINES_H
#define GUIDES_HOTSPOT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "guides/hotspot/vm.h"

/* A table of lines being read: from byte `offset` on the line is `line`. */
struct lines {
	const uint8_t *at; /* NULL: there are no more */
	int32_t offset, line;
	uint8_t least; /* of a number's bytes */
};

/* Of a ConstMethod. */
void lines_begin(const struct vm *vm, struct lines *lines, const char *method);
/* The next entry; false: no more. Offsets ascend in nearly all methods. */
bool lines_next(struct lines *lines);

/* What covers bytes [from, to) of the bytecode, and where it begins. */
struct handler {
	uint16_t from, to, target, type;
};

/* The handlers of a ConstMethod: *n of them. */
const struct handler *handlers_of(const struct vm *vm, const char *method, uint16_t *n);

#endif
