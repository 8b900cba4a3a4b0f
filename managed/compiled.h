/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a runtime compiled: which code is of which bytecode, as its agent told (NOTE sections). */
#ifndef MANAGED_COMPILED_H
#define MANAGED_COMPILED_H

#include "program/extents.h"
#include "program/made/made.h"
#include "trace/notes.h"

/* The code of one space. */
struct compiled_space {
	uint32_t space, first; /* `first`: number of its first piece among those of all */
	struct made made;
	struct buf text; /* the notes that it was read from */
};

struct compiled {
	struct compiled_space *spaces; /* [n] by `first` */
	size_t n;
	struct extents extents;
};

/*
 * Reads it into *compiled, which compiled_fini() frees, also after a failure. WM_E_NOMEM.
 * What is malformed is left out.
 */
int compiled_read(struct compiled *compiled, const struct notes_trace *notes,
		  const struct wm_trace *trace, struct wm_error *err);
void compiled_fini(struct compiled *compiled);

/*
 * The piece that block `id`, at an address, is of; *space_of is what holds its bytes, lines and
 * calls. NULL: no compiled code.
 */
const struct made_piece *compiled_find(const struct compiled *compiled,
				       const struct wm_trace *trace, uint32_t space,
				       uint64_t address, uint32_t id,
				       const struct compiled_space **space_of);
/*
 * Whether calls of the piece enter at an address where `bytes` are. A runtime that gives code
 * up changes the instruction there, so that nobody gets in any more.
 */
bool compiled_enters(const struct compiled_space *space, const struct made_piece *piece,
		     uint64_t address, const uint8_t *bytes, uint32_t n);

#endif
