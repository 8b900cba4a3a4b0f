/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the names of functions say about them. */
#ifndef ANALYSIS_KIN_H
#define ANALYSIS_KIN_H

#include "program/functions.h"

enum kin_trait {
	KIN_STUB = 1,	   /* stands for what it jumps to: "puts@plt" */
	KIN_LONG = 2,	   /* returns far back: longjmp() and its kin */
	KIN_BEYOND = 4,	   /* and not to what called it: an exception goes on */
	KIN_COLD = 8,	   /* the seldom part of a function: "parse.cold" */
	KIN_NAMELESS = 16, /* made up: there is no symbol */
};

struct kin {
	uint8_t traits; /* of enum kin_trait */
	uint32_t home; /* number of the function itself, or of that whose cold part it is */
};

/* Of all functions so far, by number; the caller's to free(). WM_E_NOMEM. */
int kin_read(struct kin **kin, const struct functions *functions, struct wm_error *err);

#endif
