/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which function of a program somebody may have meant who mistyped its name. */
#ifndef PROGRAM_SUGGEST_H
#define PROGRAM_SUGGEST_H

#include "base/nearest.h"
#include "program/symbols.h"

enum { SUGGEST_TEXT = 256, SUGGEST_NAME = 104 };

/* The nearest name so far; .nearest.typed is set, and all else zeros at first. */
struct suggestion {
	struct nearest nearest;
	char name[SUGGEST_NAME];
};

/* Compares a symbol, which may be mangled. */
void suggest_symbol(struct suggestion *suggestion, const char *symbol);
/* Compares the inlined functions of the file open at `fd`, which is taken over. */
void suggest_inlined(struct suggestion *suggestion, int fd, const char *path,
		     const char *build_id);
/* The end of a sentence, as suggest_function() has it. Returns text. */
const char *suggest_text(char *text, const struct suggestion *suggestion);

/*
 * Puts the end of a sentence, such as `; did you mean "parse"?`, into text[SUGGEST_TEXT]; "" when
 * nothing is near, when a function has just that name, or when it is a pattern. Returns text.
 * Functions that were inlined count, too; of one that has just that name it says where. Of a
 * second name of a function it says the first.
 */
const char *suggest_function(char *text, struct symbols *symbols, const char *typed);

#endif
