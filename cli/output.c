// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A buffer of 256 KiB in front of stdout_write(). stdio takes a lock and checks its state
 * on every call; a listing has one call for each part of a line, and the lines are ready
 * in memory. output_put() in the header is the fast path, these functions are the rest.
 *
 * Once a write has failed, `failed` stays set and the caller is expected to stop; the
 * failure itself is reported at exit (cli/stdout.c).
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

/*
 * Text longer than the buffer is written directly, after what is buffered, so the order
 * stays.
 */
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
