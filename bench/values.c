// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures the codec of values on a trace with accesses: decodes those of all threads, and
 * encodes them again. Prints, as JSON, million accesses a second of one core's CPU time:
 *	decode_maccesses	from a chunk's strings to accesses, without the path
 *	encode_maccesses	from words to a chunk's strings, by the collector's own code,
 *				without compressing these
 *
 * The words that the guest had stored are made again: of each access in the lane the address,
 * and data where they were recorded. Blocks that did not do their program exactly are left out
 * of both the words and the ids. Words are gathered and then timed together, because decoding
 * between two calls would evict the encoder's data from the caches. Decoding is the difference
 * of two walks, with values and without.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "format/values_encode.h"
#include "trace/cursor.h"
#include "trace/trace.h"

/*
 * GATHERED: words and ids that are timed together. TAKEN: ids of one call, as of a segment. PART:
 * blocks that are decoded together, so that their accesses stay in a cache.
 */
enum { GATHERED = 1 << 21, TAKEN = 4096, PART = 96 };

struct stopwatch {
	const struct wm_trace *trace;
	struct values_encoder *encoder;
	uint64_t *words; /* [n_words] of blocks ids[n_ids] */
	uint32_t *ids;
	size_t n_words, n_ids;
	uint64_t accesses, encoded; /* what was decoded, and encoded again */
	uint64_t decode_ns, encode_ns;
};

static _Noreturn void die(const char *what, const struct wm_error *err)
{
	fprintf(stderr, "waymark-values: %s: %s\n", what, err->text);
	exit(2);
}

static _Noreturn void die_nomem(void)
{
	die("values", &(struct wm_error){ .text = "out of memory" });
}

/* ---- encoding ------------------------------------------------------------ */

static void encode_some(struct stopwatch *watch, const uint32_t *ids, size_t n,
			struct value_words *words)
{
	struct values_strings strings;

	if (values_encoder_take(watch->encoder, ids, n, words))
		die("encoding", &(struct wm_error){ .text = "the words do not fit" });
	if (!values_encoder_full(watch->encoder))
		return;
	values_encoder_finish(watch->encoder, &strings);
	values_encoder_reset(watch->encoder);
}

/* Encodes what was gathered. */
static void encode(struct stopwatch *watch)
{
	struct value_words words = { .ring = watch->words,
				     .mask = GATHERED - 1,
				     .end = watch->n_words };
	uint64_t begin = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

	for (size_t at = 0; at < watch->n_ids; at += TAKEN)
		encode_some(watch, watch->ids + at,
			    watch->n_ids - at < TAKEN ? watch->n_ids - at : TAKEN,
			    &words);
	watch->encode_ns += clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	watch->n_words = watch->n_ids = 0;
}

/* ---- words --------------------------------------------------------------- */

/* Whether accesses all[n] of a block are those of its program, one after the other. */
static bool is_plain(const struct value_programs *programs, uint32_t id,
		     const struct wm_access *all, size_t n)
{
	const struct value_program *program = &programs->of[id];
	const struct value_step *step = programs->steps + program->first;

	if (n != program->accesses)
		return false;
	for (uint32_t i = 0; i < program->count; i++, step++)
		if (step->kind >= OP_LOAD &&
		    (step->insn != all->insn || (all++)->kind > WM_ACCESS_STORE))
			return false;
	return true;
}

static void gather_block(struct stopwatch *watch, uint32_t id,
			 const struct wm_access *access, size_t n)
{
	const struct value_programs *programs = watch->trace->programs;
	const struct value_program *program = &programs->of[id];
	const struct value_step *step = programs->steps + program->first;
	uint64_t *to = watch->words + watch->n_words;

	if (!is_plain(programs, id, access, n))
		return;
	for (uint32_t i = 0; i < program->count; i++, step++) {
		if (step->kind < OP_LOAD)
			continue;
		if (step->in_lane)
			*to++ = access->address;
		for (unsigned k = 0; access->has_data && k < value_data_words(step->size);
		     k++)
			*to++ = access->data[k];
		access++;
	}
	watch->n_words = (size_t)(to - watch->words);
	watch->ids[watch->n_ids++] = id;
	watch->encoded += n;
	/* No block has more words than this. */
	if (watch->n_words > GATHERED - 4 * BLOCK_INSNS_MAX || watch->n_ids == GATHERED)
		encode(watch);
}

