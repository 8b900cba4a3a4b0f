/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of the code in one ELF file: all that a reader needs of the file to name an
 * address. Packed into a trace (SYMS), they name addresses where the file is not.
 *
 *	SYMS:   build-id:string path:string packed(table)
 *	table:  segments:varint (file_off bytes vaddr flags: varints)*
 *	        ranges:varint start* bytes* | (name NUL)*
 */
#ifndef FORMAT_SYMTAB_H
#define FORMAT_SYMTAB_H

#include "base/buf.h"

/* The largest table in a trace; a recorder packs no larger one. */
#define SYMTAB_SEGMENTS_MAX 4096
#define SYMTAB_RANGES_MAX (1u << 22)
#define SYMTAB_RAW_MAX (64u << 20)

/* A part of the file, and its virtual address. */
struct symtab_segment {
	uint64_t file_off, bytes, vaddr;
	bool code;
};

#define SYMTAB_NO_RANGE UINT32_MAX

/* A range of a name. Ranges can nest, so each has the index of the one around it. */
struct symtab_range {
	uint64_t start, end; /* virtual addresses of the file */
	uint32_t name;	     /* offset of the name in symtab.names */
	uint32_t outer;	     /* the range around this one, or SYMTAB_NO_RANGE */
};

struct symtab {
	struct symtab_segment *segments;
	uint32_t n_segments;
	struct symtab_range *ranges; /* sorted by start, which no two share */
	uint32_t n_ranges;
	struct buf names; /* each with its NUL */
};

#define SYMTAB_INIT ((struct symtab){ .segments = NULL })

void symtab_fini(struct symtab *symtab);
/*
 * Adds the names of `from`, which has the same file, and which count where both have one at
 * an address. False: no memory, and *symtab is as it was.
 */
bool symtab_merge(struct symtab *symtab, const struct symtab *from);
/* Sets `outer` of each range. Must be called after the ranges are complete. */
void symtab_nest(struct symtab *symtab);
/*
 * The name of the range that covers byte `file_off` of the file, and the distance from
 * its start in *offset. The string belongs to the table. NULL when there is none.
 */
const char *symtab_find(const struct symtab *symtab, uint64_t file_off, uint64_t *offset);
/* How many bytes from there on have the same name, or none as that has. At least 1. */
uint64_t symtab_along(const struct symtab *symtab, uint64_t file_off);
/* That range; NULL when there is none. */
const struct symtab_range *symtab_range(const struct symtab *symtab, uint64_t file_off,
					uint64_t *offset);

/* The virtual address of a byte of the file; false when it is not loaded. */
bool symtab_vaddr(const struct symtab *symtab, uint64_t file_off, uint64_t *vaddr);
/* The byte of the file at a virtual address; false when there is none. */
bool symtab_file_off(const struct symtab *symtab, uint64_t vaddr, uint64_t *file_off);

/* The file that the names belong to. */
struct symtab_head {
	char *build_id; /* as in MODU */
	char *path;
};

void symtab_head_fini(struct symtab_head *head);

/* Appends a SYMS payload. False when the table is too large for one, or no memory. */
bool symtab_put(struct buf *payload, const struct symtab_head *head,
		const struct symtab *symtab);
/*
 * The two parts of a payload, in this order. False when it is malformed, or without
 * memory: then the span has not failed. What they give is the caller's to free.
 */
bool symtab_get_head(struct span *span, struct symtab_head *head);
bool symtab_get(struct span *span, struct symtab *symtab);

#endif
