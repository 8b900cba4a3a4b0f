// SPDX-License-Identifier: GPL-2.0-or-later
/* watchpoint TRACE ADDRESS: which instruction of each thread wrote to ADDRESS last. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <waymark.h>

int main(int argc, char **argv)
{
	uint64_t address = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	const struct wm_access *at;
	struct wm_step step, last;
	struct wm_cursor *cursor;
	struct wm_trace *trace;
	struct wm_error err = { .text = "usage: watchpoint TRACE ADDRESS" };
	char disas[160];
	size_t n;

	if (argc < 3 || wm_trace_open(&trace, argv[1], &err))
		return fprintf(stderr, "watchpoint: %s\n", err.text), 2;
	for (unsigned i = 0; wm_cursor_new(&cursor, trace, i, &err) == 0; i++) {
		last.id = 0;
		while (wm_cursor_next_insn(cursor, &step, &err) == 0)
			if (wm_cursor_accesses(cursor, &at, &n, &err) == 0)
				for (; n; n--, at++)
					if (at->kind == WM_ACCESS_STORE &&
					    address - at->address < at->size)
						last = step;
		if (last.id &&
		    wm_trace_disas(trace, last.id, last.index, disas, sizeof(disas)))
			printf("thread %u: instruction %" PRIu64 ", %s\n", i,
			       last.insn_ordinal, disas);
		wm_cursor_free(cursor);
	}
	wm_trace_close(trace);
	return 0;
}
