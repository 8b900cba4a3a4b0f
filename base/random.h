/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reproducible sequence of pseudorandom numbers: SplitMix64 (Steele, Lea, Flood, "Fast
 * Splittable Pseudorandom Number Generators", OOPSLA 2014).
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/* A hash of `x`: the same number for the same `x`. */
static inline uint64_t random_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* The next number; *state is the sequence's state, any number at the start. */
static inline uint64_t random_next(uint64_t *state)
{
	return random_mix(*state += 0x9e3779b97f4a7c15u);
}

/* Maps a number to [0, 1). */
static inline double random_unit(uint64_t number)
{
	return (double)(number >> 11) * 0x1p-53;
}

#endif
