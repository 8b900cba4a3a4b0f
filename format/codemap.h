/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of the code of one ELF file that ran: its names, its source lines, and the
 * calls that the compiler inlined into it. A recorder puts it into the trace (CODE), so that
 * answers stay the same where the file was rebuilt, moved, or is not there.
 *
 *	CODE:   build-id:string path:string packed(names, as SYMS) packed(places)
 *	places: complete:varint texts:varint (text NUL)*
 *	        lines:varint gap* bytes* source* number*
 *	        calls:varint start* bytes* name* source* line*
 */
#ifndef FORMAT_CODEMAP_H
#define FORMAT_CODEMAP_H

#include "format/symtab.h"

#define CODEMAP_TEXTS_MAX (1u << 20)
#define CODEMAP_LINES_MAX (1u << 22)
#define CODEMAP_CALLS_MAX (1u << 20)
#define CODEMAP_RAW_MAX (64u << 20)

/* Bytes start <= offset < end of the file, of one line. */
struct codemap_line {
	uint64_t start, end;
	uint32_t source; /* the path's index in texts */
	uint32_t number;
};

/* Bytes of an inlined call; a call comes before those that are inlined into it. */
struct codemap_call {
	uint64_t start, end;
	uint32_t name;	 /* index in texts: as a symbol would be, or as in the source */
	uint32_t source; /* of the call: one more than an index; 0: not known */
	uint32_t line;	 /* of the call; 0: not known */
};

struct codemap {
	struct symtab names;	    /* of code that ran */
	struct buf texts;	    /* each with its NUL */
	uint32_t *text_off;	    /* [n_texts] where each is in `texts` */
	struct codemap_line *lines; /* [n_lines] by start; none overlaps another */
	struct codemap_call *calls; /* [n_calls] */
	uint32_t n_texts, n_lines, n_calls;
	bool complete; /* lines and inlined calls are there as far as the file has them */
};

#define CODEMAP_INIT ((struct codemap){ .text_off = NULL })

void codemap_fini(struct codemap *map);

static inline const char *codemap_text(const struct codemap *map, uint32_t index)
{
	return (const char *)map->texts.data + map->text_off[index];
}

/*
 * Appends a CODE payload; without `places` only the names are in it. False when it is too
 * large, or no memory.
 */
bool codemap_put(struct buf *payload, const struct symtab_head *head,
		 const struct codemap *map, bool places);
/*
 * Reads what follows the head of a payload (symtab_get_head()). False when it is malformed,
 * or without memory: then the span has not failed. The map is the caller's to free.
 */
bool codemap_get(struct span *span, struct codemap *map);

#endif
