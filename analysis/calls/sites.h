/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each block means to a stack of calls: where control arrives, which function that
 * is, and how control leaves. All of it is computed before the sequence is walked, so
 * that the walk reads one row for each block.
 *
 * A function here is an *entity*. With a symbol it is the symbol's function. Without one
 * it is the code from an address on that was called: "[libfoo.so]+0x1234". The part of a
 * function that the compiler moved elsewhere ("parse.cold") belongs to its entity. A
 * block that runs on from one function into the next has a row for each; and so has one
 * that runs on into inlined code, if `functions` have been told to find it
 * (functions_unfold()).
 */
#ifndef ANALYSIS_CALLS_SITES_H
#define ANALYSIS_CALLS_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/strands.h"
#include "analysis/selection.h"
#include "program/functions.h"

/* How control leaves a block; without any of these it continues in sequence, or jumps. */
enum site_leave {
	SITE_CALL = 1,
	SITE_RETURN = 2,
	SITE_LONG =
		4, /* with SITE_RETURN: from longjmp and its like, which go far back */
	SITE_BEYOND = 128,   /* with SITE_LONG: not to the function that called it */
	SITE_STUB = 8,	     /* from a stub, which stands for what it jumps to */
	SITE_THROWS = 512,   /* from a JVM's code, to what called the method that threw */
	SITE_CATCHES = 1024, /* from V8's code, to a handler in any of the callers */
	SITE_REPLACES =
		2048, /* with SITE_RETURN: V8's, or to what replaces the function */
	SITE_SWITCHES = 4096, /* from what changes to another stack, as of a coroutine */
	/*
	 * With a call or a return: none if control goes on right behind it in the function. ARM's
	 * may be conditional; x86's code calls its next instruction to learn where it is.
	 */
	SITE_MAY_PASS = 8192,
	/* With SITE_RETURN: x86's, by which functions return and retpolines jump to others. */
	SITE_SHARED = 16384,
	/* Never in a block's row, only in a stack of calls: what comes next is ... */
	SITE_HANDLER = 16, /* a signal's handler */
	SITE_RESUMED = 32, /* what a signal interrupted */
	SITE_FIRST = 64,   /* first of all */
	SITE_GAP = 256,	   /* with the others: after code that is not recorded */
};

/* What code that a runtime made is for. */
enum site_role {
	SITE_METHOD, /* a method of the program; also all code that no runtime made */
	SITE_MOUNTS, /* what calls a virtual thread, which then runs on the stack of another */
	/* Jumps to others of its kind: a trace of LuaJIT's or its exits, V8's code for a bytecode. */
	SITE_PIECE,
	SITE_JS,   /* a function of JavaScript: what V8 compiled, or has interpret it */
	SITE_BLOB, /* the JVM itself: a blob is of no method */
	SITE_THAWS, /* a blob that puts frames of such a thread on the stack, and returns there */
};
static inline bool site_is_blob(unsigned role)
{
	return role >= SITE_BLOB;
}

struct site {
	uint32_t start, end; /* places: equal numbers are equal addresses; from 1 */
	uint32_t entity;     /* when control comes here by a call */
	uint32_t home;	     /* when it comes otherwise: of the code around */
	/* One word, which struct site_step has too. */
	union {
		struct {
			uint32_t met : 1;    /* it is an entry, or has a next row */
			uint32_t leaves : 1; /* `leave` is not 0 */
			/*
			 * Entity of the whole function; without symbols, of its file. Of
			 * inlined code its strand, and `home` is the function's entity.
			 */
			uint32_t whole : 30;
		};
		uint32_t word;
	};
	uint32_t insns; /* to the end of the block */
	uint32_t next;	/* row of the block's part in the next function; 0: none */
	uint16_t leave; /* of enum site_leave */
	bool entry : 1; /* the entity begins here */
	bool named : 1; /* it has a symbol */
	/*
	 * Its jumps lead to places where no function begins. This is code made at run
	 * time, which has neither symbol nor file, and the part of stubs that leads to a
	 * resolver without a symbol.
	 */
	bool loose : 1;
	bool stub : 1;	   /* of a stub, or of the dynamic linker's resolver */
	bool inner : 1;	   /* of an interpreter that returns into its own middle */
	bool unmounts : 1; /* what a virtual thread had on the stack is left */
	unsigned role : 3; /* enum site_role */
	bool inlined : 1;  /* of a function that was inlined here: `whole` is a strand */
	bool returned : 1; /* a call that ran returns here */
	bool switches : 1; /* of what changes to another stack */
};

