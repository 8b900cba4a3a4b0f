// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/edges, atoms, cfg and trips, compared with stepping instruction by instruction: blocks
 * that overlap, are left early and interrupted by signals, in several processes and
 * threads; for any range, number of threads and cutting into parts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cfg/trips.h"
#include "format/records.h"
#include "sample.h"

enum { PROCESSES = 2, STREAMS = 3, INSNS = 60, BLOCKS = 40, GAP, BASE = 0x10000 };

static const char *const path = "cfg.wmk";
static struct sample sample;
static struct wm_trace *trace;
static struct symbols *symbols;

/* One code for all blocks: instructions by their addresses. */
static uint8_t code[4 * INSNS];
static uint32_t at[INSNS + 1];

/* ---- a trace ------------------------------------------------------------- */

static void make_code(uint64_t *seed)
{
	static const uint32_t words[] = {
		0x00000013, 0x0001, 0x0505, 0xc111, 0x00b50463,
		0x004000ef, 0x8082, 0xfbfd, 0x8782, 0x8782,
	};

	for (unsigned i = 0; i < INSNS; i++) {
		uint32_t word = words[sample_random(seed) % 10];
		uint32_t size = (word & 3) == 3 ? 4 : 2;

		memcpy(code + at[i], &word, size);
		at[i + 1] = at[i] + size;
	}
}

static void make_blocks(uint64_t *seed)
{
	for (unsigned i = 0; i < BLOCKS; i++) {
		uint32_t first = sample_random(seed) % (INSNS - 9);
		uint32_t end = first + 1 + sample_random(seed) % 8;

		sample_code(&sample, BASE + at[first], code + at[first],
			    at[end] - at[first]);
	}
}

static void write_chunk(uint32_t stream, size_t n, uint64_t *seed)
{
	uint32_t ids[400];

	for (size_t i = 0; i < n; i++) {
		ids[i] = sample_random(seed) % 3 ? 1 + (uint32_t)i % 5 :
						   1 + sample_random(seed) % GAP;
		if (i && sample_random(seed) % 3 == 0)
			ids[i] = ids[i - 1];
		if (sample_random(seed) % 11 == 0) /* with all its fields */
			sample_event(&sample, i,
				     sample_random(seed) % 2 ? WM_EVENT_SIGNAL : 99,
				     "\1\1\1\1\1\1");
		if (sample.insns_of[ids[i]] > 1 && sample_random(seed) % 13 == 0)
			sample_partial(&sample, (uint32_t)i, ids[i],
				       1 + sample_random(seed) %
						       (sample.insns_of[ids[i]] - 1u),
				       0);
	}
	sample_chunk(&sample, stream, ids, n);
}

static void put_process(void)
{
	struct space_record process = { 1, 43,	      0, 4901, (char *)"/bin/guest",
					0, SPACE_NONE };
	struct buf payload = BUF_INIT;

	space_put(&payload, &process);
	sample_put(&sample, SECTION_PROC, payload.data, payload.len);
	buf_fini(&payload);
}

static void put_stream(uint32_t process)
{
	uint32_t index = sample_stream(&sample);
	struct stream_record stream = { index,	    process,	index, 0,
					42 + index, (char *)"", 0 };
	struct buf payload = BUF_INIT;

	stream_put(&payload, &stream);
	sample_put(&sample, SECTION_STRM, payload.data, payload.len);
	buf_fini(&payload);
}

static int set_up(void **state)
{
	uint64_t seed = 5;
	struct wm_error err;

	(void)state;
	make_code(&seed);
	sample_open(&sample, path);
	put_process();
	make_blocks(&seed);
	assert_int_equal(sample_gap(&sample), GAP);
	for (unsigned i = 0; i < STREAMS; i++)
		put_stream(i == 2);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned j = 0; j < STREAMS; j++)
			write_chunk(j, 1 + sample_random(&seed) % (i % 2 ? 300 : 3),
				    &seed);
	sample_close(&sample, false);
	return wm_trace_open(&trace, path, &err) || symbols_new(&symbols, trace, &err);
}

static int tear_down(void **state)
{
	(void)state;
	symbols_free(symbols);
	wm_trace_close(trace);
	return 0;
}

/* ---- the other way ------------------------------------------------------- */

/* By process, instruction; pairs by from, to, whether interrupted. */
struct naive {
	uint64_t runs[PROCESSES][INSNS];
	uint64_t pairs[PROCESSES][INSNS][INSNS][2];
};

