/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ran lately: how often each block was executed since the same client asked last. It
 * costs nothing as long as nobody asks.
 *
 * The executions of all threads are added up when their chunks end. A client gets these
 * sums plus those of unfinished chunks, minus what it got before.
 */
#ifndef COLLECT_SAMPLER_H
#define COLLECT_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLER_ASKERS 4 /* clients remembered; the least recent one is replaced */

struct sampler {
	uint64_t *totals; /* [allocated] of finished chunks, by id; NULL: nobody asks */
	uint32_t allocated;
	struct sampler_asker {
		uint32_t pid;	/* 0: none */
		uint64_t asked; /* number of its last question */
		uint64_t *last; /* [known + 1] sums of that time */
		uint32_t known;
	} askers[SAMPLER_ASKERS];
	uint64_t questions;
};

struct sample_row {
	uint32_t id;
	uint64_t count;
};

void sampler_fini(struct sampler *sampler);
/*
 * A chunk of ids 1..known ends: the array to add its executions to; NULL: nobody asks.
 */
uint64_t *sampler_pass(struct sampler *sampler, uint32_t known);

/*
 * A question begins: sums[known + 1] of finished chunks, to which the caller adds what
 * unfinished ones have. malloc()ed; NULL without memory.
 */
uint64_t *sampler_sums(struct sampler *sampler, uint32_t known);
/*
 * It ends: takes `sums` over and returns how much they grew since `pid` asked last,
 * [known + 1], the caller's to free. NULL without memory.
 */
uint64_t *sampler_differ(struct sampler *sampler, uint32_t pid, uint64_t *sums,
			 uint32_t known);

/*
 * Of differences[known + 1], those `most` that weigh most, in executions times
 * weights[id], the heaviest first; *n are there, *rows is the caller's to free. False: no
 * memory.
 */
bool sampler_top(const uint64_t *differences, const uint16_t *weights, uint32_t known,
		 size_t most, struct sample_row **rows, size_t *n);

#endif
