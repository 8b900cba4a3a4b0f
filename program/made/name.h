/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What compilers put into the names of their code: which function it is, and of which tier. */
#ifndef PROGRAM_MADE_NAME_H
#define PROGRAM_MADE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file that all code which was made at run time is shown as of. */
#define MADE_MODULE "[jit]"

struct made_name {
	const char *name;  /* "fib /app.js:3:13" */
	size_t bytes;	   /* of that: the same in all tiers */
	size_t name_bytes; /* of the function's own name in it; 0: it has none */
	const char *file;  /* [file_bytes] of the source */
	size_t file_bytes; /* 0 if the name has no file */
	uint32_t line;	   /* from 1, of what has no file, too; 0: none */
	bool is_method;	   /* a function of the program: with a line, or of WebAssembly */
	char tier; /* '~' interpreted, '^' and '+' compiled, '*' optimised; 0: not said */
};

/* Parts of `text`, into which the result points. */
struct made_name made_name_of(const char *text);
/*
 * The path of a source, of which V8 has an address when it is a module: "file:///app%20a/b.mjs" is
 * "/app a/b.mjs". Other texts are their own, and so are those that do not fit in room[size].
 */
const char *made_name_path(const char *file, char *room, size_t size);
#define MADE_PATH_ROOM 4096
/* The function's own name, or "(anonymous)" when the program gave it none, into text[size]. */
void made_name_own(const struct made_name *is, char *text, size_t size);
/*
 * Whether code of that name, made at run time, is of a function of the program: not a stub, nor what
 * the runtime itself is made of.
 */
bool made_name_is_method(const char *text);
/* Whether the pattern (of fnmatch) fits the function's own name: "fib" fits that of "JS:*fib ...". */
bool made_name_fits(const char *pattern, const char *text);

#endif
