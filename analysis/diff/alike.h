/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which numbers of two runs mean the same although they differ: memory may lie elsewhere,
 * and some values may be other ones, such as a clock's.
 */
#ifndef ANALYSIS_DIFF_ALIKE_H
#define ANALYSIS_DIFF_ALIKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is at a, a + 1, ... in A is at b, b + 1, ... in B. */
struct alike_move {
	uint64_t a, b, bytes;
};

/* `x` in A means what `y` means in B. */
struct alike_pair {
	uint64_t x, y;
};

/* Values last learned that are kept: an old one has mostly been overwritten. */
enum { ALIKE_LEARNED = 64 };

struct alike {
	const struct alike_move *moves; /* [n_moves], the caller's */
	size_t n_moves;
	const struct alike_pair *pairs; /* [n_pairs], the caller's */
	size_t n_pairs;
	struct alike_move stack; /* bytes 0: its place is not known yet */
	struct alike_pair learned[ALIKE_LEARNED];
	size_t n_learned; /* ever; [n % ALIKE_LEARNED] is replaced next */
};

/* Whether addresses are the same place. */
bool alike_address(const struct alike *alike, uint64_t x, uint64_t y);
/*
 * Whether two numbers of `bytes` bytes mean the same: they are equal, they are addresses of
 * one place, or they are a learned pair.
 */
bool alike_value(const struct alike *alike, uint64_t x, uint64_t y, unsigned bytes);

/* Both are addresses of one place of the stack, which gives its distance. */
void alike_set_stack(struct alike *alike, uint64_t x, uint64_t y);
/*
 * A value may differ and does: from now on the two mean the same wherever they are copied.
 * Small numbers are not learned, because others are equal to them by chance.
 */
void alike_learn(struct alike *alike, uint64_t x, uint64_t y);

#endif
