/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where names of code come from. To add a provider, write program/NAME.c with a struct
 * provider, declare it here, and give it a row in providers[] of program/providers.c; a
 * table of names by address also gets tests in tests/unit/test_given.c. A provider
 * answers one of two questions, or both:
 *
 * - which names does a file have, by byte of the file? They hold wherever and whenever
 *   the file is mapped.
 * - which names does a table that the user gave have, by guest address? They have
 *   lifetimes, because memory is written again.
 *
 * Priority: names of files come before those of tables, because they are checked to be of
 * the build that ran; providers of one kind are used in the order of providers[].
 */
#ifndef PROGRAM_PROVIDER_H
#define PROGRAM_PROVIDER_H

#include "base/buf.h"
#include "format/symtab.h"
#include "program/extents.h"
#include "program/files.h"

/* Names by guest address. */
struct address_names {
	struct extents extents; /* of space 0; `what` is where its name starts in texts */
	struct buf texts;	/* each with its NUL */
};

struct provider {
	const char *name; /* one word */
	const char *what; /* of tables: what they look like, a few words; else NULL */
	/*
	 * Reads the names of a file into *names, the caller's to symtab_fini(). False: it
	 * has none, and *names is empty.
	 */
	bool (*of_file)(struct symtab *names, struct files *files,
			const struct wm_trace *trace, uint32_t file);
	/*
	 * Adds the names in text[bytes] to *names, which is empty. WM_END: the text is in
	 * another format. WM_E_NOMEM.
	 */
	int (*of_addresses)(struct address_names *names, const char *text, size_t bytes,
			    struct wm_error *err);
};

extern const struct provider provider_elf, provider_packed, provider_ran,
	provider_perf_map;

/* All of them, ending with NULL. */
extern const struct provider *const providers[];

#endif