static unsigned insn_at(uint64_t address)
{
	unsigned i = 0;

	while (i < INSNS && BASE + at[i] != address)
		i++;
	assert_true(i < INSNS);
	return i;
}

static uint64_t address_of(uint32_t id, uint32_t index)
{
	struct wm_block block;
	uint64_t address;

	assert_int_equal(wm_trace_block(trace, id, &block), 0);
	address = block.address;
	for (uint32_t i = 0; i < index; i++)
		address += block.sizes[i];
	return address;
}

static bool is_last(const struct wm_step *step)
{
	struct wm_block block;

	assert_int_equal(wm_trace_block(trace, step->id, &block), 0);
	return step->index + 1 == block.insns;
}

static bool pass_signals(struct wm_cursor *cursor)
{
	struct wm_event event;
	bool any = false;

	while (!wm_cursor_event_here(cursor, &event))
		any |= event.kind == WM_EVENT_SIGNAL;
	return any;
}

static void step_stream(struct naive *naive, unsigned stream, uint64_t from, uint64_t to)
{
	unsigned process = stream == 2, before = INSNS;
	struct wm_cursor *cursor;
	struct wm_stream is;
	struct wm_step step;
	uint64_t block = 0;
	bool left = false;

	assert_int_equal(wm_trace_stream(trace, stream, &is), 0);
	assert_int_equal(wm_cursor_new(&cursor, trace, stream, NULL), 0);
	if (from < is.insns)
		assert_int_equal(wm_cursor_seek_insn(cursor, from, NULL), 0);
	for (uint64_t i = from; i < to && i < is.insns; i++) {
		bool cut = pass_signals(cursor);
		unsigned insn;

		assert_int_equal(wm_cursor_next_insn(cursor, &step, NULL), 0);
		insn = insn_at(address_of(step.id, step.index));
		naive->runs[process][insn]++;
		/* A block that is left early may go on in another one. */
		if (left)
			cut = insn != before + 1;
		if (before < INSNS && step.block_ordinal - block <= 1)
			naive->pairs[process][before][insn][step.index == 0 && cut]++;
		left = step.index + 1 == step.insns && !is_last(&step);
		before = insn;
		block = step.block_ordinal;
	}
	wm_cursor_free(cursor);
}

/* ---- comparing ----------------------------------------------------------- */

/* Takes away from *naive what the graph says; nothing may be left. */
static void take_blocks(struct naive *naive, const struct cfg *cfg)
{
	for (uint32_t i = 0; i < cfg->n; i++) {
		const struct cfg_block *block = &cfg->blocks[i];
		unsigned first = insn_at(block->address);

		assert_int_equal(block->bytes, at[first + block->insns] - at[first]);
		for (uint32_t j = 0; j < block->insns; j++) {
			const struct cfg_insn *insn = &cfg->insns[block->first_insn + j];

			assert_int_equal(insn_at(address_of(insn->id, insn->index)),
					 first + j);
			assert_int_equal(naive->runs[block->space][first + j],
					 block->executions);
			naive->runs[block->space][first + j] = 0;
			if (j) {
				assert_int_equal(naive->pairs[block->space][first + j - 1]
							     [first + j][0],
						 block->executions);
				naive->pairs[block->space][first + j - 1][first + j][0] =
					0;
			}
		}
	}
}

static void take_edges(struct naive *naive, const struct cfg *cfg)
{
	for (uint32_t i = 0; i < cfg->n_edges; i++) {
		const struct cfg_edge *edge = &cfg->edges[i];
		const struct cfg_block *from = &cfg->blocks[edge->from],
				       *to = &cfg->blocks[edge->to];
		uint64_t *pairs =
			naive->pairs[from->space][insn_at(from->address) + from->insns -
						  1][insn_at(to->address)];

		assert_int_equal(from->space, to->space);
		/* The code is made up: most of its edges are none that it could take. */
		if (edge->kind == CFG_INTERRUPTED) {
			assert_true(pairs[1] <= edge->count);
			assert_true(pairs[0] + pairs[1] >= edge->count);
			pairs[0] -= edge->count - pairs[1];
			pairs[1] = 0;
		} else {
			assert_int_equal(pairs[0], edge->count);
			pairs[0] = 0;
		}
	}
}

