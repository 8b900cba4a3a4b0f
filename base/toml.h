/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that people write: a part of TOML 1.0. A file has keys, tables and arrays of tables:
 *
 *	name = "nightly"		# text, in double or single quotes, on one line
 *	[defaults]			# a table
 *	repeats = 3			# whole numbers; 1_000_000
 *	strict = true
 *	[[case]]			# one more table of the array "case"
 *	command = ["lua", "sort.lua"]	# arrays, also over several lines
 *	environment = { LANG = "C" }	# inline tables
 *
 * Of TOML it lacks, and refuses with a sentence, text of several lines, dates, and numbers that
 * are not whole or not decimal. Every file that it takes means the same to other parsers.
 */
#ifndef BASE_TOML_H
#define BASE_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "waymark.h"

enum toml_type { TOML_TEXT, TOML_NUMBER, TOML_BOOL, TOML_ARRAY, TOML_TABLE };

struct toml {
	char *key; /* in a table; of others NULL */
	enum toml_type type;
	unsigned line;	  /* where it is, from 1 */
	char *text;	  /* of TOML_TEXT: UTF-8, without NULs in it */
	int64_t number;	  /* of TOML_NUMBER and TOML_BOOL */
	bool closed;	  /* of a table or array: written with {} or [], so complete */
	bool named;	  /* of a table: it had a header of its own */
	struct toml *all; /* [n] of TOML_ARRAY and TOML_TABLE, in the order of the file */
	size_t n;
};

/*
 * Parses text[bytes] into *root, a table and the caller's to toml_fini(), also after a failure.
 * Memory is some times the size of the text. WM_E_FORMAT with "line N: ..."; WM_E_NOMEM.
 */
int toml_parse(struct toml *root, const char *text, size_t bytes, struct wm_error *err);
void toml_fini(struct toml *value);

/* The value of a key; NULL when the table lacks it. */
const struct toml *toml_find(const struct toml *table, const char *key);

/* The name of a type, as a user knows it: "a text". */
const char *toml_type_name(enum toml_type type);

#endif
