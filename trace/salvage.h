/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a damaged file still has, and what is lost of it.
 *
 * Everything that is kept is exact. A section after a damaged one is kept if it states
 * its own place. A chunk states its stream, ordinals and space, so it stays where it ran,
 * and what is missing before it becomes a lost chunk (FORMAT.md, 6.1). A chunk is kept
 * only with its path and the definitions of all blocks that ran in it, and only after it
 * was retraced and compared with its own counts.
 */
#ifndef TRACE_SALVAGE_H
#define TRACE_SALVAGE_H

#include "trace/salvage-write.h"

/*
 * Reads a whole open file and retraces all its intact chunks. `fd` belongs to *salvage;
 * `path` is for errors. WM_E_FORMAT or WM_E_DAMAGED when it is no trace, or nothing can
 * be kept. WM_E_NEWER.
 */
int salvage_open(struct salvage **salvage, int fd, const char *path,
		 struct wm_error *err);
int salvage_open_memory(struct salvage **salvage, const void *data, size_t bytes,
			struct wm_error *err);
void salvage_close(struct salvage *salvage);

#endif
