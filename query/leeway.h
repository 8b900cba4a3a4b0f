/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What may differ between two runs although they are compared: registers, memory, what a
 * function does, numbers, and memory that lies elsewhere. Registers and names are of run A.
 */
#ifndef QUERY_LEEWAY_H
#define QUERY_LEEWAY_H

#include <pthread.h>

#include "analysis/diff/values.h"
#include "program/objects.h"
#include "query/source.h"

struct leeway_range {
	uint64_t first, last; /* addresses */
};

struct leeway_name {
	const char *text;
	bool is_register;
	int number;	  /* of a register */
	bool is_variable; /* else it is a function's */
};

struct leeway {
	struct alike_move *moves; /* [n_moves] */
	size_t n_moves;
	struct alike_pair *pairs; /* [n_pairs] */
	size_t n_pairs;
	struct leeway_range *ranges; /* [n_ranges] */
	size_t n_ranges;
	struct leeway_name *names; /* [n_names] texts are the caller's */
	size_t n_names;
	struct objects *objects; /* NULL: no name is a variable's */
};

void leeway_fini(struct leeway *leeway);

/*
 * Adds "REGISTER", "VARIABLE", "FUNCTION", "ADDRESS", "ADDRESS,BYTES" or "VALUE=VALUE"; of
 * the last, the first is A's. Which kind a name is of leeway_open() finds out. WM_E_RANGE
 * when it is none, WM_E_NOMEM.
 */
int leeway_add(struct leeway *leeway, const char *text, struct wm_error *err);
/* Adds "ADDRESS=ADDRESS" or "ADDRESS=ADDRESS,BYTES": A's, and where B has the same. */
int leeway_add_move(struct leeway *leeway, const char *text, struct wm_error *err);
/* Looks up the names. WM_E_RANGE: A has none of that name. */
int leeway_open(struct leeway *leeway, const struct source *a, struct wm_error *err);

/* The same for one comparison, whose addresses are those of a space of A. */
struct leeway_use {
	const struct leeway *leeway;
	const struct source *a;
	pthread_mutex_t *lock; /* taken for a->symbols */
	uint32_t space;
};
/* As may_differ() of struct diff_values; `cookie` is a struct leeway_use. */
bool leeway_allows(void *cookie, const struct diff_value *value, uint32_t id);

#endif
