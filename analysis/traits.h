/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties of functions that follow from their names. */
#ifndef ANALYSIS_TRAITS_H
#define ANALYSIS_TRAITS_H

#include "program/functions.h"

enum trait {
	TRAIT_STUB = 1,	     /* stands for what it jumps to: "puts@plt" */
	TRAIT_LONG = 2,	     /* returns to a distant frame: longjmp() and similar */
	TRAIT_BEYOND = 4,    /* and not to its caller: an exception that continues */
	TRAIT_COLD = 8,	     /* a part of a function: "parse.cold", "parse.__part.1" */
	TRAIT_NAMELESS = 16, /* there is no symbol; the function is made up for its
			      * file */
	TRAIT_SWITCHES = 32, /* goes on with another stack: swapcontext() and similar */
};

struct traits {
	uint8_t set;   /* of enum trait */
	uint32_t home; /* number of the function itself, or of the one whose cold part
		        * it is */
};

/*
 * Traits of all functions so far, by number. The caller calls free(). Errors: WM_E_NOMEM.
 */
int traits_read(struct traits **traits, const struct functions *functions,
		struct wm_error *err);

#endif
