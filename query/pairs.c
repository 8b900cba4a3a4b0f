// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which threads are compared. Numbers of threads depend on who was scheduled first, so
 * they pair nothing. Both sides are sorted by (process, name, how many of that name came
 * before), then merged like two sorted files:
 *
 *	A: worker 0, worker 1     B: main 0, worker 0
 *	-> main with nothing, worker 0 with worker 0, worker 1 with nothing
 *
 * When one thread or process was asked for on each side, the order alone pairs them.
 */
#include "query/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"

/* A thread, and what pairs it. */
struct member {
	uint32_t process; /* counted from the first one, when one was chosen */
	const char *name;
	unsigned nth;	/* of that process and name */
	unsigned index; /* of the stream */
};

/* The order of pairing: equal keys on both sides are a pair. */
/* Also the order in which list() numbers equal names. */
static int by_key(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	order = strcmp(x->name, y->name);
	if (order)
		return order;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

/*
 * Lists the threads that a query selects, sorted by key; NULL when there is no memory.
 * With by_order all names are equal, so that only the order pairs them.
 */
static struct member *list(const struct query *query, bool by_order)
{
	const struct selection *selection = &query->selection;
	struct member *members = calloc((size_t)selection->n + 1, sizeof(*members));
	uint32_t first = UINT32_MAX;

	for (unsigned i = 0; members && i < selection->n; i++) {
		struct wm_stream stream = { .name = "" };

		wm_trace_stream(query->source.trace, selection->streams[i], &stream);
		if (stream.space < first)
			first = stream.space;
		/*
		 * nth is first the number in the stream order, which keeps the sort
		 * stable, and then the number among equal names.
		 */
		members[i] = (struct member){ stream.space, by_order ? "" : stream.name,
					      i, selection->streams[i] };
	}
	if (!members)
		return NULL;
	qsort(members, selection->n, sizeof(*members), by_key);
	for (unsigned i = 0; i < selection->n; i++) {
		struct member *member = &members[i];
		bool same = i && member->process == member[-1].process &&
			    !strcmp(member->name, member[-1].name);

		member->nth = same ? member[-1].nth + 1 : 0;
	}
	/*
	 * A process that was selected pairs with that of the other side, whatever their
	 * numbers are: both count from 0.
	 */
	for (unsigned i = 0; query->scope.process && i < selection->n; i++)
		members[i].process -= first;
	return members;
}

/* Either side may be NULL: the thread exists in one run only. */
static bool add(struct pairs *pairs, const struct member *a, const struct member *b)
{
	struct pair pair = { .has_b = b, .b = b ? b->index : 0 };

	if (a && !APPEND(pair.a, pair.n_a, a->index))
		return false;
	if (APPEND(pairs->all, pairs->n, pair))
		return true;
	free(pair.a);
	return false;
}

/* Merges two sorted lists: of different keys the smaller one has no partner. */
static bool put_together(struct pairs *pairs, const struct member *a, unsigned n_a,
			 const struct member *b, unsigned n_b)
{
	bool good = true;

	while (good && (n_a || n_b)) {
		int order = !n_a ? 1 : !n_b ? -1 : by_key(a, b);

		good = add(pairs, order <= 0 ? a : NULL, order >= 0 ? b : NULL);
		if (order <= 0)
			a++, n_a--;
		if (order >= 0)
			b++, n_b--;
	}
	return good;
}

/* The order of output: by A's thread, then what is only in B. */
static int by_thread(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (!x->n_a != !y->n_a)
		return x->n_a ? -1 : 1;
	if (x->n_a && x->a[0] != y->a[0])
		return x->a[0] < y->a[0] ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

int pairs_of_traces(struct pairs *pairs, const struct query *a, const struct query *b,
		    struct wm_error *err)
{
	bool by_order = a->scope.thread;
	struct member *of_a = list(a, by_order), *of_b = list(b, by_order);
	bool good;

	*pairs = (struct pairs){ .n = 0 };
	good = of_a && of_b &&
	       put_together(pairs, of_a, a->selection.n, of_b, b->selection.n);
	free(of_a);
	free(of_b);
	if (!good) {
		pairs_fini(pairs);
		return wm_fail_nomem(err, "threads");
	}
	qsort(pairs->all, pairs->n, sizeof(*pairs->all), by_thread);
	return 0;
}

/* ---- with a log ---------------------------------------------------------- */

/*
 * Adds the threads that a vCPU executed. Streams are numbered in the order in which they
 * began, so those of one vCPU follow each other in time.
 */
static bool add_cpu(struct pairs *pairs, const struct wm_trace *trace, uint32_t process,
		    unsigned cpu, unsigned cpus)
{
	struct pair pair = { .has_b = cpu < cpus, .b = cpu };
	struct wm_stream stream;

	for (unsigned i = 0; wm_trace_stream(trace, i, &stream) == 0; i++)
		if (stream.space == process && stream.vcpu == cpu &&
		    !APPEND(pair.a, pair.n_a, i)) {
			free(pair.a);
			return false;
		}
	if (APPEND(pairs->all, pairs->n, pair))
		return true;
	free(pair.a);
	return false;
}

static bool has_cpu(const struct pairs *pairs, unsigned cpu)
{
	for (unsigned i = 0; i < pairs->n; i++)
		if (pairs->all[i].b == cpu)
			return true;
	return false;
}

/*
 * A log of QEMU or Spike numbers CPUs from 0; in user mode each guest thread is a CPU,
 * which the next thread reuses.
 */
int pairs_of_log(struct pairs *pairs, const struct query *a, const bool *ran,
		 unsigned cpus, struct wm_error *err)
{
	const struct wm_trace *trace = a->source.trace;
	struct wm_stream first = { .space = 0 }, stream;
	bool good = true;

	*pairs = (struct pairs){ .n = 0 };
	wm_trace_stream(trace, a->selection.streams[0], &first);
	for (unsigned i = 0; good && i < a->selection.n; i++)
		if (!wm_trace_stream(trace, a->selection.streams[i], &stream) &&
		    stream.space == first.space && !has_cpu(pairs, stream.vcpu))
			good = add_cpu(pairs, trace, first.space, stream.vcpu, cpus);
	/*
	 * CPUs that only the log has. With --thread they are not asked for. One that ran
	 * nothing is only a number that was passed over, or a hart that stayed in its kernel.
	 */
	for (unsigned cpu = 0; good && !a->scope.thread && cpu < cpus; cpu++)
		if (ran[cpu] && !has_cpu(pairs, cpu))
			good = add_cpu(pairs, trace, first.space, cpu, cpus);
	if (good)
		return 0;
	pairs_fini(pairs);
	return wm_fail_nomem(err, "threads");
}

void pairs_fini(struct pairs *pairs)
{
	for (unsigned i = 0; i < pairs->n; i++)
		free(pairs->all[i].a);
	free(pairs->all);
	*pairs = (struct pairs){ .n = 0 };
}
