/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which part of which trace is meant: options that listings and questions share. */
#ifndef CLI_SCOPE_H
#define CLI_SCOPE_H

#include <argp.h>
#include <stdint.h>

struct scope {
	const char *file;
	const char *thread, *process; /* as they were given, for cli/threads.h; or NULL */
	uint64_t from, to;	      /* ordinals; UINT64_MAX: to the end */
};

/* For a parser's children; its input is a struct scope. Takes the FILE, too. */
extern const struct argp scope_argp;

#endif
