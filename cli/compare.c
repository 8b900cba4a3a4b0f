// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pairs are compared by several threads at once, each with places of its own: only symbols
 * are shared, behind a lock. What they find is kept until it can be shown in order.
 */
#include "cli/compare.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/error.h"
#include "base/parallel.h"
#include "trace/qemulog-data.h"

/* One pair at work. */
struct job {
	struct compare *compare;
	unsigned index;
	struct diff_places places;
	uint64_t room; /* divergences to keep */
};

struct jobs {
	struct compare *compare;
	pthread_mutex_t locks[2];
	struct diff_program programs[2];
};

/* ---- one pair ------------------------------------------------------------------------- */

static int keep_hunk(void *cookie, const struct diff_hunk *hunk, struct wm_error *err)
{
	struct job *job = cookie;
	struct compared *to = &job->compare->all[job->index];
	struct compare_hunk kept = { .is = *hunk };

	if (to->n >= job->room)
		return 0;
	kept.is.b_next = NULL;
	for (size_t i = 0; job->compare->log && i < hunk->b_known; i++)
		kept.b_pcs[i] = diff_places_offset(&job->places, hunk->b_next[i]);
	return APPEND(to->hunks, to->n, kept) ? 0 : wm_fail_nomem(err, "divergences");
}

static void show_progress(void *cookie, uint64_t done)
{
	struct job *job = cookie;
	const struct selection *selection = &job->compare->a.selection;

	selection->progress(selection->cookie, done,
			    job->compare->all[job->index].result.a_insns);
}

static int open_b(const struct jobs *jobs, const struct pair *pair,
		  struct diff_source **source, struct wm_error *err)
{
	const struct compare *compare = jobs->compare;
	struct diff_part part = { &pair->b, 1, compare->b.scope.from,
				  compare->b.scope.to };

	if (compare->pclog)
		return diff_pclog_new(source, compare->pclog, &part, err);
	if (compare->qemulog)
		return diff_qemulog_new(source, compare->qemulog, &part, err);
	return diff_trace_new(source, &jobs->programs[DIFF_B], &part, err);
}

static int run_pair(const struct jobs *jobs, struct job *job, struct wm_error *err)
{
	struct compare *compare = jobs->compare;
	const struct pair *pair = &compare->pairs.all[job->index];
	struct diff_result *result = &compare->all[job->index].result;
	struct diff_part part = { pair->a, pair->n_a, compare->a.scope.from,
				  compare->a.scope.to };
	struct diff_source *a = NULL, *b = NULL;
	struct diff_options options = {
		.window = compare->window,
		.prefix = compare->log == COMPARE_SPIKE && !compare->pclog->user,
		.hunk = keep_hunk,
		.progress = job->index ? NULL : show_progress,
		.cookie = job,
	};
	int ret = diff_trace_new(&a, &jobs->programs[DIFF_A], &part, err);

	if (!ret && pair->has_b) {
		ret = open_b(jobs, pair, &b, err);
		result->b_failed = ret;
	}
	if (!ret && pair->n_a && pair->has_b)
		ret = diff_run(a, b, &job->places, &options, result, err);
	else if (!ret)
		*result = (struct diff_result){ .a_insns = a->insns,
						.b_insns = b ? b->insns : 0 };
	if (a)
		a->free(a);
	if (b)
		b->free(b);
	return ret;
}

static int make(void *cookie, uint64_t index, unsigned worker)
{
	struct jobs *jobs = cookie;
	struct compared *to = &jobs->compare->all[index];
	struct job job = {
		.compare = jobs->compare,
		.index = (unsigned)index,
		.places = DIFF_PLACES_INIT,
		.room = index ? 1 : jobs->compare->listed,
	};
	struct wm_error err = { .code = 0 };
	int ret = run_pair(jobs, &job, &err);

	(void)worker;
	diff_places_fini(&job.places);
	if (ret)
		to->err = malloc(sizeof(*to->err));
	if (to->err)
		*to->err = err;
	return ret;
}

/* ---- all of them ---------------------------------------------------------------------- */

static void prepare(struct jobs *jobs, enum diff_side side, const struct query *query)
{
	pthread_mutex_init(&jobs->locks[side], NULL);
	jobs->programs[side] = (struct diff_program){
		.trace = query->source.trace,
		.symbols = query->source.symbols,
		.lock = &jobs->locks[side],
		.modules = jobs->compare->modules,
		.side = side,
	};
}

