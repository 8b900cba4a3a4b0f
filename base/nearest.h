/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What somebody who mistyped a word may have meant. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stdbool.h>

/* The search over words that come one by one; all but `typed` zeros at first. */
struct nearest {
	const char *typed;
	unsigned edits; /* of the nearest so far, plus 1; 0: nothing is near */
};

/* Whether a word is nearer than all before it, and near enough to be meant. */
bool nearest_try(struct nearest *nearest, const char *word);

/*
 * The one of words[n] that takes the fewest edits (a letter added, dropped, changed, or
 * two neighbours swapped) to become `typed`; NULL when all are too far to be meant.
 */
const char *nearest_word(const char *typed, const char *const *words, unsigned n);

enum { NEAREST_HINT = 96 };

/*
 * Puts the end of a sentence, such as `; did you mean "parse"?`, into text[NEAREST_HINT]; ""
 * when nothing is near. Returns text.
 */
const char *nearest_hint(char *text, const char *typed, const char *const *words,
			 unsigned n);

#endif
