// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens two runs, or a run and a log, pairs their threads, and compares the pairs on
 * several workers. Each pair has places (numbers for instructions) of its own; only the
 * symbols of a trace are shared, under a lock. What a pair yields is stored in
 * all[index], so the result does not depend on the number of workers.
 *
 * Bounds that are positions are searched in each side of each pair. A pair of which one
 * side reaches its bounds and the other does not is an error, because there is nothing to
 * compare the one side with. A pair of which neither side reaches them is left out: a
 * program may have threads that never execute the position.
 *
 *	--from work, A: threads 0 and 1	   B: threads 0 and 1
 *	thread 0 never calls work() in both: left out
 *	thread 1 calls it in both: compared
 *	thread 1 calls it in A only: an error
 */
#include "query/compare.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/schedule.h"
#include "base/append.h"
#include "base/error.h"
#include "query/pair_values.h"
#include "trace/qemulog-data.h"

/* The comparison of one pair. */
struct job {
	struct compare *compare;
	unsigned index;
	struct diff_places places;
	struct pair_values values;
	uint64_t room; /* divergences to keep; the rest is only counted */
};

/*
 * programs[] compare by places that both runs share; addresses[] are the same traces
 * without the modules, so that their places are addresses.
 */
struct jobs {
	struct compare *compare;
	pthread_mutex_t locks[2];
	struct diff_program programs[2];
	struct diff_program addresses[2]; /* the same, for who asks for addresses */
};

/* ---- one pair ------------------------------------------------------------ */

/*
 * Keeps a divergence until the output. Its b_next is only valid during this call; of a
 * log, which cannot be read again, the addresses are copied.
 */
static int keep_hunk(void *cookie, const struct diff_hunk *hunk, struct wm_error *err)
{
	struct job *job = cookie;
	struct compared *to = &job->compare->all[job->index];
	struct compare_hunk kept = { .is = *hunk };

	if (to->n >= job->room) {
		if (hunk->number == to->n + 1)
			to->common_behind = hunk->common;
		return 0;
	}
	kept.is.b_next = NULL;
	for (size_t i = 0; job->compare->log && i < hunk->b_known; i++)
		kept.b_pcs[i] = diff_places_offset(&job->places, hunk->b_next[i]);
	return APPEND(to->hunks, to->n, kept) ? 0 : wm_fail_nomem(err, "divergences");
}

static int compare_values(void *cookie, uint64_t a, uint64_t b, uint64_t insns,
			  struct wm_error *err)
{
	struct job *job = cookie;

	return diff_values_compare(&job->values.values, a, b, insns, err);
}

/* Only the first pair reports progress (run_pair()): several at once would jump. */
static void show_progress(void *cookie, uint64_t done)
{
	struct job *job = cookie;
	const struct selection *selection = &job->compare->a.selection;

	if (selection->progress)
		selection->progress(selection->cookie, done,
				    job->compare->all[job->index].result.a_insns);
}

/* What is compared on one side of a pair. */
struct half {
	enum diff_side side;
	struct diff_part part;
	bool is_log;
	bool reached; /* the side reaches all of its bounds */
};

/* A pair has one stream of B at most, so its address serves as an array of one. */
static struct half half_of(const struct compare *compare, const struct pair *pair,
			   enum diff_side side)
{
	bool is_a = side == DIFF_A;
	const struct scope *scope = is_a ? &compare->a.scope : &compare->b.scope;

	return (struct half){
		.side = side,
		.part = { is_a ? pair->a : &pair->b, is_a ? pair->n_a : pair->has_b,
			  scope->from, scope->to },
		.is_log = !is_a && compare->log,
		.reached = true,
	};
}

/*
 * Opens the source of a side. Bounds may be addresses, so the search for them reads a
 * source whose places are addresses of the trace itself; the comparison uses shared
 * places.
 */
