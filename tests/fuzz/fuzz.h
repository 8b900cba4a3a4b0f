/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzz targets share: the entry libFuzzer calls, and bytes as decisions. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Like assert(), whatever NDEBUG says. */
#define MUST(condition)                                                                 \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

enum {
	CPU_SECONDS = 20
}; /* for one input; on a machine that stalls, -timeout is no use */

static inline void too_slow(int signal)
{
	(void)signal;
	abort(); /* libFuzzer keeps the input */
}

/* To be called first for each input. */
static inline void watch_cpu(void)
{
	signal(SIGPROF, too_slow);
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = CPU_SECONDS },
		  NULL);
}

struct input {
	const uint8_t *at, *end;
};

/* The next byte; 0 after the end. */
static inline uint8_t take(struct input *input)
{
	return input->at < input->end ? *input->at++ : 0;
}

static inline uint32_t take_u32(struct input *input)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 4; i++)
		value |= (uint32_t)take(input) << 8 * i;
	return value;
}

/* Copies at most n bytes, and returns how many there were. */
static inline size_t take_bytes(struct input *input, void *to, size_t n)
{
	size_t left = (size_t)(input->end - input->at);

	n = n < left ? n : left;
	if (n)
		memcpy(to, input->at, n);
	input->at += n;
	return n;
}

#endif
