// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stdio takes a lock and a look at its state for every call; a listing has a call for
 * every line, and the lines are ready in memory.
 */
#include "cli/output.h"

#include "cli/stdout.h"

void output_init(struct output *output)
{
	output->failed = false;
	output->used = 0;
}

void output_flush(struct output *output)
{
	output->failed |= !stdout_write(output->buffer, output->used);
	output->used = 0;
}

void output_long(struct output *output, const char *text, size_t bytes)
{
	output_flush(output);
	if (bytes > OUTPUT_BYTES) {
		output->failed |= !stdout_write(text, bytes);
		return;
	}
	memcpy(output->buffer, text, bytes);
	output->used = bytes;
}
