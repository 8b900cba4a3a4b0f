/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sites_find.c finds, sites_make.c makes, and sites.c looks up. */
#ifndef ANALYSIS_CALLS_SITES_DATA_H
#define ANALYSIS_CALLS_SITES_DATA_H

#include "analysis/calls/sites.h"
#include "analysis/leaving.h"
#include "base/intern.h"
#include "trace/u64map.h"

struct sites {
	unsigned shares;	   /* users besides the first */
	uint32_t known;		   /* blocks: ids run from 1 to this */
	struct site_table *tables; /* [n_tables] */
	uint32_t n_tables;
	struct site *nexts; /* [n_nexts] rows of what blocks run on into */
	uint32_t n_nexts;
	uint32_t *table_of; /* [spaces] */
	uint32_t n_spaces;
	struct u64map places; /* by address */
	uint32_t n_places;
	struct site const *
		*first; /* [n_tables * n_places] the row of the lowest id there */
	struct entity *entities; /* [n_entities + 1] by number */
	uint32_t n_entities;
	uint32_t first_method; /* from it on, they are methods that an interpreter runs */
	bool *hidden;	       /* [n_entities + 1]; NULL: none */
	struct strands strands;
	struct functions *functions;	 /* the caller's */
	struct interpreted *interpreted; /* methods, which have entities, too; NULL */
};

/* What the first pass finds of a block in a space. */
struct found {
	uint32_t space, id;
	uint32_t function;
	uint64_t offset; /* as of functions_at() */
	bool runs_on;	 /* not all of it is of that function, and inlined alike */
	bool inner;	 /* see struct site */
	bool unmounts;	 /* see struct site */
	bool throws;	 /* see SITE_THROWS */
	bool catches;	 /* see SITE_CATCHES */
	bool replaces;	 /* see SITE_REPLACES */
	bool shared;	 /* see SITE_SHARED */
	enum retpoline retpoline;
	bool calls_next; /* x86's code calls its next instruction, in the same function */
	enum site_role role;
	bool passes;	/* a JVM's, which jumps on to other code of it */
	uint64_t entry; /* where calls enter a method that a JVM compiled; 0: not known */
	uint64_t link;	/* where its call returns to; 0: behind the block */
	struct flow flow;
};

/* Where code without a symbol was called, in the function made up for its file. */
struct start {
	uint32_t function;
	uint64_t offset;
};

/* What is needed while they are made. */
struct maker {
	struct sites *sites;
	const struct wm_trace *trace;
	struct leaving leaving;
	struct found *found;
	size_t n_found;
	struct start *starts; /* sorted, each once */
	size_t n_starts;
	struct traits *traits; /* of functions, by number */
	struct interner entities;
	struct interner nexts; /* rows after those of the blocks */
};

/* Reads what methods there are, before anything else. Errors of interpreted_new(). */
int sites_read_methods(struct sites *sites, const struct wm_trace *trace,
		       struct wm_error *err);
/*
 * Whether code is of an interpreter that is made of pieces: to a stack of calls these are one
 * function. *begins: methods begin there.
 */
bool sites_interpreter_at(const struct sites *sites, uint32_t space, uint64_t address,
			  bool *begins);
/*
 * Adds the methods that an interpreter ran in the selected part, if the trace has any, to
 * sites that are complete otherwise. Errors are those of interpreted_new() and
 * calltrace_run().
 */
int sites_add_methods(struct sites *sites, const struct wm_trace *trace,
		      const struct selection *selection, struct wm_error *err);
/*
 * Fills in maker->found and ->starts: the functions of each block that ran, and where code
 * without symbols begins. The caller frees both. Errors: WM_E_NOMEM, and those of
 * counts_gather().
 */
int sites_find(struct maker *maker, const struct selection *selection,
	       struct wm_error *err);
/* Completes what was found of a block that a JVM made; of other code nothing is changed. */
void sites_note_jvm(const struct maker *maker, struct found *found,
		    const struct wm_block *block);
/* The same of LuaJIT's. */
void sites_note_luajit(const struct maker *maker, struct found *found,
		       const struct wm_block *block);
/* The same of V8's. */
void sites_note_v8(const struct maker *maker, struct found *found,
		   const struct wm_block *block);
/* The order of starts[]. */
int start_compare(const void *a, const void *b);
/* Whether the entries of a procedure linkage table follow: code there is its header. */
bool sites_is_before_stubs(const struct maker *maker, const struct found *found,
			   uint64_t address);

#endif