static void check_flow(const struct cfg *cfg)
{
	for (uint32_t i = 0; i < cfg->n; i++) {
		const struct cfg_block *block = &cfg->blocks[i];
		uint64_t in = block->starts, out = block->stops;

		for (uint32_t j = 0; j < block->edges; j++)
			out += cfg->edges[block->first_edge + j].count;
		for (uint32_t j = 0; j < block->enter; j++) {
			uint32_t edge = cfg->into[block->first_enter + j];

			assert_int_equal(cfg->edges[edge].to, i);
			in += cfg->edges[edge].count;
		}
		assert_int_equal(in, block->executions);
		assert_int_equal(out, block->executions);
	}
}

static void check(const struct selection *selection)
{
	static const struct naive nothing;
	struct naive *naive = calloc(1, sizeof(*naive));
	struct functions *functions;
	struct edges edges;
	struct cfg cfg;

	assert_non_null(naive);
	for (unsigned i = 0; i < selection->n; i++)
		step_stream(naive, selection->streams[i], selection->from, selection->to);
	assert_int_equal(functions_new(&functions, symbols, NULL), 0);
	assert_int_equal(edges_gather(&edges, trace, selection, NULL), 0);
	assert_int_equal(cfg_build(&cfg, trace, &edges, functions, NULL), 0);
	take_blocks(naive, &cfg);
	take_edges(naive, &cfg);
	assert_memory_equal(naive, &nothing, sizeof(nothing));
	check_flow(&cfg);
	cfg_fini(&cfg);
	edges_fini(&edges);
	functions_free(functions);
	free(naive);
}

static void test_all(void **state)
{
	static const unsigned streams[] = { 0, 1, 2 };

	(void)state;
	for (uint64_t part = 1; part < 2000; part *= 10)
		for (unsigned threads = 1; threads <= 3; threads += 2)
			check(&(struct selection){
				.streams = streams,
				.n = 3,
				.to = UINT64_MAX,
				.threads = threads,
				.part_blocks = part,
			});
}

static void test_ranges(void **state)
{
	static const unsigned streams[] = { 0, 2 };
	uint64_t seed = 9;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		uint64_t from = sample_random(&seed) % 6000;

		check(&(struct selection){
			.streams = streams + i % 2,
			.n = 1 + !(i % 2),
			.from = from,
			.to = from + sample_random(&seed) % (i % 3 ? 20 : 3000),
			.threads = 1 + i % 2,
			.part_blocks = 1 + sample_random(&seed) % 500,
		});
	}
}

/* Whole ones, ones left by a signal after them, and ones left early are all there. */
static void check_kinds(const struct edges *edges)
{
	unsigned whole = 0, behind = 0, early = 0;

	for (size_t i = 0; i < edges->n; i++)
		if (edges->edges[i].left == EDGE_WHOLE)
			whole++;
		else if (edges->edges[i].left == sample.insns_of[edges->edges[i].from])
			behind++;
		else
			early++;
	assert_true(whole > 100 && behind > 20 && early > 20);
}

/* Pairs in the two slots, in the table, across parts: all are one list in order. */
static void test_order(void **state)
{
	static const unsigned streams[] = { 0, 1, 2 };
	struct selection selection = { .streams = streams, .n = 3, .to = UINT64_MAX };
	struct edges one, other;

	(void)state;
	selection.threads = 1;
	selection.part_blocks = UINT64_MAX;
	assert_int_equal(edges_gather(&one, trace, &selection, NULL), 0);
	selection.threads = 2;
	selection.part_blocks = 1;
	assert_int_equal(edges_gather(&other, trace, &selection, NULL), 0);
	assert_int_equal(one.n, other.n);
	assert_memory_equal(one.edges, other.edges, one.n * sizeof(*one.edges));
	check_kinds(&one);
	for (size_t i = 1; i < one.n; i++)
		assert_true(one.edges[i - 1].space < one.edges[i].space ||
			    one.edges[i - 1].from <= one.edges[i].from);
	edges_fini(&one);
	edges_fini(&other);
}

/* ---- iterations ---------------------------------------------------------- */

/* Of one loop, as instructions pass by. */
struct passing {
	uint64_t now, least, most; /* iterations since the last entry */
	bool entered;
};

static void pass_entry(struct passing *passing, bool is_entry)
{
	if (!is_entry) {
		passing->now++;
		return;
	}
	if (passing->entered && (!passing->least || passing->now < passing->least))
		passing->least = passing->now;
	if (passing->entered && passing->now > passing->most)
		passing->most = passing->now;
	passing->entered = true;
	passing->now = 1;
}

/* What comes after a gap belongs to no entry, up to the next. */
static void pass_gap(struct passing *passing, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (passing[i].entered)
			pass_entry(&passing[i], true);
		passing[i].entered = false;
	}
}

