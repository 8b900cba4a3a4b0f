// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a trace of which parts are cut: a part of a sound trace is sound and has the
 * same blocks.
 */
#include <unistd.h>

#include "cut/cut.h"
#include "sections.h"
#include "waymark.h"

enum { PATH_BYTES = 100, INSNS = 300 };

static char path[PATH_BYTES];

/* The first instructions of the part are those of the trace from there on. */
static void compare(const struct wm_trace *old, const struct cut_part *part)
{
	struct wm_check check = { .threads = 1 };
	struct wm_cursor *old_cursor, *new_cursor;
	struct wm_step old_step, new_step;
	struct wm_block old_block, new_block;
	struct wm_trace *new;

	MUST(!wm_trace_open(&new, path, NULL));
	MUST(!wm_trace_verify(new, &check, NULL));
	MUST(!wm_cursor_new(&old_cursor, old, part->stream, NULL));
	MUST(!wm_cursor_new(&new_cursor, new, 0, NULL));
	MUST(!wm_cursor_seek_insn(old_cursor, part->from, NULL));
	for (unsigned i = 0; i < INSNS && i < part->to - part->from; i++) {
		if (wm_cursor_next_insn(old_cursor, &old_step, NULL))
			break;
		MUST(!wm_cursor_next_insn(new_cursor, &new_step, NULL));
		MUST(new_step.insn_ordinal == i);
		MUST(!wm_trace_block(old, old_step.id, &old_block));
		MUST(!wm_trace_block(new, new_step.id, &new_block));
		MUST(old_block.sizes[old_step.index] == new_block.sizes[new_step.index]);
	}
	wm_cursor_free(old_cursor);
	wm_cursor_free(new_cursor);
	wm_trace_close(new);
}

static void cut(const struct wm_trace *trace, bool sound, unsigned stream, uint64_t seed)
{
	struct wm_stream of;
	struct cut_part part = { .stream = stream };
	struct cut wanted = { trace, NULL, &part, 1, "a part" };
	struct cut_sums sums;

	if (wm_trace_stream(trace, stream, &of) || !of.insns)
		return;
	part.from = seed % of.insns;
	part.to = part.from + 1 + seed / 7 % (of.insns - part.from);
	if (!cut_write(&wanted, path, &sums, NULL) && sound)
		compare(trace, &part);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct wm_check check = { .threads = 1 };
	uint8_t *repaired = malloc(bytes + 1);
	struct wm_summary summary;
	struct wm_trace *trace;
	uint64_t seed = bytes;

	watch_cpu();
	if (!*path)
		snprintf(path, sizeof(path), "/dev/shm/waymark-fuzz-%d.wmk",
			 (int)getpid());
	MUST(repaired);
	memcpy(repaired, data, bytes);
	repair(repaired, bytes);
	for (size_t i = 0; i < bytes; i++)
		seed = seed * 31 + data[i];
	if (is_quick(repaired, bytes) &&
	    !wm_trace_open_memory(&trace, repaired, bytes, NULL)) {
		wm_trace_summary(trace, &summary);
		for (unsigned i = 0; i < 3; i++)
			cut(trace,
			    !wm_trace_verify(trace, &check, NULL) && summary.complete, i,
			    seed >> (8 * i));
		wm_trace_close(trace);
	}
	free(repaired);
	return 0;
}
