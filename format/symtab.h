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

/* What a table in a trace is at the most; no recorder packs a larger one. */
#define SYMTAB_SEGMENTS_MAX 4096
#define SYMTAB_RANGES_MAX (1u << 22)
#define SYMTAB_RAW_MAX (64u << 20)

/* A part of the file, and where in its address space it is loaded. */
struct symtab_segment {
	uint64_t file_off, bytes, vaddr;
	bool code;
};

#define SYMTAB_NO_RANGE UINT32_MAX

/* Ranges may nest, so each remembers the one around it. */
struct symtab_range {
	uint64_t start, end; /* virtual addresses of the file */
	uint32_t name;	     /* where it starts in symtab.names */
	uint32_t outer;	     /* the index of the range around this one */
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
/* Fills in what range is around each; to be called once the ranges are there. */
void symtab_nest(struct symtab *symtab);
/*
 * The name that covers byte `file_off` of the file, with the distance from its start in
 * *offset; the table's. NULL when there is none.
 */
const char *symtab_find(const struct symtab *symtab, uint64_t file_off, uint64_t *offset);
/* That range; NULL when there is none. */
const struct symtab_range *symtab_range(const struct symtab *symtab, uint64_t file_off,
					uint64_t *offset);

/* Where a byte of the file is loaded; false when it is not. */
bool symtab_vaddr(const struct symtab *symtab, uint64_t file_off, uint64_t *vaddr);
/* Which byte of the file is loaded at an address; false when none is. */
bool symtab_file_off(const struct symtab *symtab, uint64_t vaddr, uint64_t *file_off);

/* Whose names they are. */
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
