/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the names of functions say about them. */
#ifndef ANALYSIS_TRAITS_H
#define ANALYSIS_TRAITS_H

#include "program/functions.h"

enum trait {
	TRAIT_STUB = 1,	     /* stands for what it jumps to: "puts@plt" */
	TRAIT_LONG = 2,	     /* returns far back: longjmp() and its like */
	TRAIT_BEYOND = 4,    /* and not to what called it: an exception goes on */
	TRAIT_COLD = 8,	     /* the seldom part of a function: "parse.cold" */
	TRAIT_NAMELESS = 16, /* made up: there is no symbol */
};

struct traits {
	uint8_t set;   /* of enum trait */
	uint32_t home; /* number of the function itself, or of that whose cold part it is */
};

/* Of all functions so far, by number; the caller's to free(). WM_E_NOMEM. */
int traits_read(struct traits **traits, const struct functions *functions,
		struct wm_error *err);

#endif
