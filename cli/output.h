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

#endif