static int open_half(const struct jobs *jobs, const struct half *half,
		     const struct diff_part *part, bool by_address,
		     struct diff_source **source, struct wm_error *err)
{
	const struct compare *compare = jobs->compare;

	if (half->is_log && compare->pclog)
		return diff_pclog_new(source, compare->pclog, part, err);
	if (half->is_log)
		return diff_qemulog_new(source, compare->qemulog, part, err);
	return diff_trace_new(source,
			      by_address ? &jobs->addresses[half->side] :
					   &jobs->programs[half->side],
			      part, err);
}

/*
 * The space in which a log's addresses have names: the one in which A's thread begins. A
 * log does not say to which process an address belongs.
 */
static uint32_t space_of_log(const struct compare *compare, const struct pair *pair)
{
	struct wm_stream stream = { .space = 0 };

	wm_trace_stream(compare->a.source.trace, pair->a[0], &stream);
	return stream.space;
}

/*
 * Finds the part of a side that its bounds select. The side is read once from its begin
 * to the last bound; without positions nothing is read.
 */
static int bound_half(const struct jobs *jobs, const struct pair *pair, struct half *half,
		      struct wm_error *err)
{
	const struct bounds *bounds = &jobs->compare->bounds[half->side];
	struct diff_part all = half->part;
	struct bounded bounded = { .is_log = half->is_log };
	int ret;

	if (!bounds->landing)
		return 0;
	all.from = 0;
	all.to = UINT64_MAX;
	if (half->is_log)
		bounded.log_space = space_of_log(jobs->compare, pair);
	ret = open_half(jobs, half, &all, true, &bounded.source, err);
	if (ret)
		return ret;
	ret = bounds_find(bounds, &bounded, &half->part, &half->reached, err);
	bounded.source->free(bounded.source);
	return ret;
}

/*
 * Bounds both sides of a pair. b_failed tells which file the error is about: A's when A
 * does not reach its bounds and B does.
 */
static int bound_pair(const struct jobs *jobs, unsigned index, struct half *a,
		      struct half *b, struct wm_error *err)
{
	const struct pair *pair = &jobs->compare->pairs.all[index];
	struct compared *compared = &jobs->compare->all[index];
	struct wm_error why_b;
	int ret = bound_half(jobs, pair, a, err);

	if (ret)
		return ret;
	ret = bound_half(jobs, pair, b, &why_b);
	compared->result.b_failed = ret || (a->reached && !b->reached);
	compared->left_out = !ret && !a->reached && !b->reached;
	if (compared->result.b_failed)
		*err = why_b;
	return ret					      ? ret :
	       compared->left_out || a->reached == b->reached ? 0 :
								WM_E_RANGE;
}

/*
 * Opens both sources of a pair. A pair that only one run has gets one source, for the
 * count of its instructions.
 */
static int open_pair(const struct jobs *jobs, unsigned index, struct half *halves,
		     struct diff_source **sources, struct wm_error *err)
{
	const struct pair *pair = &jobs->compare->pairs.all[index];
	struct compared *compared = &jobs->compare->all[index];
	int ret = 0;

	if (pair->n_a && pair->has_b)
		ret = bound_pair(jobs, index, &halves[DIFF_A], &halves[DIFF_B], err);
	if (ret || compared->left_out)
		return ret;
	for (unsigned side = DIFF_A; !ret && side <= DIFF_B; side++) {
		if (side == DIFF_B && !pair->has_b)
			continue;
		ret = open_half(jobs, &halves[side], &halves[side].part, false,
				&sources[side], err);
		compared->result.b_failed = ret && side == DIFF_B;
	}
	return ret;
}

/* Compares a pair that both sides have; its values, too, where both have them. */
static int diff_pair(const struct jobs *jobs, struct job *job, struct half *halves,
		     struct diff_source **sources, struct diff_options *options,
		     struct wm_error *err)
{
	struct compare *compare = jobs->compare;
	struct compared *compared = &compare->all[job->index];
	const struct diff_part parts[2] = { halves[DIFF_A].part, halves[DIFF_B].part };
	int ret = pair_values_open(&job->values, compare, &compare->pairs.all[job->index],
				   parts, jobs->programs[DIFF_A].lock, err);

