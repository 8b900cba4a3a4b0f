// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares a trace of a whole machine with what the witness saw (harts.h), by the library's
 * public functions alone.
 *
 * usage: harts-compare TRACE SEEN [killed]
 *
 * Of each hart all instructions must be the same, and none uncertain. When QEMU was killed, one
 * side may have seen a block or two that the other has not.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harts.h"
#include "waymark.h"

enum { RECENT = 4 };

/* The sums before each of the last blocks, and what is uncertain of the last one. */
struct hart {
	struct harts_sum before[RECENT], now;
	uint64_t blocks;
	uint32_t uncertain;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "harts-compare: %s: %s\n", what, why);
	exit(2);
}

static void enter(struct hart *hart, const struct wm_trace *trace,
		  const struct wm_step *step)
{
	struct wm_block block;
	uint64_t address;

	if (wm_trace_block(trace, step->id, &block))
		die("block", "is not there");
	hart->before[hart->blocks++ % RECENT] = hart->now;
	hart->uncertain = step->uncertain;
	address = block.address;
	for (uint32_t i = 0; i < step->insns; address += block.sizes[i++])
		harts_add(&hart->now, address);
}

static void read_hart(struct hart *hart, const struct wm_trace *trace, unsigned stream)
{
	struct wm_cursor *cursor;
	struct wm_step step;
	struct wm_error err;
	int ret = wm_cursor_new(&cursor, trace, stream, &err);

	while (!ret && !(ret = wm_cursor_next_block(cursor, &step, &err)))
		enter(hart, trace, &step);
	if (ret < 0)
		die("hart", err.text);
	wm_cursor_free(cursor);
}

static bool is_same(const struct harts_sum *a, const struct harts_sum *b)
{
	return a->insns == b->insns && a->hash == b->hash;
}

static bool agree(const struct hart *hart, const struct harts_seen *seen, bool killed)
{
	if (killed) {
		for (unsigned i = 0; i < RECENT; i++)
			if (is_same(&hart->before[i], &seen->before))
				return true;
		return is_same(&hart->now, &seen->before);
	}
	return hart->blocks && is_same(&hart->now, &seen->now) && !hart->uncertain;
}

int main(int argc, char **argv)
{
	static struct harts_seen seen[HARTS_MAX];
	bool killed = argc == 4 && !strcmp(argv[3], "killed"), good = true;
	struct wm_summary summary;
	struct wm_trace *trace;
	struct wm_error err;
	FILE *file;

	if (argc != 3 && !killed)
		die("usage", "harts-compare TRACE SEEN [killed]");
	file = fopen(argv[2], "rb");
	if (!file || fread(seen, sizeof(seen), 1, file) != 1)
		die(argv[2], "cannot be read");
	fclose(file);
	if (wm_trace_open(&trace, argv[1], &err))
		die(argv[1], err.text);
	wm_trace_summary(trace, &summary);
	for (unsigned i = 0; i < HARTS_MAX; i++) {
		struct hart hart = { .blocks = 0 };
		bool same;

		if (i < summary.streams)
			read_hart(&hart, trace, i);
		same = agree(&hart, &seen[i], killed) ||
		       (!hart.blocks && !seen[i].now.insns);
		if (hart.blocks || seen[i].now.insns)
			printf("hart %u: %" PRIu64 " instructions, %" PRIu64
			       " seen: %s\n",
			       i, hart.now.insns, seen[i].now.insns,
			       same ? "equal" : "DIFFERENT");
		good = good && same;
	}
	wm_trace_close(trace);
	return !good;
}