/* The first error, by pair. */
static int first_error(struct compare *compare, int ret, struct wm_error *err)
{
	for (unsigned i = 0; i < compare->pairs.n; i++) {
		const struct compared *compared = &compare->all[i];

		if (!compared->err)
			continue;
		compare->faulty = !compared->result.b_failed ? compare->a.scope.file :
				  compare->log		     ? compare->log_file :
							       compare->b.scope.file;
		*err = *compared->err;
		return ret;
	}
	return wm_fail_nomem(err, "a comparison");
}

int compare_run(struct compare *compare, struct wm_error *err)
{
	struct jobs jobs = { .compare = compare };
	int ret;

	prepare(&jobs, DIFF_A, &compare->a);
	if (!compare->log)
		prepare(&jobs, DIFF_B, &compare->b);
	ret = parallel_for(compare->pairs.n, compare->a.selection.threads, make, &jobs);
	query_done(&compare->a);
	pthread_mutex_destroy(&jobs.locks[DIFF_A]);
	if (!compare->log)
		pthread_mutex_destroy(&jobs.locks[DIFF_B]);
	return ret ? first_error(compare, ret, err) : 0;
}

bool compared_is_same(const struct compared *compared, const struct pair *pair)
{
	return pair->n_a && pair->has_b && !compared->result.hunks;
}

bool compare_is_same(const struct compare *compare)
{
	for (unsigned i = 0; i < compare->pairs.n; i++)
		if (!compared_is_same(&compare->all[i], &compare->pairs.all[i]))
			return false;
	return true;
}

/* ---- to open and close ------------------------------------------------------------------ */

static int read_log(struct compare *compare, int fd, struct wm_error *err)
{
	if (compare->log == COMPARE_SPIKE)
		return pclog_read(&compare->pclog, PCLOG_SPIKE, fd, err);
	if (compare->log == COMPARE_EXECLOG)
		return pclog_read(&compare->pclog, PCLOG_EXECLOG, fd, err);
	if (pclog_is_listing(fd))
		return pclog_read(&compare->pclog, PCLOG_QEMU, fd, err);
	return qemulog_read(&compare->qemulog, fd, err);
}

static int open_log(struct compare *compare, struct wm_error *err)
{
	bool is_stdin = !strcmp(compare->log_file, "-");
	int fd = is_stdin ? STDIN_FILENO : open(compare->log_file, O_RDONLY | O_CLOEXEC);
	int ret;

	compare->faulty = compare->log_file;
	if (fd < 0)
		return wm_fail_errno(err, "cannot open");
	ret = read_log(compare, fd, err);
	if (!is_stdin)
		close(fd);
	return ret;
}

static int open_query(struct compare *compare, struct query *query, bool *is_open,
		      struct wm_error *err)
{
	int ret;

	compare->faulty = query->scope.file;
	ret = query_open(query, err);
	*is_open = !ret;
	return ret;
}

static int open_with_log(struct compare *compare, struct wm_error *err)
{
	int ret = open_log(compare, err);

	if (!ret)
		ret = open_query(compare, &compare->a, &compare->a_open, err);
	if (ret)
		return ret;
	return pairs_of_log(
		&compare->pairs, &compare->a,
		compare->pclog ? compare->pclog->cpus : compare->qemulog->cpus, err);
}

static int open_traces(struct compare *compare, struct wm_error *err)
{
	int ret = open_query(compare, &compare->a, &compare->a_open, err);

	if (!ret)
		ret = open_query(compare, &compare->b, &compare->b_open, err);
	if (!ret)
		ret = diff_modules_new(&compare->modules, compare->a.source.trace,
				       compare->b.source.trace, err);
	return ret ? ret :
		     pairs_of_traces(&compare->pairs, &compare->a, &compare->b, err);
}

int compare_open(struct compare *compare, struct wm_error *err)
{
	int ret;

	compare->pclog = NULL;
	compare->qemulog = NULL;
	compare->modules = NULL;
	compare->all = NULL;
	compare->pairs = (struct pairs){ .n = 0 };
	compare->a_open = compare->b_open = false;
	ret = compare->log ? open_with_log(compare, err) : open_traces(compare, err);
	if (!ret) {
		compare->all =
			calloc((size_t)compare->pairs.n + 1, sizeof(*compare->all));
		ret = compare->all ? 0 : wm_fail_nomem(err, "threads");
	}
	if (ret)
		compare_close(compare);
	return ret;
}

void compare_close(struct compare *compare)
{
	for (unsigned i = 0; compare->all && i < compare->pairs.n; i++) {
		free(compare->all[i].hunks);
		free(compare->all[i].err);
	}
	free(compare->all);
	pairs_fini(&compare->pairs);
	diff_modules_free(compare->modules);
	if (compare->a_open)
		query_close(&compare->a);
	if (compare->b_open)
		query_close(&compare->b);
	pclog_free(compare->pclog);
	qemulog_free(compare->qemulog);
}