static void gather(struct stopwatch *watch, const uint32_t *ids, size_t n,
		   const struct wm_access *all, size_t count)
{
	size_t at = 0, end;

	/* Programs are read when the first values are. */
	if (!watch->encoder)
		watch->encoder = values_encoder_new(watch->trace->programs);
	if (!watch->encoder)
		die_nomem();
	for (size_t i = 0; i < n; i++, at = end) {
		for (end = at; end < count && all[end].block == i;)
			end++;
		gather_block(watch, ids[i], all + at, end - at);
	}
}

/* ---- a trace ------------------------------------------------------------- */

/* What a walk over a thread does with each part of a run. */
enum walk { WALK_PATH, WALK_DECODE, WALK_ENCODE };

/* Blocks [from, from + n) of the run that the cursor is at. */
static int walk_part(struct stopwatch *watch, enum walk walk, struct wm_cursor *cursor,
		     const uint32_t *ids, uint32_t from, uint32_t n, struct wm_error *err)
{
	const struct wm_access *all;
	size_t count;
	int ret = cursor_part_accesses(cursor, from, n, &all, &count, err);

	if (ret)
		return ret;
	if (walk == WALK_ENCODE)
		gather(watch, ids + from, n, all, count);
	else
		watch->accesses += count;
	return 0;
}

static int walk_run(struct stopwatch *watch, enum walk walk, struct wm_cursor *cursor,
		    const uint32_t *ids, size_t n, struct wm_error *err)
{
	int ret = 0;

	for (size_t at = 0; !ret && walk != WALK_PATH && at < n; at += PART)
		ret = walk_part(watch, walk, cursor, ids, (uint32_t)at,
				n - at < PART ? (uint32_t)(n - at) : PART, err);
	/* Of this part of the thread there are none. */
	return ret == WM_END ? 0 : ret;
}

/* The nanoseconds that it took. */
static uint64_t walk_stream(struct stopwatch *watch, enum walk walk, unsigned stream)
{
	uint64_t begin = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	struct wm_cursor *cursor;
	const uint32_t *ids;
	struct wm_error err;
	struct wm_step step;
	size_t n;
	int ret = wm_cursor_new(&cursor, watch->trace, stream, &err);

	if (ret)
		die("decoding", &err);
	while (!ret) {
		ret = wm_cursor_next_run(cursor, &ids, &n, &step, &err);
		if (!ret)
			ret = walk_run(watch, walk, cursor, ids, n, &err);
	}
	if (ret != WM_END)
		die("decoding", &err);
	wm_cursor_free(cursor);
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static void run_stream(struct stopwatch *watch, unsigned stream)
{
	uint64_t path_ns = walk_stream(watch, WALK_PATH, stream);
	uint64_t all_ns = walk_stream(watch, WALK_DECODE, stream);

	watch->decode_ns += all_ns > path_ns ? all_ns - path_ns : 0;
	walk_stream(watch, WALK_ENCODE, stream);
	encode(watch);
}

static void watch_init(struct stopwatch *watch, const struct wm_trace *trace)
{
	*watch = (struct stopwatch){ .trace = trace };
	watch->words = malloc(GATHERED * sizeof(*watch->words));
	watch->ids = malloc(GATHERED * sizeof(*watch->ids));
	if (!watch->words || !watch->ids)
		die_nomem();
}

static void watch_fini(struct stopwatch *watch)
{
	values_encoder_free(watch->encoder);
	free(watch->words);
	free(watch->ids);
}

/* Million a second; 0: nothing was done. */
static double speed(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * 1e3 / (double)ns : 0;
}

int main(int argc, char **argv)
{
	struct wm_summary summary;
	struct stopwatch watch;
	struct wm_trace *trace;
	struct wm_error err;

	if (argc != 2) {
		fputs("usage: waymark-values TRACE\n", stderr);
		return 2;
	}
	if (wm_trace_open(&trace, argv[1], &err))
		die(argv[1], &err);
	watch_init(&watch, trace);
	wm_trace_summary(trace, &summary);
	for (unsigned i = 0; i < summary.streams; i++)
		run_stream(&watch, i);
	printf("{ \"decode_maccesses\": %.1f, \"encode_maccesses\": %.1f }\n",
	       speed(watch.accesses, watch.decode_ns),
	       speed(watch.encoded, watch.encode_ns));
	watch_fini(&watch);
	wm_trace_close(trace);
	return 0;
}
