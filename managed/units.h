/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an interpreter runs: units, which are methods or functions as bytecode in guest
 * memory, the pieces of the interpreter that run it, and what was compiled of it. Guests tell
 * all of it (NOTE sections).
 */
#ifndef MANAGED_UNITS_H
#define MANAGED_UNITS_H

#include "managed/compiled.h"
#include "managed/runtimes.h"
#include "trace/notes.h"
#include "waymark.h"

/* From `offset` on the line is `line`, up to the next of these. */
struct unit_line {
	uint32_t offset, line;
};

/* What is thrown at an offset in [from, to) may be caught at `target`. */
struct unit_handler {
	uint32_t from, to, target;
};

struct unit {
	uint64_t start, bytes; /* of its bytecode, guest addresses */
	uint32_t space;
	uint32_t note; /* index of the note that told it, */
	uint32_t gone; /* and of that which told its end; UINT32_MAX: none */
	bool early;    /* it existed before its note came */
	enum unit_language language;
	const struct python
		*python; /* NULL: of another language, or of an unknown release */
	const char *name, *detail, *file;
	const uint8_t *code;	       /* [bytes] */
	const struct unit_line *lines; /* [n_lines] by offset */
	const struct unit_handler *handlers;
	uint32_t n_lines, n_handlers;
	uint64_t reach; /* the highest end of the units up to this one, of its space */
	bool alone; /* no other one of its space is at any of its addresses, at any time */
};

/* A piece of an interpreter's own code. */
struct piece {
	uint64_t start, bytes;
	uint32_t space;
	int32_t opcode; /* of the bytecode that it runs, or below 0 */
	enum piece_role role;
	const char *name;
};

struct units {
	struct notes_trace notes;
	struct unit *all; /* [n] by space and start */
	size_t n;
	struct piece *pieces; /* [n_pieces] by space and start */
	size_t n_pieces;
	struct unit_site {
		uint32_t space;
		uint64_t address;
	} * sites; /* [n_sites] that fetch bytecodes; sorted */
	size_t n_sites;
	bool step; /* what follows from the bytecode before may have no fetch: NOTE_STEPS */
	struct compiled compiled;
	struct buf *texts; /* [n_texts] strings and tables of the units, one of each note */
	size_t n_texts;
};

/*
 * Reads what the guests of a trace told, into *units, which units_fini() frees, also after
 * a failure. Errors are those of reading; WM_E_DAMAGED, WM_E_NOMEM.
 */
int units_read(struct units *units, const struct wm_trace *trace, struct wm_error *err);
/* The same of the notes that units->notes has, the rest of it being zeros. */
int units_take(struct units *units, struct wm_error *err);
void units_fini(struct units *units);

/*
 * The unit at an address, after the first `notes` notes: of those told by then the last,
 * unless its end was, too; else the first told later that was there before. NULL: none.
 * It lies in *units.
 */
const struct unit *units_find(const struct units *units, uint32_t space, uint64_t address,
			      size_t notes);
/* The same where `near`, an earlier answer or NULL, often is the answer again. */
const struct unit *units_find_near(const struct units *units, uint32_t space,
				   uint64_t address, size_t notes,
				   const struct unit *near);
/* The piece at an address; NULL: none. */
const struct piece *units_piece(const struct units *units, uint32_t space,
				uint64_t address);
/* Whether the interpreter of a space has any: else its rule is the plain one. */
bool units_has_pieces(const struct units *units, uint32_t space);
/* Whether the instruction at that address fetches bytecodes. */
bool units_is_site(const struct units *units, uint32_t space, uint64_t address);

/* The name of the bytecode at an offset; NULL: of a language that is not known here. */
const char *unit_opcode(const struct unit *unit, uint32_t offset);
/* Whether the bytecode there leaves its frame, or a frame begins or goes on with it. */
bool unit_leaves(const struct unit *unit, uint32_t offset);
bool unit_enters(const struct unit *unit, uint32_t offset);
/* Whether it throws what nothing in the unit catches, so that its frame is left. */
bool unit_throws(const struct unit *unit, uint32_t offset);
/* Whether what is thrown at an offset may be caught at another; whether any may be there. */
bool unit_catches(const struct unit *unit, uint32_t offset, uint32_t target);
bool unit_is_catcher(const struct unit *unit, uint32_t target);
/* The length of the bytecode there; 0: none begins there. */
size_t unit_length(const struct unit *unit, uint32_t offset);
/* Where a bytecode with several ways leads: its next one, or what else comes first. */
enum { UNIT_WAYS = 1024 };
struct unit_ways {
	uint32_t n;
	uint32_t to[UNIT_WAYS]; /* each once; of a branch the second is where it leads */
	uint32_t also[2];	/* of the first two: or to this; else UINT32_MAX */
};
/* False: it is no branch and no switch. Of more than UNIT_WAYS ways the others are left out. */
bool unit_ways(const struct unit *unit, uint32_t offset, struct unit_ways *ways);
/* The line of an offset; 0: unknown. */
uint32_t unit_line(const struct unit *unit, uint64_t offset);

#endif
