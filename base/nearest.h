/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What somebody who mistyped a word may have meant. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

/*
 * The one of words[n] that takes the fewest edits (a letter added, dropped, changed, or
 * two neighbours swapped) to become `typed`; NULL when all are too far to be meant.
 */
const char *nearest_word(const char *typed, const char *const *words, unsigned n);

#endif
