/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines and inlined calls of code that ran, as the recorder packed them into the trace. */
#ifndef PROGRAM_PACKED_H
#define PROGRAM_PACKED_H

#include "base/intern.h"
#include "program/elf/frames.h"
#include "program/elf/lines.h"
#include "waymark.h"

struct packed;

/*
 * Those of module `index` of the trace. Paths of sources are put into `sources`, as
 * elf_lines_open() does, which must outlive it. NULL: there are none, or no memory.
 */
struct packed *packed_new(const struct wm_trace *trace, uint32_t index,
			  struct interner *sources);
void packed_free(struct packed *packed);

/* As elf_lines_at(), elf_lines_each() and elf_frames_at(). */
bool packed_line_at(const struct packed *packed, uint64_t file_off,
		    struct elf_line *line);
bool packed_lines_each(const struct packed *packed,
		       bool (*take)(void *cookie, const struct elf_line *line),
		       void *cookie);
bool packed_has_frames(const struct packed *packed);
size_t packed_frames_at(const struct packed *packed, uint64_t file_off,
			struct elf_frame *out, size_t room);

#endif
