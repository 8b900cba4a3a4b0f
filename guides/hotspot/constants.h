/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of a constant pool as texts. */
#ifndef GUIDES_HOTSPOT_CONSTANTS_H
#define GUIDES_HOTSPOT_CONSTANTS_H

#include "base/buf.h"
#include "guides/hotspot/vm.h"

/* Appends the text of an entry, cut to a bound. False: it has none. */
bool constant_text(const struct vm *vm, const char *pool, uint32_t entry,
		   struct buf *text);

#endif