	if (!ret && pair_values_any(&job->values))
		options->common = compare_values;
	if (!ret)
		ret = diff_run(sources[DIFF_A], sources[DIFF_B], &job->places, options,
			       &compared->result, err);
	compared->result.b_failed |= job->values.values.b_failed;
	pair_values_close(&job->values, job->room, &compared->values);
	return ret;
}

/*
 * `prefix` is for Spike's logs of a bare machine, which begin with its boot code: B may
 * then begin with instructions that A lacks. A log of user code, or a part that was
 * selected, begins where A does.
 */
static int run_pair(const struct jobs *jobs, struct job *job, struct wm_error *err)
{
	struct compare *compare = jobs->compare;
	const struct pair *pair = &compare->pairs.all[job->index];
	struct diff_result *result = &compare->all[job->index].result;
	struct half halves[2] = { half_of(compare, pair, DIFF_A),
				  half_of(compare, pair, DIFF_B) };
	struct diff_source *sources[2] = { NULL, NULL };
	struct diff_options options = {
		.window = compare->window,
		.hunk = keep_hunk,
		.progress = job->index ? NULL : show_progress,
		.cookie = job,
	};
	int ret = open_pair(jobs, job->index, halves, sources, err);

	options.prefix = compare->log == COMPARE_SPIKE && !compare->pclog->user &&
			 !halves[DIFF_B].part.from;
	if (!ret && sources[DIFF_A] && sources[DIFF_B] && pair->n_a)
		ret = diff_pair(jobs, job, halves, sources, &options, err);
	else if (!ret) /* one side only: count it */
		*result = (struct diff_result){
			.a_insns = sources[DIFF_A] ? sources[DIFF_A]->insns : 0,
			.b_insns = sources[DIFF_B] ? sources[DIFF_B]->insns : 0,
		};
	for (unsigned side = DIFF_A; side <= DIFF_B; side++)
		if (sources[side])
			sources[side]->free(sources[side]);
	return ret;
}

/*
 * The first pair is shown in detail and keeps compare->listed divergences; the others
 * keep one.
 */
static int make(void *cookie, uint64_t index, unsigned worker, struct wm_error *err)
{
	struct jobs *jobs = cookie;
	struct compared *to = &jobs->compare->all[index];
	struct job job = {
		.compare = jobs->compare,
		.index = (unsigned)index,
		.places = DIFF_PLACES_INIT,
		.room = index ? 1 : jobs->compare->listed,
	};
	int ret = run_pair(jobs, &job, err);

	(void)worker;
	diff_places_fini(&job.places);
	/* *err says why, in case that all pairs are left out. */
	if (to->left_out)
		to->err = malloc(sizeof(*to->err));
	if (to->err)
		*to->err = *err;
	return ret;
}

/* ---- all of them --------------------------------------------------------- */

/* One lock for each trace: its symbols are read from the files on first use. */
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
	jobs->addresses[side] = jobs->programs[side];
	jobs->addresses[side].modules = NULL;
}

/* The file that the error of a pair is about. */
static const char *faulty_file(const struct compare *compare, const struct compared *of)
{
	if (!of->result.b_failed)
		return compare->a.scope.file;
	return compare->log ? compare->log_file : compare->b.scope.file;
}

/*
 * When all pairs are left out, nothing was compared: that is an error, with the sentence
 * of the first pair.
 */
static int check_reached(struct compare *compare, struct wm_error *err)
{
	for (unsigned i = 0; i < compare->pairs.n; i++)
		if (!compare->all[i].left_out)
			return 0;
	if (!compare->pairs.n || !compare->all[0].err)
		return 0;
	compare->faulty = compare->a.scope.file;
	*err = *compare->all[0].err;
	return WM_E_RANGE;
}

