/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which part of which trace a listing prints, and in which form: options they share. */
#ifndef CLI_LIST_RANGE_H
#define CLI_LIST_RANGE_H

#include "cli/scope.h"

struct range {
	struct scope scope;
	uint64_t count;		    /* lines; UINT64_MAX: all */
	unsigned format;	    /* index into `formats` */
	const char *const *formats; /* names, NULL-terminated; set before parsing */
};

/* For a parser's children; its input is a struct range. Takes the FILE, too. */
extern const struct argp range_argp;

#endif
