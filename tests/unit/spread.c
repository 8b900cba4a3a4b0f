// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spread TRACE...: asks every analysis' question in several processes at once, each of which
 * computes its share of the segments, and writes it to a file as bytes. Every process reads
 * all shards and merges them, in a grouping of its own: from the left, from the right, as a
 * tree. The merged bytes must be those of one process that did all of it with one thread, and
 * the answers those of threads in one process.
 *
 * The processes agree as programs under MPI would: all of them ask the same, and the runner of
 * their selections exchanges the shards. So an analysis with a second pass, as trips is of
 * edges, needs nothing of its own.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/bpred/bpred.h"
#include "analysis/cache/profile.h"
#include "analysis/calls/calls.h"
#include "analysis/cfg/trips.h"
#include "analysis/counts.h"
#include "analysis/gaps.h"
#include "analysis/mix/mix.h"
#include "analysis/phases/bbv.h"
#include "analysis/shard.h"
#include "base/error.h"
#include "report/report.h"

enum { TIMEOUT = 300, CONTEXTS = 50, PROCESSES_MAX = 7 };

#define MUST(condition)                                                                \
	do {                                                                           \
		if (!(condition)) {                                                    \
			fprintf(stderr, "spread: %s:%d: %s: %s\n", __FILE__, __LINE__, \
				#condition, err.text);                                 \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

static struct wm_error err;

/* One of the processes that work together. */
struct member {
	struct runner runner;
	unsigned index, n;
	unsigned round; /* analyses run so far */
	pthread_barrier_t *barrier;
};

/* ---- shards -------------------------------------------------------------- */

static void write_shard(const struct member *member, const struct buf *shard)
{
	char name[64];
	FILE *file;

	snprintf(name, sizeof(name), "shard.%u.%u", member->round, member->index);
	file = fopen(name, "w");
	MUST(file && fwrite(shard->data, 1, shard->len, file) == shard->len);
	MUST(!fclose(file));
}

static struct buf read_shard(const struct member *member, unsigned index)
{
	struct buf shard = BUF_INIT;
	struct stat stat;
	char name[64];
	FILE *file;

	snprintf(name, sizeof(name), "shard.%u.%u", member->round, index);
	file = fopen(name, "r");
	MUST(file && !fstat(fileno(file), &stat));
	MUST(buf_reserve(&shard, (size_t)stat.st_size));
	shard.len = fread(shard.data, 1, (size_t)stat.st_size, file);
	fclose(file);
	return shard;
}

static struct span whole(const struct buf *buf)
{
	return span_of(buf->data, buf->len);
}

/* The merge of both, which are no more. */
static struct buf merge(const struct shard_question *question, struct buf a, struct buf b)
{
	struct buf merged = BUF_INIT;

	MUST(!shard_merge(question, whole(&a), whole(&b), &merged, &err));
	buf_fini(&a);
	buf_fini(&b);
	return merged;
}

/* Groupings: from the left, from the right, in halves, and from the right in the wrong order. */
static struct buf merge_all(const struct shard_question *question, struct buf *shards,
			    unsigned n, unsigned grouping)
{
	struct buf merged = shards[0];

	if (n > 1 && grouping == 2)
		return merge(question, merge_all(question, shards, n / 2, 2),
			     merge_all(question, shards + n / 2, n - n / 2, 2));
	if (n > 1 && grouping)
		return merge(question,
			     grouping == 3 ? merge_all(question, shards + 1, n - 1, 3) :
					     shards[0],
			     grouping == 3 ? shards[0] :
					     merge_all(question, shards + 1, n - 1, 1));
	for (unsigned i = 1; i < n; i++)
		merged = merge(question, merged, shards[i]);
	return merged;
}

static void compare(const struct shard_question *question, const struct buf *merged)
{
	struct selection selection = *question->selection;
	struct shard_question alone = *question;
	struct buf one = BUF_INIT;

	selection.threads = 1;
	alone.selection = &selection;
	MUST(!shard_make(&alone, 0, question->segments->n, &one, &err));
	snprintf(err.text, sizeof(err.text), "%s: %zu bytes, merged %zu",
		 question->analysis->name, one.len, merged->len);
	MUST(one.len == merged->len && !memcmp(one.data, merged->data, one.len));
	buf_fini(&one);
}

static int run(const struct runner *runner, const struct analysis *analysis, void *setup,
	       const struct wm_trace *trace, const struct selection *selection,
	       const struct segments *segments, struct wm_error *error)
{
	struct member *member = (struct member *)runner;
	struct shard_question question = { analysis, setup, trace, selection, segments };
	size_t n = segments->n;
	struct buf mine = BUF_INIT, shards[PROCESSES_MAX], merged;
	int ret;

	MUST(!shard_make(&question, n * member->index / member->n,
			 n * (member->index + 1) / member->n, &mine, &err));
	write_shard(member, &mine);
	pthread_barrier_wait(member->barrier);
	for (unsigned i = 0; i < member->n; i++)
		shards[i] = read_shard(member, i);
	merged = merge_all(&question, shards, member->n,
			   (member->index + member->round) % 4);
	compare(&question, &merged);
	ret = shard_finish(&question, whole(&merged), error);
	member->round++;
	buf_fini(&mine);
	buf_fini(&merged);
	return ret;
}

/* ---- questions ----------------------------------------------------------- */

struct subject {
	struct wm_trace *trace;
	struct symbols *symbols;
	struct functions *functions;
	struct srclines *lines;
	struct selection selection;
	uint64_t insns; /* of the first stream */
	FILE *out;
};

static void tell_counts(struct subject *subject)
{
	struct counts counts;

	MUST(!counts_gather(&counts, subject->trace, &subject->selection, &err));
	for (size_t i = 0; i < counts.n_rows; i++)
		fprintf(subject->out, "%u %" PRIu64 "\n", counts.rows[i].id,
			counts.rows[i].count);
	for (size_t i = 0; i < counts.n_parts; i++)
		fprintf(subject->out, "%u %u-%u %u %" PRIu64 "\n", counts.parts[i].id,
			counts.parts[i].begin, counts.parts[i].end,
			counts.parts[i].uncertain, counts.parts[i].count);
	fprintf(subject->out, "%" PRIu64 " %" PRIu64 "\n", counts.insns, counts.blocks);
	counts_fini(&counts);
}

static void tell_trips(struct subject *subject, const struct cfg *cfg,
		       const struct edges *edges)
{
	struct loops loops;
	struct trips *trips;

	MUST(!loops_find(&loops, cfg, subject->functions, &err));
	trips = calloc((size_t)loops.n + 1, sizeof(*trips));
	MUST(!trips_find(trips, &loops, cfg, edges, subject->functions, subject->trace,
			 &subject->selection, &err));
	for (uint32_t i = 0; i < loops.n; i++)
		fprintf(subject->out, "loop %u: %d %" PRIu64 " %" PRIu64 "\n",
			loops.loops[i].header, trips[i].known, trips[i].least,
			trips[i].most);
	free(trips);
	loops_fini(&loops);
}

static void tell_graph(struct subject *subject)
{
	struct edges edges;
	struct cfg cfg;

	MUST(!edges_gather(&edges, subject->trace, &subject->selection, &err));
	for (size_t i = 0; i < edges.n; i++)
		fprintf(subject->out, "%u->%u %u %" PRIu64 "\n", edges.edges[i].from,
			edges.edges[i].to, edges.edges[i].left, edges.edges[i].count);
	for (size_t i = 0; i < edges.n_starts; i++)
		fprintf(subject->out, "start %u %u\n", edges.starts[i].id,
			edges.starts[i].index);
	for (size_t i = 0; i < edges.n_stops; i++)
		fprintf(subject->out, "stop %u %u\n", edges.stops[i].id,
			edges.stops[i].index);
	if (!cfg_build(&cfg, subject->trace, &edges, subject->functions, &err))
		tell_trips(subject, &cfg, &edges);
	cfg_fini(&cfg);
	edges_fini(&edges);
}

static void tell_calls(struct subject *subject, uint32_t most_contexts)
{
	struct calls calls;

	if (calls_gather(&calls, subject->trace, subject->functions, &subject->selection,
			 most_contexts, &err)) {
		fprintf(subject->out, "%s\n", err.text);
		return;
	}
	for (uint32_t i = 0; i < calls.n_functions; i++)
		fprintf(subject->out, "%u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			calls.functions[i].entity, calls.functions[i].self_insns,
			calls.functions[i].total_insns, calls.functions[i].calls);
	fprintf(subject->out, "%u arcs, %u contexts\n", calls.arcs.n, calls.contexts.n);
	calls_fini(&calls);
}

static void tell_mix(struct subject *subject)
{
	struct mix_ask ask = { .per = MIX_INTERVAL, .interval = 5003 };
	struct mix mix;

	MUST(!kinds_new(&ask.kinds, subject->trace, KINDS_SIZE, &err));
	MUST(!mix_gather(&mix, subject->trace, &subject->selection, &ask, &err));
	for (size_t i = 0; i < mix.n_rows; i++)
		fprintf(subject->out, "%u %u %" PRIu64 "\n", mix.rows[i].group,
			mix.rows[i].kind, mix.rows[i].sums.insns);
	mix_fini(&mix);
	kinds_free(ask.kinds);
}

static int put_piece(void *cookie, uint64_t piece, const struct bbv *bbv,
		     struct wm_error *error)
{
	struct subject *subject = cookie;

	(void)error;
	for (size_t i = 0; i < bbv->n; i++)
		fprintf(subject->out, "%" PRIu64 ": %u %" PRIu64 "\n", piece, bbv->ids[i],
			bbv->insns[i]);
	return 0;
}

static void tell_vectors(struct subject *subject)
{
	const struct bbv_cut cut = { .interval = 7001, .pieces = 3 };
	struct selection selection = subject->selection;

	selection.n = 1;
	MUST(!bbv_walk(subject->trace, &selection, &cut, put_piece, subject, &err));
}

static void tell_branches(struct subject *subject)
{
	struct bpred_spec spec;
	struct bpred bpred;

	bpred_spec_init(&spec);
	MUST(!bpred_gather(&bpred, subject->trace, &subject->selection, &spec, &err));
	for (size_t i = 0; i < bpred.n; i++)
		fprintf(subject->out, "%u %u: %" PRIu64 " %" PRIu64 "\n",
			bpred.branches[i].space, bpred.branches[i].id,
			bpred.branches[i].tally.executions,
			bpred.branches[i].tally.missed);
	bpred_fini(&bpred);
}

/* In intervals, too. A trace without accesses has no answer. */
static void tell_caches(struct subject *subject)
{
	struct cache_profile profile;
	struct cache_spec spec;

	cache_spec_init(&spec);
	MUST(!cache_parse_level(&spec.levels[CACHE_L1D], CACHE_L1D, "1k,2,32", &err));
	MUST(!cache_parse_level(&spec.levels[CACHE_L1I], CACHE_L1I, "1k,2,32", &err));
	MUST(!cache_parse_level(&spec.levels[CACHE_L2], CACHE_L2, "4k,4,64", &err));
	if (cache_profile_gather(&profile, subject->trace, &subject->selection, &spec,
				 9001, NULL, &err)) {
		fprintf(subject->out, "%s\n", err.text);
		return;
	}
	for (size_t i = 0; i < profile.n; i++)
		fprintf(subject->out, "%u %u %u: %" PRIu64 " %" PRIu64 "\n",
			profile.sites[i].space, profile.sites[i].id,
			profile.sites[i].insn,
			profile.sites[i].tally.accesses[CACHE_LOAD],
			profile.sites[i].tally.misses[CACHE_SECOND][CACHE_STORE]);
	for (size_t i = 0; i < profile.n_intervals; i++)
		fprintf(subject->out, "%" PRIu64 ": %" PRIu64 "\n",
			profile.intervals[i].from,
			profile.intervals[i].tally.misses[CACHE_FIRST][CACHE_LOAD]);
	cache_profile_fini(&profile);
}

static void tell_gaps(struct subject *subject)
{
	struct gaps gaps;

	MUST(!gaps_count(&gaps, subject->trace, &err));
	fprintf(subject->out, "%u gap ids, %" PRIu64 " gaps\n", gaps.ids, gaps.all);
	gaps_fini(&gaps);
}

static void tell_report(struct subject *subject)
{
	struct report_ask ask = { .trace = subject->trace,
				  .selection = &subject->selection,
				  .symbols = subject->symbols,
				  .functions = subject->functions,
				  .lines = subject->lines,
				  .seconds = -1 };

	if (report_is_built())
		MUST(!report_write(&ask, subject->out, &err));
}

static void open_trace(struct subject *subject, const char *path, unsigned *streams)
{
	struct wm_summary summary;
	struct wm_stream stream;

	MUST(!wm_trace_open(&subject->trace, path, &err));
	MUST(!symbols_new(&subject->symbols, subject->trace, &err));
	MUST(!functions_new(&subject->functions, subject->symbols, &err));
	MUST(!srclines_new(&subject->lines, subject->symbols, &err));
	wm_trace_summary(subject->trace, &summary);
	subject->selection.streams = streams;
	for (unsigned i = 0; i < summary.streams && i < 1024; i++)
		streams[subject->selection.n++] = i;
	if (!wm_trace_stream(subject->trace, 0, &stream))
		subject->insns = stream.insns;
	subject->selection.to = UINT64_MAX;
	subject->selection.part_blocks = 1;
}

/* All answers of a trace, whole and of a part of each thread, as text. */
static void answer(const char *path, const struct runner *runner, const char *to)
{
	struct subject subject = { .selection.runner = runner };
	unsigned streams[1024];

	open_trace(&subject, path, streams);
	subject.out = fopen(to, "w");
	MUST(subject.out);
	subject.selection.threads = runner ? 1 : 2;
	tell_report(&subject);
	tell_vectors(&subject);
	tell_branches(&subject);
	tell_caches(&subject);
	for (unsigned i = 0; i < 2; i++) {
		tell_counts(&subject);
		tell_graph(&subject);
		tell_calls(&subject, 0);
		tell_calls(&subject, CONTEXTS);
		tell_mix(&subject);
		subject.selection.from = subject.insns / 5;
		subject.selection.to = subject.insns - subject.insns / 7;
	}
	/* Has no selection of its own: it runs in this process alone. */
	tell_gaps(&subject);
	MUST(!fclose(subject.out));
	srclines_free(subject.lines);
	functions_free(subject.functions);
	symbols_free(subject.symbols);
	wm_trace_close(subject.trace);
}

/* ---- processes ----------------------------------------------------------- */

static pthread_barrier_t *new_barrier(unsigned n)
{
	pthread_barrier_t *barrier = mmap(NULL, sizeof(*barrier), PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t shared;

	MUST(barrier != MAP_FAILED);
	pthread_barrierattr_init(&shared);
	pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	MUST(!pthread_barrier_init(barrier, &shared, n));
	return barrier;
}

static void be_member(const char *path, unsigned index, unsigned n,
		      pthread_barrier_t *barrier)
{
	struct member member = { { run }, index, n, 0, barrier };
	char to[64];

	alarm(TIMEOUT); /* another one may have failed */
	snprintf(to, sizeof(to), "answer.%u", index);
	answer(path, &member.runner, to);
	exit(0);
}

static void must_be_same(const char *path, unsigned index, unsigned n)
{
	char command[128];

	snprintf(command, sizeof(command), "cmp answer.one answer.%u", index);
	snprintf(err.text, sizeof(err.text), "%s: process %u of %u", path, index, n);
	MUST(!system(command));
}

static void spread(const char *path, unsigned n)
{
	pthread_barrier_t *barrier = new_barrier(n);
	int status;

	for (unsigned i = 0; i < n; i++)
		if (!fork())
			be_member(path, i, n, barrier);
	for (unsigned i = 0; i < n; i++)
		MUST(wait(&status) > 0 && !status);
	for (unsigned i = 0; i < n; i++)
		must_be_same(path, i, n);
	munmap(barrier, sizeof(*barrier));
}

int main(int argc, char **argv)
{
	static const unsigned processes[] = { 1, 2, 3, PROCESSES_MAX };

	for (int i = 1; i < argc; i++) {
		answer(argv[i], NULL, "answer.one");
		for (size_t k = 0; k < sizeof(processes) / sizeof(*processes); k++)
			spread(argv[i], processes[k]);
	}
	return 0;
}
