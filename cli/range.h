/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of listings: which part of which trace, and in which form. */
#ifndef CLI_RANGE_H
#define CLI_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct range {
	const char *file;
	unsigned thread;
	bool thread_named; /* else it is the first because none was */
	uint64_t from, count;
	unsigned format;	    /* index into `formats` */
	const char *const *formats; /* names, NULL-terminated; set before parsing */
};

/* Parses argv; fills in what was not given. Faults end the process as argp does. */
void range_parse(struct range *range, int argc, char **argv, const char *doc);

#endif
