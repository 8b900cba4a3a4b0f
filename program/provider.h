/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where names of a file's code come from: they hold wherever and whenever the file is
 * mapped. To add a provider, write program/NAME.c with a struct provider, declare it here,
 * and give it a row in providers[] of program/providers.c. Providers are used in the order
 * of providers[].
 *
 * Lists of code that was made at run time, which name guest addresses, are read by
 * program/made/list.h. Names of files come before those of lists, because they are checked
 * to be of the build that ran.
 */
#ifndef PROGRAM_PROVIDER_H
#define PROGRAM_PROVIDER_H

#include "format/symtab.h"
#include "program/files.h"

struct provider {
	const char *name; /* one word */
	/*
	 * Reads the names of a file into *names, the caller's to symtab_fini(). False: it
	 * has none, and *names is empty.
	 */
	bool (*of_file)(struct symtab *names, struct files *files,
			const struct wm_trace *trace, uint32_t file);
};

extern const struct provider provider_elf, provider_packed, provider_ran;

/* All of them, ending with NULL. */
extern const struct provider *const providers[];

#endif
