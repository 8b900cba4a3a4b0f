// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watchpoint TRACE ADDRESS: which instruction of each thread wrote to ADDRESS last. The
 * trace must have been recorded with --mem; without accesses nothing is printed.
 *
 * It reads every access. `waymark mem --last-writer` searches from the end instead.
 */
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
	struct wm_error err;
	char disas[160];
	size_t n;

	if (argc < 3 || wm_trace_open(&trace, argv[1], &err))
		return 2;
	/* Beyond the last thread wm_cursor_new() fails with WM_E_RANGE. */
	for (unsigned i = 0; wm_cursor_new(&cursor, trace, i, &err) == 0; i++) {
		last.id = 0; /* ids begin at 1: no store was found yet */
		while (wm_cursor_next_insn(cursor, &step, &err) == 0)
			if (wm_cursor_accesses(cursor, &at, &n, &err) == 0)
				for (; n; n--, at++)
					/* Unsigned: a lower address makes it huge. */
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
