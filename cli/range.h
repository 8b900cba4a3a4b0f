/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which part of which trace a command prints, and in which form: options they share. */
#ifndef CLI_RANGE_H
#define CLI_RANGE_H

#include <argp.h>
#include <stdint.h>

struct range {
	const char *file;
	const char *thread, *process; /* as they were given, for cli/threads.h; or NULL */
	uint64_t from, to;	      /* ordinals; UINT64_MAX: to the end */
	uint64_t count;		      /* lines; UINT64_MAX: all */
	unsigned format;	      /* index into `formats` */
	const char *const *formats;   /* names, NULL-terminated; set before parsing */
};

/* For a parser's children; its input is a struct range. Takes the FILE, too. */
extern const struct argp range_argp;

#endif
