/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard output for millions of lines: a big buffer and write(2). */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { OUTPUT_BYTES = 256 * 1024 };

struct output {
	int error; /* errno of the first write that failed; what follows is dropped */
	size_t used;
	char buffer[OUTPUT_BYTES];
};

void output_init(struct output *output);

/* Writes what is buffered; false when this or an earlier write failed. */
bool output_flush(struct output *output);

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
