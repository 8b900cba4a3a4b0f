// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A caller that was compiled with a smaller waymark.h: its structs lack the last members.
 * Behind each it keeps a mark that nobody may touch. It prints what it read.
 */
#include <stdio.h>
#include <string.h>
#include <waymark.h>

struct old_summary {
	uint64_t blocks, insns;
};

struct old_step {
	uint64_t block_ordinal, insn_ordinal;
};

struct old_event {
	uint64_t block_ordinal, insn_ordinal, ns;
	uint32_t kind;
};

#define MARK "it is mine"

/* A struct, and what lies behind it in the caller's memory. */
#define KEPT(type)              \
	struct {                \
		struct type is; \
		char mark[16];  \
	}

int main(int argc, char **argv)
{
	KEPT(old_summary) summary = { .mark = MARK };
	KEPT(old_step) step = { .mark = MARK };
	KEPT(old_event) event = { .mark = MARK };
	struct wm_cursor *cursor;
	struct wm_trace *trace;
	struct wm_error err;
	unsigned long long insns = 0, events = 0;

	if (argc < 2 || wm_trace_open(&trace, argv[1], &err) ||
	    wm_cursor_new(&cursor, trace, 0, &err))
		return 2;
	wm_trace_summary_sized(trace, (struct wm_summary *)&summary, sizeof(summary.is));
	while (!wm_cursor_next_insn_sized(cursor, (struct wm_step *)&step,
					  sizeof(step.is), &err)) {
		insns++;
		while (!wm_cursor_event_here_sized(cursor, (struct wm_event *)&event,
						   sizeof(event.is)))
			events += event.is.kind != 0;
	}
	if (strcmp(summary.mark, MARK) || strcmp(step.mark, MARK) ||
	    strcmp(event.mark, MARK))
		return 3;
	printf("%llu %llu %llu %llu\n", (unsigned long long)summary.is.insns, insns,
	       (unsigned long long)step.is.insn_ordinal + 1, events);
	wm_cursor_free(cursor);
	wm_trace_close(trace);
	return 0;
}