int compare_run(struct compare *compare, struct wm_error *err)
{
	struct jobs jobs = { .compare = compare };
	struct schedule schedule = {
		.jobs = compare->pairs.n,
		.threads = compare->a.selection.threads,
		.run = make,
		.cookie = &jobs,
	};
	uint64_t failed;
	int ret;

	prepare(&jobs, DIFF_A, &compare->a);
	if (!compare->log)
		prepare(&jobs, DIFF_B, &compare->b);
	/* Of several pairs that fail, the one with the lowest index is reported. */
	ret = schedule_run(&schedule, &failed, err);
	pthread_mutex_destroy(&jobs.locks[DIFF_A]);
	if (!compare->log)
		pthread_mutex_destroy(&jobs.locks[DIFF_B]);
	if (!ret)
		return check_reached(compare, err);
	compare->faulty = faulty_file(compare, &compare->all[failed]);
	return ret;
}

/* A pair that was left out has no divergences and is the same. */
bool compared_is_same(const struct compared *compared, const struct pair *pair)
{
	return pair->n_a && pair->has_b && !compared->result.hunks &&
	       !compared->values.differ;
}

bool compare_is_same(const struct compare *compare)
{
	for (unsigned i = 0; i < compare->pairs.n; i++)
		if (!compared_is_same(&compare->all[i], &compare->pairs.all[i]))
			return false;
	return true;
}

/* ---- to open and close --------------------------------------------------- */

/*
 * QEMU's logs have two forms, which the first lines tell apart. A pipe cannot be read
 * twice and is taken to be of -d in_asm,exec.
 */
static int read_log(struct compare *compare, int fd, struct wm_error *err)
{
	if (compare->log == COMPARE_SPIKE)
		return pclog_read(&compare->pclog, PCLOG_SPIKE, fd, err);
	if (compare->log == COMPARE_EXECLOG)
		return pclog_read_of(&compare->pclog, PCLOG_EXECLOG,
				     wm_trace_meta(compare->a.source.trace, "guest-isa"),
				     fd, err);
	if (pclog_is_listing(fd))
		return pclog_read(&compare->pclog, PCLOG_QEMU, fd, err);
	return qemulog_read(&compare->qemulog, fd, err);
}

/* faulty is set first, so every error below is about the log. */
static int open_log(struct compare *compare, struct wm_error *err)
{
	bool is_stdin = !strcmp(compare->log_file, "-");
	int fd = is_stdin ? STDIN_FILENO : open(compare->log_file, O_RDONLY | O_CLOEXEC);
	int ret;

	compare->faulty = compare->log_file;
	if (fd < 0)
		return wm_fail_errno(err, "cannot open %s", compare->log_file);
	ret = read_log(compare, fd, err);
	if (!is_stdin)
		close(fd);
	return ret;
}

static int open_query(struct compare *compare, struct query *query,
		      const struct wm_trace *trace, bool *is_open, struct wm_error *err)
{
	int ret;

	compare->faulty = query->scope.file;
	ret = trace ? query_open_trace(query, trace, err) : query_open(query, err);
	*is_open = !ret;
	return ret;
}

/*
 * Looks up the positions of both sides. A log has no symbols, so its positions are looked
 * up in A's trace.
 */
static int open_bounds(struct compare *compare, struct wm_error *err)
{
	int ret;

	compare->faulty = compare->a.scope.file;
	ret = bounds_open(&compare->bounds[DIFF_A], &compare->a.source, err);
	if (ret)
		return ret;
	if (!compare->log)
		compare->faulty = compare->b.scope.file;
	return bounds_open(&compare->bounds[DIFF_B],
			   compare->log ? &compare->a.source : &compare->b.source, err);
}

/*
 * Process numbers differ from run to run, so a table is often for one of them: only a table
 * that neither takes is an error.
 */
