/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What calls of Java may reach, by the hierarchy of all classes of the run: the call graph,
 * made as far as somebody asks.
 */
#ifndef MANAGED_CALLEES_H
#define MANAGED_CALLEES_H

#include "managed/classes.h"

enum { CALLEES_HEADS = 4096 };

struct callees {
	struct classes classes;
	bool finalize; /* some class has a method for objects that are given up */
	struct callees_of {
		const struct unit *unit;
		uint32_t offset;
		size_t first, n; /* in `units` */
		size_t next;	 /* one more than the index of another one of its head */
		bool others;
	} * known; /* [n_known] answers */
	size_t n_known;
	size_t heads[CALLEES_HEADS]; /* by a hash: one more than an index; 0: none */
	const struct unit **units;   /* [n_units] */
	size_t n_units;
	uint64_t work; /* steps that answers took */
};

struct callee_set {
	const struct unit *const *units; /* [n] each once; up to the next question */
	size_t n;
	bool others; /* or methods that are not known, or have no bytecode */
};

/*
 * Reads what is needed into *callees, which callees_fini() frees, also after a failure. Errors:
 * those of classes_read().
 */
int callees_read(struct callees *callees, const struct units *units,
		 struct wm_error *err);
void callees_fini(struct callees *callees);

/* What the call at an offset may reach. False: no memory. */
bool callees_find(struct callees *callees, const struct unit *unit, uint32_t offset,
		  struct callee_set *set);
/* Whether a class's code is known: else of its calls nothing is. */
bool callees_know(const struct callees *callees, const struct unit *unit);

#endif
