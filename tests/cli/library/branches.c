// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * branches TRACE: the branches of all threads, one after the other, each with its ordinal,
 * address, way and target. branches TRACE THREADS: the same by a walk on so many threads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <waymark.h>

static struct wm_trace *trace;

static void print(FILE *out, const struct wm_branch *branch)
{
	fprintf(out, "%llu 0x%llx %u %d 0x%llx %llu %u %u\n",
		(unsigned long long)branch->insn_ordinal,
		(unsigned long long)branch->address, branch->flow, branch->taken,
		(unsigned long long)branch->target,
		(unsigned long long)branch->block_ordinal, branch->id, branch->index);
}

/* ---- by a walk: each part's lines are kept, and put together ------------- */

struct state {
	FILE *out;
	char *text;
	size_t bytes;
};

static int begin(void *data, void *setup, const struct wm_part *part,
		 struct wm_error *err)
{
	struct state *state = data;

	(void)setup;
	(void)part;
	state->out = open_memstream(&state->text, &state->bytes);
	return state->out ? 0 : wm_error_set(err, WM_E_NOMEM, "no memory");
}

static int branch(void *data, const struct wm_branch *branch, struct wm_error *err)
{
	(void)err;
	print(((struct state *)data)->out, branch);
	return 0;
}

static int append(void *data, void *next, struct wm_error *err)
{
	struct state *state = data, *more = next;

	(void)err;
	fflush(more->out);
	fwrite(more->text, 1, more->bytes, state->out);
	return 0;
}

static int stream(void *data, void *setup, unsigned index, struct wm_error *err)
{
	struct state *state = data;

	(void)setup;
	(void)err;
	fflush(state->out);
	printf("thread %u\n", index);
	fwrite(state->text, 1, state->bytes, stdout);
	return 0;
}

static void end(void *data)
{
	struct state *state = data;

	if (state->out)
		fclose(state->out);
	free(state->text);
}

static int walk(unsigned threads, struct wm_error *err)
{
	static const struct wm_analysis analysis = {
		.state_bytes = sizeof(struct state),
		.begin = begin,
		.branch = branch,
		.append = append,
		.stream = stream,
		.end = end,
	};
	struct wm_selection selection = { .threads = threads };

	return wm_trace_walk(trace, &analysis, &selection, NULL, err);
}

/* ---- one after the other ------------------------------------------------- */

static int list(unsigned thread, struct wm_error *err)
{
	struct wm_branches *branches;
	struct wm_branch branch;
	struct wm_cursor *cursor;
	int ret = wm_cursor_new(&cursor, trace, thread, err);

	if (!ret)
		ret = wm_branches_new(&branches, cursor, err);
	if (ret)
		return ret;
	printf("thread %u\n", thread);
	while ((ret = wm_branches_next(branches, &branch, err)) == 0)
		print(stdout, &branch);
	wm_branches_free(branches);
	wm_cursor_free(cursor);
	return ret;
}

int main(int argc, char **argv)
{
	struct wm_summary summary;
	struct wm_error err = { .text = "" };
	int ret = WM_END;

	if (argc < 2 || wm_trace_open(&trace, argv[1], &err))
		return 2;
	wm_trace_summary(trace, &summary);
	if (argc > 2)
		ret = walk((unsigned)atoi(argv[2]), &err);
	for (unsigned i = 0; argc == 2 && ret == WM_END && i < summary.streams; i++)
		ret = list(i, &err);
	if (ret < 0)
		fprintf(stderr, "branches: %s\n", err.text);
	wm_trace_close(trace);
	return ret < 0 ? 2 : 0;
}
