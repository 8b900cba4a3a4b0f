/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares what common instructions of two sides did: which memory they accessed, the data,
 * and the registers they wrote. Only what both sides have is compared.
 */
#ifndef ANALYSIS_DIFF_VALUES_H
#define ANALYSIS_DIFF_VALUES_H

#include "analysis/diff/alike.h"
#include "analysis/diff/effects.h"

enum diff_what {
	DIFF_ADDRESSES = 1, /* of loads and stores, and that there are as many */
	DIFF_DATA = 2,	    /* loaded and stored */
	DIFF_REGISTERS = 4,
	DIFF_VALUES = 7, /* all */
};

/*
 * Reads "addresses,data,registers", some of them, or "all" or "none", into enum diff_what.
 * False: the text is another one.
 */
bool diff_what_parse(const char *text, unsigned *what);

/* Something that one instruction did, and the sides differ about it. */
struct diff_value {
	uint64_t a, b;		     /* ordinals of the instruction */
	bool in_a, in_b;	     /* a side that did not do it has false */
	struct wm_access of_a, of_b; /* enum wm_access_kind, as of_a.kind or of_b.kind */
};

/* Where the stack is: in the same place, or not. */
enum diff_stack { DIFF_STACK_UNKNOWN, DIFF_STACK_SAME, DIFF_STACK_MOVED };

struct diff_values {
	/* Set before; the caller's. */
	struct effects *a, *b;
	const struct wm_trace *a_trace;
	unsigned what;	    /* enum diff_what */
	size_t room;	    /* differences to keep */
	struct alike alike; /* moves and pairs are set */
	uint32_t sp;	    /* number of the stack pointer; UINT32_MAX: not known */
	/* Optional: whether A may differ there; `id` is its block, 0: not known. */
	bool (*may_differ)(void *cookie, const struct diff_value *value, uint32_t id);
	void *cookie;

	/* The result. */
	uint64_t compared;	 /* accesses and registers */
	uint64_t differ;	 /* of these */
	struct diff_value *kept; /* [n] the first ones; the caller frees them */
	size_t n;
	bool b_failed; /* on an error: it is about B */
	enum diff_stack stack;
	struct diff_value stack_from; /* what told that it was moved */
};

/* The kinds that both have and that are compared: 1 << enum wm_access_kind. */
unsigned diff_values_kinds(const struct diff_values *values);

/*
 * Compares `insns` instructions that are common, from ordinals a and b on; in order. Errors
 * are those of both sides, and WM_E_NOMEM.
 */
int diff_values_compare(struct diff_values *values, uint64_t a, uint64_t b,
			uint64_t insns, struct wm_error *err);

#endif
