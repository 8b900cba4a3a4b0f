/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A suite: programs to record, as a file describes them (waymark-suite(5)). Texts are the
 * file's. A case lacks nothing: what it does not say is said by [defaults], or is standard.
 */
#ifndef CLI_SUITE_SUITE_H
#define CLI_SUITE_SUITE_H

#include "base/toml.h"

struct suite_limits {
	uint64_t seconds, memory_bytes, trace_bytes; /* 0: none */
};

struct suite_case {
	const char *name;
	char **command;	    /* [n], then NULL */
	char **options;	    /* [n], then NULL: more options of `record` */
	char **environment; /* "NAME=VALUE", then NULL; owned */
	const char *input, *sysroot, *directory; /* or NULL */
	uint64_t repeats, exit_status;
	struct suite_limits limits;
	/* More than this is a failure; 0: any number. */
	uint64_t most_insns, most_trace_bytes, most_seconds;
	uint64_t checksum; /* of all this, and of the program's and the input's bytes */
};

struct suite {
	char *name;
	char *folder; /* absolute: of the file, where cases run unless they have another one */
	char *text;
	struct toml file;
	struct suite_case *cases; /* [n] */
	size_t n;
};

/*
 * Reads the file `path`. The caller calls suite_fini(), also after a failure. WM_E_FORMAT with
 * the line and what is wrong; WM_E_IO, WM_E_NOMEM.
 */
int suite_read(struct suite *suite, const char *path, struct wm_error *err);
void suite_fini(struct suite *suite);

/*
 * All bytes of a file, then a NUL, malloc()ed; NULL with errno, EINVAL if it is not a regular one.
 * *n is without the NUL.
 */
char *suite_slurp(const char *path, size_t most, size_t *n);

#endif
