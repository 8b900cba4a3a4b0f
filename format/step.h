/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Four entries of the model's sequence at a time, the unit of the loops of the encoder
 * and the decoder. GCC's vectors compile to SSE2 where it exists, and to plain C
 * elsewhere. Loads and stores need no alignment.
 */
#ifndef FORMAT_STEP_H
#define FORMAT_STEP_H

#include <stdint.h>
#include <string.h>

#define STEP 4 /* entries */

typedef uint32_t step_t __attribute__((vector_size(16)));

static inline step_t step_load(const uint32_t *at)
{
	step_t step;

	memcpy(&step, at, sizeof(step));
	return step;
}

/* The same of memory that others can write to: it is read once. */
static inline step_t step_load_once(const uint32_t *at)
{
	typedef step_t unaligned_t __attribute__((aligned(4), may_alias));

	return *(const volatile unaligned_t *)at;
}

static inline void step_store(uint32_t *at, step_t step)
{
	memcpy(at, &step, sizeof(step));
}

/* The top bits, which are the fork marks: bit i is that of entry i. */
static inline unsigned step_tops(step_t step)
{
#ifdef __SSE2__
	typedef float floats __attribute__((vector_size(16)));

	return (unsigned)__builtin_ia32_movmskps((floats)step);
#else
	return step[0] >> 31 | step[1] >> 31 << 1 | step[2] >> 31 << 2 |
	       step[3] >> 31 << 3;
#endif
}

/* Bit i is set when entries i differ. */
static inline unsigned step_differ(step_t a, step_t b)
{
	return step_tops((step_t)(a != b));
}

/* The first three entries moved on by one, behind `first`. */
static inline step_t step_push(step_t step, uint32_t first)
{
	return __builtin_shufflevector(step, (step_t){ first }, 4, 0, 1, 2);
}

/* The number of set bits of four, from a table of 16 digits in one constant. */
static inline unsigned step_count(unsigned bits)
{
	return 0x4332322132212110ull >> 4 * bits & 15;
}

/* The sum of all four, which must be below 2^32. */
static inline uint32_t step_sum(step_t step)
{
	typedef uint64_t halves __attribute__((vector_size(16)));
	/*
	 * The whole sum is below 2^32, so the low lanes do not carry into the high ones.
	 */
	uint64_t twos = ((halves)step)[0] + ((halves)step)[1];

	return (uint32_t)twos + (uint32_t)(twos >> 32);
}

#endif
