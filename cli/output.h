/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard output for millions of lines: a big buffer and stdout_write(). */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { OUTPUT_BYTES = 256 * 1024 };

struct output {
	bool failed; /* a write did: what follows is dropped, so stop */
	size_t used;
	char buffer[OUTPUT_BYTES];
};

void output_init(struct output *output);

/* Writes what is buffered. */
void output_flush(struct output *output);

/* More than fits the buffer. */
void output_long(struct output *output, const char *text, size_t bytes);

static inline void output_put(struct output *output, const char *text, size_t bytes)
{
	if (__builtin_expect(bytes > OUTPUT_BYTES - output->used, 0)) {
		output_long(output, text, bytes);
		return;
	}
	memcpy(output->buffer + output->used, text, bytes);
	output->used += bytes;
}

/*
 * Room for at least `bytes`, to write into and then to take: the end of what was written.
 * output_left() is how much there is.
 */
static inline char *output_room(struct output *output, size_t bytes)
{
	if (OUTPUT_BYTES - output->used < bytes)
		output_flush(output);
	return output->buffer + output->used;
}

static inline size_t output_left(const struct output *output)
{
	return OUTPUT_BYTES - output->used;
}

static inline void output_take(struct output *output, const char *end)
{
	output->used = (size_t)(end - output->buffer);
}

#endif