static uint32_t block_with(const struct cfg *cfg, uint32_t process, uint64_t address)
{
	for (uint32_t i = 0; i < cfg->n; i++)
		if (cfg->blocks[i].space == process &&
		    address - cfg->blocks[i].address < cfg->blocks[i].bytes)
			return i;
	fail_msg("no block has %#lx", address);
	return 0;
}

static bool is_entry(const struct loops *loops, const struct cfg *cfg, uint32_t loop,
		     uint32_t from)
{
	for (uint32_t e = 0; e < cfg->n_edges; e++)
		if (cfg->edges[e].from == from &&
		    cfg->edges[e].to == loops->loops[loop].header &&
		    cfg->edges[e].kind != CFG_INTERRUPTED)
			return !loops_goes_on(loops, loop, &cfg->edges[e]);
	return false;
}

static void pass_stream(struct passing *all, const struct loops *loops,
			const struct cfg *cfg, unsigned stream)
{
	struct passing *mine = calloc(loops->n + 1, sizeof(*mine));
	uint32_t process = stream == 2, before = CFG_NONE;
	struct wm_cursor *cursor;
	bool left = false, first = true;
	uint64_t last = 0;
	struct wm_step step;
	unsigned insn = 0;

	assert_int_equal(wm_cursor_new(&cursor, trace, stream, NULL), 0);
	for (;; first = false, last = step.block_ordinal) {
		bool cut = pass_signals(cursor);
		uint64_t address;
		uint32_t block;

		if (wm_cursor_next_insn(cursor, &step, NULL))
			break;
		address = address_of(step.id, step.index);
		block = block_with(cfg, process, address);
		cut |= left && insn_at(address) != insn + 1;
		insn = insn_at(address);
		first |= step.block_ordinal - last > 1;
		if (first)
			pass_gap(mine, loops->n);
		for (uint32_t i = 0; i < loops->n; i++)
			if (loops->loops[i].header == block &&
			    cfg->blocks[block].address == address)
				pass_entry(&mine[i],
					   first || (!(cut && !step.index) &&
						     is_entry(loops, cfg, i, before)));
		left = step.index + 1 == step.insns && !is_last(&step);
		before = block;
	}
	wm_cursor_free(cursor);
	for (uint32_t i = 0; i < loops->n; i++) {
		pass_entry(&mine[i],
			   true); /* as if entered once more: that ends the last */
		if (mine[i].least && (!all[i].least || mine[i].least < all[i].least))
			all[i].least = mine[i].least;
		if (mine[i].most > all[i].most)
			all[i].most = mine[i].most;
	}
	free(mine);
}

static void test_trips(void **state)
{
	static const unsigned streams[] = { 0, 1, 2 };
	struct selection selection = { .streams = streams, .n = 3, .to = UINT64_MAX };
	struct functions *functions;
	struct passing *passing;
	struct trips *trips;
	struct loops loops;
	struct edges edges;
	struct cfg cfg;
	unsigned met = 0;

	(void)state;
	assert_int_equal(functions_new(&functions, symbols, NULL), 0);
	selection.threads = 1;
	assert_int_equal(edges_gather(&edges, trace, &selection, NULL), 0);
	assert_int_equal(cfg_build(&cfg, trace, &edges, functions, NULL), 0);
	assert_int_equal(loops_find(&loops, &cfg, functions, NULL), 0);
	passing = calloc(loops.n + 1, sizeof(*passing));
	trips = calloc(loops.n + 1, sizeof(*trips));
	for (unsigned i = 0; i < 3; i++)
		pass_stream(passing, &loops, &cfg, i);
	for (uint64_t part = 1; part < 2000; part *= 10) {
		selection.threads = part % 3 + 1;
		selection.part_blocks = part;
		assert_int_equal(trips_find(trips, &loops, &cfg, &edges, functions, trace,
					    &selection, NULL),
				 0);
		for (uint32_t i = 0; i < loops.n; i++) {
			assert_int_equal(trips[i].least, passing[i].least);
			assert_int_equal(trips[i].most, passing[i].most);
			met += trips[i].most > trips[i].least;
		}
	}
	assert_true(met > 0);
	free(trips);
	free(passing);
	loops_fini(&loops);
	cfg_fini(&cfg);
	edges_fini(&edges);
	functions_free(functions);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all),
	cmocka_unit_test(test_ranges),
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_trips),
};

int main(void)
{
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
