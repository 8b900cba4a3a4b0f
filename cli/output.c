// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stdio takes a lock and a look at its state for every call; a listing has a call for
 * every line, and the lines are ready in memory. Failure is kept until the end, as
 * ferror() does it.
 */
#include "cli/output.h"

#include <errno.h>
#include <unistd.h>

static void write_all(struct output *output, const char *text, size_t bytes)
{
	while (bytes && !output->error) {
		ssize_t done = write(STDOUT_FILENO, text, bytes);

		if (done < 0 && errno != EINTR)
			output->error = errno;
		if (done > 0) {
			text += done;
			bytes -= (size_t)done;
		}
	}
}

void output_init(struct output *output)
{
	output->error = 0;
	output->used = 0;
}

bool output_flush(struct output *output)
{
	write_all(output, output->buffer, output->used);
	output->used = 0;
	return !output->error;
}

void output_long(struct output *output, const char *text, size_t bytes)
{
	output_flush(output);
	if (bytes > OUTPUT_BYTES) {
		write_all(output, text, bytes);
		return;
	}
	memcpy(output->buffer, text, bytes);
	output->used = bytes;
}
