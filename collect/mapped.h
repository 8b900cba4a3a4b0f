/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that guests have mapped: their build-ids, and the names of their code, which
 * are packed into the trace.
 */
#ifndef COLLECT_MAPPED_H
#define COLLECT_MAPPED_H

#include "collect/definitions.h"
#include "collect/output.h"
#include "format/arena.h"
#include "program/elf/file.h"

struct mapped {
	struct mapped_file *files; /* [count] */
	uint32_t count, allocated;
	uint32_t may_open;	  /* files that may still be kept open */
	uint64_t pack_bytes;	  /* left for packed names */
	bool pack_code;		  /* what is known of code that ran is packed, too */
	struct mapping *mappings; /* [n_mappings] */
	size_t n_mappings;
	struct names_ahead *ahead; /* NULL: all names are read at the end */
};

/*
 * `pack_bytes` limits all packed names together; 0: none are packed. `pack_code`: names,
 * lines and inlined calls of code that ran are.
 */
void mapped_init(struct mapped *mapped, uint64_t pack_bytes, bool pack_code);
void mapped_fini(struct mapped *mapped);
/* Names of files that are mapped from now on will be asked for: they may be read meanwhile. */
void mapped_read_ahead(struct mapped *mapped);
/*
 * The build-id, in hexadecimal, of a module's file, found where process `pid` sees its
 * path; "" when it has none, or cannot be read.
 */
void mapped_build_id(struct mapped *mapped, uint32_t pid,
		     const struct message_module *message, const char *path,
		     char text[ELF_BUILD_ID_TEXT]);
/* Notes where a file is mapped whose build-id was asked for. */
void mapped_note(struct mapped *mapped, const struct message_module *message,
		 const char *path);
/*
 * Opens a module's file where process `pid` sees it; -1: it is not there, or has changed.
 * The descriptor is the caller's.
 */
int mapped_open(uint32_t pid, const struct message_module *message, const char *path);
/*
 * At the end: puts the names of all files, as far as the limit allows, and what is known of
 * the code in `defs` that ran.
 */
void mapped_put_names(struct mapped *mapped, const struct definitions *defs,
		      struct output *out);
/* The same for a snapshot; this recording goes on. */
void mapped_copy_names(struct mapped *mapped, const struct definitions *defs,
		       struct output *out);
/* The part of both that is about code that ran. */
void mapped_put_code(const struct mapped *mapped, const struct definitions *defs,
		     struct output *out);

#endif
