// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * covered TRACE: the source lines that were executed, each once, sorted by file and
 * number.
 *
 * It shows wm_trace_walk(): the trace is cut into parts, several threads walk the parts,
 * and the states of parts are appended in order. The result does not depend on the number
 * of threads. Here a state has, for each block, the range of its instructions that ran;
 * two states are combined by taking the smallest range that contains both.
 *
 * Example: in one part a window ended after 2 instructions of block 7, so its range is 0
 * to 2; in another part the block ran as a whole. All of its lines count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <waymark.h>

struct mark {
	uint32_t begin, end; /* instructions that ran: begin <= index < end */
	uint32_t space;
};

static struct wm_summary summary;
static struct mark *covered; /* [summary.known_blocks + 1] */

/* The state of a part. Only one thread uses it at a time, so it needs no lock. */
struct state {
	struct mark *marks;
	uint32_t space;
};

/* Extends a range. An end of 0 means that the block did not run yet. */
static void mark(struct mark *at, uint32_t begin, uint32_t end, uint32_t space)
{
	if (!at->end || begin < at->begin)
		at->begin = begin;
	if (end > at->end)
		at->end = end;
	at->space = space;
}

/* Called on any thread, once for each part. The state is all zeros. */
static int begin(void *data, void *trace, const struct wm_part *part,
		 struct wm_error *err)
{
	struct state *state = data;

	(void)trace;
	state->space = part->space;
	state->marks = calloc(summary.known_blocks + 1ul, sizeof(*state->marks));
	return state->marks ? 0 : wm_error_set(err, WM_E_NOMEM, "no memory");
}

/*
 * Only a block that is alone in its run may be incomplete. The blocks of longer runs ran
 * as a whole: UINT32_MAX is above the number of instructions of any block.
 */
static int run(void *data, const struct wm_run *run, struct wm_error *err)
{
	struct state *state = data;

	(void)err;
	if (run->n == 1)
		mark(&state->marks[run->ids[0]], run->begin, run->end, state->space);
	for (size_t i = 0; run->n > 1 && i < run->n; i++)
		mark(&state->marks[run->ids[i]], 0, UINT32_MAX, state->space);
	return 0;
}

/* Adds the state of the next part, which the library ends afterwards. */
static int append(void *data, void *next, struct wm_error *err)
{
	struct state *state = data, *more = next;

	(void)err;
	for (uint32_t id = 1; id <= summary.known_blocks; id++)
		if (more->marks[id].end)
			mark(&state->marks[id], more->marks[id].begin,
			     more->marks[id].end, more->marks[id].space);
	return 0;
}

/* Called with the state of a whole stream. */
static int stream(void *data, void *trace, unsigned index, struct wm_error *err)
{
	/* Streams come one at a time, so `covered` needs no lock. */
	struct state all = { .marks = covered };

	(void)trace;
	(void)index;
	return append(&all, data, err);
}

/* Called once for each state, also after an error. */
static void end(void *data)
{
	free(((struct state *)data)->marks);
}

/* By file and number, the order in which they are printed. */
static int by_line(const void *a, const void *b)
{
	const struct wm_frame *x = a, *y = b;
	int order = strcmp(x->source, y->source);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/*
 * Appends the lines of a block's instructions that ran to lines[n]; returns the new
 * number of lines. An instruction without a known line adds none.
 */
static size_t add_lines(struct wm_frame *lines, size_t n, const struct wm_trace *trace,
			struct wm_names *names, uint32_t id)
{
	const struct mark *at = &covered[id];
	struct wm_insn insn;
	size_t frames;

	/* The end may be UINT32_MAX: wm_trace_insn() fails after the last instruction. */
	for (uint32_t i = at->begin; i < at->end && !wm_trace_insn(trace, id, i, &insn);
	     i++)
		if (!wm_names_frames(names, at->space, insn.address, id, &lines[n], 1,
				     &frames, NULL) &&
		    lines[n].source)
			n++;
	return n;
}

int main(int argc, char **argv)
{
	static const struct wm_analysis analysis = {
		.state_bytes = sizeof(struct state),
		.begin = begin,
		.run = run,
		.append = append,
		.stream = stream,
		.end = end,
	};
	struct wm_frame *lines;
	struct wm_trace *trace;
	struct wm_names *names;
	struct wm_error err = { .text = "usage: covered TRACE" };
	struct wm_block block;
	size_t n = 0, most = 1;

	if (argc != 2 || wm_trace_open(&trace, argv[1], &err) ||
	    wm_names_new(&names, trace, &err)) {
		fprintf(stderr, "covered: %s\n", err.text);
		return 2;
	}
	wm_trace_summary(trace, &summary);
	covered = calloc(summary.known_blocks + 1ul, sizeof(*covered));
	if (!covered || wm_trace_walk(trace, &analysis, NULL, trace, &err)) {
		fprintf(stderr, "covered: %s\n", err.text);
		return 2;
	}
	/* Each instruction has one line at most. */
	for (uint32_t id = 1; !wm_trace_block(trace, id, &block); id++)
		most += block.insns;
	lines = calloc(most, sizeof(*lines));
	for (uint32_t id = 1; lines && id <= summary.known_blocks; id++)
		n = add_lines(lines, n, trace, names, id);
	/* Sorting makes equal lines neighbours, so that each can be printed once. */
	qsort(lines, n, sizeof(*lines), by_line);
	for (size_t i = 0; i < n; i++)
		if (!i || by_line(&lines[i - 1], &lines[i]))
			printf("%s:%u\n", lines[i].source, lines[i].line);
	free(lines);
	free(covered);
	wm_names_free(names);
	wm_trace_close(trace);
	return 0;
}