/* What is read of a row for every block that runs, so that it stays in a cache. */
struct site_step {
	uint32_t word, insns;
};

/*
 * Whether control continues inside a function from the end of one block to the next. True
 * when the first leaves by nothing special, the next is no entry, and both belong to the same
 * function: the bits that differ between the two rows are masked out of one comparison.
 */
static inline bool site_goes_on(uint32_t word, uint32_t next)
{
	const struct site met = { .met = 1 }, leaves = { .leaves = 1 };

	return (word & ~met.word) == (next & ~leaves.word);
}

/* The rows of a space, and of the same blocks what is read most. */
struct site_table {
	struct site *rows;
	struct site_step *steps; /* [blocks + 1] */
};

/* Fills in steps[n] from rows[n]. */
void site_steps(struct site_step *steps, const struct site *rows, size_t n);

struct entity {
	uint32_t function; /* number in `functions` */
	uint64_t offset;   /* without a symbol: as of functions_at() */
};

struct sites;
struct interpreted;

/*
 * Makes the rows of all blocks that ran in the selected part of a trace. `trace` and
 * `functions` must outlive them. Nothing is changed afterwards, so any number of threads
 * may read. Errors: WM_E_NOMEM, WM_E_RANGE for a guest whose calls are not known, and
 * those of counts_gather().
 */
int sites_new(struct sites **sites, const struct wm_trace *trace,
	      struct functions *functions, const struct selection *selection,
	      struct wm_error *err);
/*
 * The same without entities of methods, which need a walk through all threads: for those who
 * follow methods themselves, and then number them.
 */
int sites_new_native(struct sites **sites, const struct wm_trace *trace,
		     struct functions *functions, const struct selection *selection,
		     struct wm_error *err);
/* Gives entities to the methods that the followed threads entered. WM_E_NOMEM. */
int sites_number_methods(struct sites *sites, const struct selection *selection,
			 struct wm_error *err);
/* Another user of the same sites, who frees them, too. Returns them. */
struct sites *sites_share(struct sites *sites);
void sites_free(struct sites *sites);

/*
 * The rows for a space, by id of block; after these, the rows that site.next refers to.
 */
const struct site *sites_of(const struct sites *sites, uint32_t space);
/* The same, with what a walk needs. */
const struct site_table *sites_table(const struct sites *sites, uint32_t space);
/* What inlined rows refer to; lives as long as `sites`. */
const struct strands *sites_strands(const struct sites *sites);
/* The last of these rows. */
uint32_t sites_last(const struct sites *sites);
/* The block at an address of that space: NULL when none begins there. */
const struct site *sites_at(const struct sites *sites, uint32_t space, uint64_t address);

/* What methods of the selected threads do; NULL: an interpreter runs none that is known. */
const struct interpreted *sites_interpreted(const struct sites *sites);

/* Entities are numbered from 1 to this. */
uint32_t sites_entities(const struct sites *sites);
const struct entity *sites_entity(const struct sites *sites, uint32_t number);
/*
 * The name of an entity, which the caller frees: the function's, or "[libfoo.so]+0x1234";
 * "" for 0, which is no entity. NULL: no memory.
 */
char *sites_name(const struct sites *sites, uint32_t entity);
/*
 * Whether it is a method of a managed program: interpreted, compiled, or inlined into what was
 * compiled.
 */
bool sites_is_method(const struct sites *sites, uint32_t entity);
/*
 * From now on all that is no method is hidden: to who follows a stack of calls, the method that
 * called it goes on. Before anything is followed. WM_E_NOMEM.
 */
int sites_hide_natives(struct sites *sites, struct wm_error *err);
/* [entities + 1] what is hidden; NULL: nothing is. */
const bool *sites_hidden(const struct sites *sites);
/* Whether the entity's name or its function matches a pattern: see functions_match(). */
bool sites_match(const struct sites *sites, uint32_t entity, const char *pattern);

#endif