static int add_tables(struct compare *compare, struct wm_error *err)
{
	int ret = 0;

	compare->faulty = compare->a.scope.file;
	for (unsigned i = 0; !ret && i < compare->n_tables; i++) {
		int of_b = WM_E_RANGE;

		ret = source_add_table(&compare->a.source, compare->tables[i], err);
		if (compare->b_open && (!ret || ret == WM_E_RANGE))
			of_b = source_add_table(&compare->b.source, compare->tables[i],
						ret ? NULL : err);
		if (ret == WM_E_RANGE || of_b != WM_E_RANGE)
			ret = of_b;
	}
	return ret;
}

static int pair_with_log(struct compare *compare, struct wm_error *err)
{
	const struct pclog *pclog = compare->pclog;
	const struct qemulog *qemulog = compare->qemulog;
	unsigned cpus = pclog ? pclog->cpus : qemulog->cpus;
	bool ran[LOGSPOOL_CPUS];

	for (unsigned cpu = 0; cpu < cpus; cpu++)
		ran[cpu] = pclog ? pclog_length(pclog, cpu) :
				   logspool_length(qemulog->spool, cpu);
	return pairs_of_log(&compare->pairs, &compare->a, ran, cpus, err);
}

static int open_with_log(struct compare *compare, struct wm_error *err)
{
	int ret =
		open_query(compare, &compare->a, compare->a_trace, &compare->a_open, err);

	/* The log's registers are those of A's guest. */
	if (!ret)
		ret = open_log(compare, err);
	return ret ? ret : pair_with_log(compare, err);
}

static int open_traces(struct compare *compare, struct wm_error *err)
{
	int ret =
		open_query(compare, &compare->a, compare->a_trace, &compare->a_open, err);

	if (!ret)
		ret = open_query(compare, &compare->b, NULL, &compare->b_open, err);
	if (!ret)
		ret = diff_modules_new(&compare->modules, compare->a.source.trace,
				       compare->b.source.trace, err);
	return ret ? ret :
		     pairs_of_traces(&compare->pairs, &compare->a, &compare->b, err);
}

/*
 * Everything that compare_close() frees is cleared first: a failure at any step closes
 * what is open so far.
 */
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
	if (!ret)
		ret = add_tables(compare, err);
	if (!ret)
		ret = open_bounds(compare, err);
	if (!ret) {
		compare->faulty = compare->a.scope.file;
		ret = leeway_open(&compare->leeway, &compare->a.source, err);
	}
	if (!ret) {
		compare->all =
			calloc((size_t)compare->pairs.n + 1, sizeof(*compare->all));
		ret = compare->all ? 0 : wm_fail_nomem(err, "threads");
	}
	if (ret)
		compare_close(compare);
	else
		pair_values_warn(compare);
	return ret;
}

void compare_close(struct compare *compare)
{
	for (unsigned i = 0; compare->all && i < compare->pairs.n; i++) {
		free(compare->all[i].hunks);
		free(compare->all[i].values.first);
		free(compare->all[i].err);
	}
	free(compare->all);
	pairs_fini(&compare->pairs);
	bounds_fini(&compare->bounds[DIFF_A]);
	bounds_fini(&compare->bounds[DIFF_B]);
	diff_modules_free(compare->modules);
	leeway_fini(&compare->leeway);
	if (compare->a_open)
		query_close(&compare->a);
	if (compare->b_open)
		query_close(&compare->b);
	pclog_free(compare->pclog);
	qemulog_free(compare->qemulog);
}

static struct diff_half half_of_table(const struct query *query, bool inlined)
{
	return (struct diff_half){
		.trace = query->source.trace,
		.symbols = query->source.symbols,
		.functions = query->functions,
		.lines = query->lines,
		.selection = &query->selection,
		.inlined = inlined,
	};
}

void compare_halves(const struct compare *compare, bool inlined,
		    struct diff_half halves[2])
{
	halves[DIFF_A] = half_of_table(&compare->a, inlined);
	halves[DIFF_B] = half_of_table(&compare->b, inlined);
}
