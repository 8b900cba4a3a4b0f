// SPDX-License-Identifier: GPL-2.0-or-later
/* outcomes TRACE: how often each function's conditional branches were taken, and not. */
#include <stdio.h>
#include <stdlib.h>
#include <waymark.h>

int main(int argc, char **argv)
{
	struct wm_trace *trace;
	struct wm_names *names;
	struct wm_summary summary;
	struct wm_place place;
	struct wm_function is;
	struct wm_error err = { .text = "usage: outcomes TRACE" };
	if (argc != 2 || wm_trace_open(&trace, argv[1], &err) ||
	    wm_names_new(&names, trace, &err))
		return fprintf(stderr, "outcomes: %s\n", err.text), 2;
	wm_trace_summary(trace, &summary);
	size_t most = summary.known_blocks + 1ul; /* functions that ran are not more */
	uint32_t *number = calloc(most, sizeof(*number)); /* of the function, by block */
	unsigned long long(*ways)[2] = calloc(most, sizeof(*ways)); /* not, taken */
	for (unsigned i = 0; number && ways && i < summary.streams; i++) {
		struct wm_cursor *cursor;
		struct wm_branches *branches;
		struct wm_branch at;
		if (wm_cursor_new(&cursor, trace, i, NULL) ||
		    wm_branches_new(&branches, cursor, NULL))
			return 2;
		while (!wm_branches_next(branches, &at, NULL)) {
			if (!number[at.id] && !wm_names_place(names, at.space, at.address,
							      at.id, &place, NULL))
				number[at.id] = place.function;
			ways[number[at.id]][at.taken] += at.flow == WM_FLOW_BRANCH;
		}
		wm_branches_free(branches);
		wm_cursor_free(cursor);
	}
	for (uint32_t i = 1; !wm_names_function(names, i, &is); i++)
		printf("%12llu taken %12llu not  %s\n", ways[i][1], ways[i][0], is.name);
}
