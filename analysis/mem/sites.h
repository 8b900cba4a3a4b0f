/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a trace by number, and what each of them belongs to: its function or
 * its source line.
 */
#ifndef ANALYSIS_MEM_SITES_H
#define ANALYSIS_MEM_SITES_H

#include "analysis/selection.h"
#include "program/functions.h"
#include "program/srclines.h"

struct mem_sites {
	size_t *begins; /* [known + 2] by id: the number of a block's first instruction */
	/*
	 * By space, and there by instruction: what it belongs to, from 1; 0: it is not
	 * wanted or did not run. NULL for a space in which nothing ran.
	 */
	uint32_t **numbers;
	uint32_t spaces;
	size_t instructions; /* of all blocks: numbers are below it */
	/* By instruction: the first one that is the same code at the same address. */
	uint32_t *same;
	uint8_t *by_stack; /* two bits by instruction: see mem_site_by_stack() */
	/* With lines: those that the numbers stand for. [n_lines + 1], from 1. */
	struct srcline *lines;
	uint32_t n_lines;
};

struct mem_sites_ask {
	const struct wm_trace *trace;
	const struct selection *selection;
	struct symbols *symbols;
	struct functions *functions; /* numbers are those of functions, or else, */
	struct srclines *lines;	     /* when not NULL, of lines */
	const char *function;	     /* only of such functions; NULL: all */
};

/* The caller calls mem_sites_fini(), also on failure. Errors are those of counts_gather(). */
int mem_sites_init(struct mem_sites *sites, const struct mem_sites_ask *ask,
		   struct wm_error *err);
void mem_sites_fini(struct mem_sites *sites);

/*
 * Whether what instruction `insn` of block `id` loads, or stores, is relative to the stack
 * pointer.
 */
bool mem_insn_by_stack(const struct wm_trace *trace, uint32_t id, uint32_t insn,
		       bool is_store);

/* The same of an instruction by its number. */
static inline bool mem_site_by_stack(const struct mem_sites *sites, size_t at,
				     bool is_store)
{
	return sites->by_stack[at / 4] >> (at % 4 * 2 + is_store) & 1;
}

#endif
