// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A line on stderr with the progress of a recording or of an analysis. It is redrawn in
 * place and removed at the end; during a recording that place is the last row, which the
 * guest cannot reach (cli/bottom.h). It appears after one second, so short runs never show
 * it, and only on a terminal that is not dumb. The rate is that of the last interval,
 * because the average over a long run would hide a change.
 */
#include "cli/progress.h"

#include "cli/habits.h"
#include "out/number.h"

#include <stdio.h>
#include <unistd.h>

static const uint64_t second_ns = 1000000000;
/* Return to the first column and erase to the end of the line (ECMA-48). */
static const char clear_line[] = "\r\033[K";

void progress_init(struct progress *progress)
{
	*progress = (struct progress){ .on = !habits.quiet && isatty(STDERR_FILENO) };
	progress->has_line = progress->on && !terminal_is_dumb();
}

void progress_show(struct progress *progress, uint64_t elapsed_ns, uint64_t blocks,
		   uint64_t insns, uint64_t file_bytes)
{
	char rate[NUMBER_TEXT], count[NUMBER_TEXT], size[NUMBER_TEXT], text[256];
	uint64_t interval_ns = elapsed_ns - progress->last_ns;
	uint64_t done = blocks - progress->last_blocks;

	if (!progress->has_line || elapsed_ns < second_ns || !interval_ns)
		return;
	number_grouped(count, insns);
	number_bytes(size, file_bytes);
	/* Blocks per ns times 1000 are millions of blocks per second. */
	snprintf(rate, sizeof(rate), "%.1f", (double)done * 1000 / (double)interval_ns);
	snprintf(text, sizeof(text),
		 "waymark: %llu s, %s M blocks/s, %s instructions, %s",
		 (unsigned long long)(elapsed_ns / second_ns), rate, count, size);
	bottom_show(&progress->bottom, text);
	progress->last_ns = elapsed_ns;
	progress->last_blocks = blocks;
}

/* Redrawn ten times a second at most. */
void progress_part(struct progress *progress, uint64_t elapsed_ns, uint64_t done,
		   uint64_t of)
{
	char count[NUMBER_TEXT];

	if (!progress->has_line || elapsed_ns < second_ns ||
	    elapsed_ns - progress->last_ns < second_ns / 10)
		return;
	fprintf(stderr, "%swaymark: %.0f%% of %s instructions", clear_line,
		of ? (double)done * 100 / (double)of : 100, number_grouped(count, of));
	progress->shown = true;
	progress->last_ns = elapsed_ns;
}

void progress_fini(struct progress *progress)
{
	bottom_end(&progress->bottom);
	if (progress->shown)
		fputs(clear_line, stderr);
	progress->shown = false;
}
