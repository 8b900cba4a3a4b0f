/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages about code that an image has: files that are mapped, modules of its kernel. */
#ifndef COLLECT_MODULES_H
#define COLLECT_MODULES_H

#include "collect/image.h"

/* Both take the payload of a message; false: it is malformed, or there is no memory. */
bool modules_take(struct image *image, struct recording *rec, struct span *span);
/* One piece of a module's data; with the last one it is put into the file. */
bool modules_take_loaded(struct image *image, struct recording *rec, struct span *span);

#endif
