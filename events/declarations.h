/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QEMU's source declares of its trace events: the file trace-events-all that it
 * installs, of lines as docs/devel/tracing.rst describes them,
 *
 *	[disable] [vcpu] name(type name, ...) "format %p and 0x%" PRIx64 ...
 *
 * where vcpu puts a pointer and "cpu=%p " before all others. Of formats what QEMU's use is
 * known: d i u x X o c s p with the flags 0, - and #, and a width. An event that is
 * declared otherwise is left out.
 */
#ifndef EVENTS_DECLARATIONS_H
#define EVENTS_DECLARATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "waymark.h"

struct declaration;
struct declarations;

/*
 * Reads them from `fd`, which stays the caller's, up to its end: WM_E_FORMAT when nothing
 * is declared there or it is absurdly large, WM_E_IO, WM_E_NOMEM.
 */
int declarations_read(struct declarations **declarations, int fd, struct wm_error *err);
void declarations_free(struct declarations *declarations);

/* That of an event, or NULL. */
const struct declaration *declarations_find(const struct declarations *declarations,
					    const char *name);

/*
 * Prints arguments, as struct simpletrace's records have them, into text[size], without
 * NUL. Returns the bytes; SIZE_MAX when they do not fit it, or are not what was declared.
 */
size_t declaration_print(const struct declaration *declaration, char *text, size_t size,
			 const uint8_t *arguments, size_t bytes);

#endif
