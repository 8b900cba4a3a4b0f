// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares a trace's schedule with the guest kernel's own record of its switches, by the
 * library's public functions alone.
 *
 * usage: switches TRACE <SWITCHES
 *
 * SWITCHES has a line "@ HART FROM TO" for each event sched_switch, threads by their tids, in
 * the order of each hart. They must be a part of the trace's switches of that hart, without
 * a hole; the trace has more, because the guest traced a part of its run only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "waymark.h"

enum { HARTS = 8, MOST = 1 << 20 };

struct switches {
	unsigned n;
	struct {
		unsigned from, to;
	} at[MOST];
};

static struct switches *ran, *seen; /* [HARTS] */

static void add(struct switches *of, unsigned from, unsigned to)
{
	if (of->n == MOST)
		exit(2);
	of->at[of->n].from = from;
	of->at[of->n++].to = to;
}

static int read_schedule(const char *path)
{
	static int last[HARTS];
	struct wm_schedule *schedule;
	struct wm_stream stream;
	struct wm_trace *trace;
	struct wm_turn turn;
	struct wm_error err;
	int ret;

	if (wm_trace_open(&trace, path, &err) ||
	    wm_schedule_new(&schedule, trace, &err)) {
		fprintf(stderr, "switches: %s\n", err.text);
		return -1;
	}
	memset(last, -1, sizeof(last));
	while (!(ret = wm_schedule_next(schedule, &turn, &err))) {
		if (turn.hart >= HARTS || wm_trace_stream(trace, turn.stream, &stream))
			return -1;
		if (last[turn.hart] >= 0)
			add(&ran[turn.hart], (unsigned)last[turn.hart], stream.tid);
		last[turn.hart] = (int)stream.tid;
	}
	wm_schedule_free(schedule);
	wm_trace_close(trace);
	return ret == WM_END ? 0 : -1;
}

/* Where the guest's switches are among the trace's; -1: nowhere. */
static long find(const struct switches *all, const struct switches *part)
{
	for (unsigned i = 0; i + part->n <= all->n; i++)
		if (!memcmp(&all->at[i], part->at, part->n * sizeof(*part->at)))
			return i;
	return -1;
}

int main(int argc, char **argv)
{
	unsigned hart, from, to;
	int bad = 0;

	ran = calloc(HARTS, sizeof(*ran));
	seen = calloc(HARTS, sizeof(*seen));
	if (argc != 2 || !ran || !seen || read_schedule(argv[1]))
		return 2;
	while (scanf(" @ %u %u %u", &hart, &from, &to) == 3 && hart < HARTS)
		add(&seen[hart], from, to);
	for (unsigned i = 0; i < HARTS; i++) {
		long at = find(&ran[i], &seen[i]);

		if (!ran[i].n && !seen[i].n)
			continue;
		printf("hart %u: %u switches, %u seen: %s\n", i, ran[i].n, seen[i].n,
		       at < 0 ? "DIFFERENT" : "equal");
		bad |= at < 0 || !seen[i].n;
	}
	free(ran);
	free(seen);
	return bad;
}
