/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that guests have mapped: which builds they are, and the names of their code,
 * to be packed into the trace.
 */
#ifndef COLLECT_MAPPED_H
#define COLLECT_MAPPED_H

#include "collect/output.h"
#include "format/arena.h"
#include "program/elf/file.h"

struct mapped {
	struct mapped_file *files; /* [count] */
	uint32_t count, allocated;
	uint32_t may_open;   /* files that may still be kept open */
	uint64_t pack_bytes; /* that packed names may still add to the trace */
};

/* `pack_bytes` is how much packed names may add to the trace together; 0: none are. */
void mapped_init(struct mapped *mapped, uint64_t pack_bytes);
void mapped_fini(struct mapped *mapped);
/*
 * The build-id of the file that a message tells of, in hexadecimal, where process `pid`
 * sees the path; "" when it has none, or is not to be had.
 */
void mapped_build_id(struct mapped *mapped, uint32_t pid,
		     const struct message_module *message, const char *path,
		     char text[ELF_BUILD_ID_TEXT]);
/*
 * Opens the file that a message tells of where process `pid` sees it; -1: it is not there,
 * or no longer the same. The descriptor is the caller's.
 */
int mapped_open(uint32_t pid, const struct message_module *message, const char *path);
/* Puts the names of the files so far, as far as there is room for them, at the end. */
void mapped_put_names(struct mapped *mapped, struct output *out);
/* The same into another file; this one goes on. */
void mapped_copy_names(struct mapped *mapped, struct output *out);

#endif
