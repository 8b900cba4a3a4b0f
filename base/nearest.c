// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The edit distance of Damerau and Levenshtein, in its restricted form (no letter is
 * edited twice), over three rows of its table. Words are short; longer ones are cut.
 *
 * The rows are of the prefixes of `a`: the present one, the last one (for insertion,
 * deletion and replacement), and the one before it, which the swap of two neighbours
 * needs.
 *
 * Example: "recrod" and "record" differ by one swap, so the distance is 1; without swaps
 * it would be 2, more than a word of five letters may differ.
 */
#include "base/nearest.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 32 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

/*
 * The letters of a text in UTF-8, LONGEST at most; returns how many. The two highest bits of a byte
 * say whether it goes on with a letter. The number of a letter is all of its bytes, which need not
 * be valid.
 */
static unsigned letters_of(uint32_t letters[LONGEST], const char *text)
{
	unsigned n = 0;

	for (; *text; text++) {
		uint8_t byte = (uint8_t)*text;

		if (n && (byte & 0xc0) == 0x80)
			letters[n - 1] = letters[n - 1] << 8 | byte;
		else if (n == LONGEST)
			break;
		else
			letters[n++] = byte;
	}
	return n;
}

static unsigned distance(const uint32_t *a, unsigned m, const uint32_t *b, unsigned n)
{
	unsigned rows[3][LONGEST + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];

	/* Row 0: from no letter to j letters takes j insertions. */
	for (unsigned j = 0; j <= n; j++)
		last[j] = j;
	for (unsigned i = 1; i <= m; i++) {
		unsigned *spare = before;

		row[0] = i;
		for (unsigned j = 1; j <= n; j++) {
			row[j] = min3(last[j] + 1, row[j - 1] + 1,
				      last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = last;
		last = row;
		row = spare;
	}
	return last[n];
}

/* With more edits than these, a word is another word: "foo" is not "top". */
static unsigned few_edits(unsigned letters)
{
	if (letters < 2)
		return 0;
	return letters < 6 ? 1 : 2;
}

bool nearest_try(struct nearest *nearest, const char *word)
{
	uint32_t typed[LONGEST], letters[LONGEST];
	unsigned n = letters_of(typed, nearest->typed);
	unsigned edits = distance(typed, n, letters, letters_of(letters, word));

	/* "<" keeps the first of several words that are equally near. */
	if (edits >= (nearest->edits ? nearest->edits - 1 : few_edits(n) + 1))
		return false;
	nearest->edits = edits + 1;
	return true;
}

const char *nearest_word(const char *typed, const char *const *words, unsigned n)
{
	struct nearest nearest = { .typed = typed };
	const char *best = NULL;

	for (unsigned i = 0; i < n; i++)
		if (nearest_try(&nearest, words[i]))
			best = words[i];
	return best;
}

const char *nearest_hint(char *text, const char *typed, const char *const *words,
			 unsigned n)
{
	const char *near = nearest_word(typed, words, n);

	*text = 0;
	/* A word that does not fit would be another one. */
	if (near && strlen(near) < NEAREST_HINT - 24)
		snprintf(text, NEAREST_HINT, "; did you mean \"%s\"?", near);
	return text;
}
