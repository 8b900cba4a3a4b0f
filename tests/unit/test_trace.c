// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace/: a cursor at every ordinal of a file of several streams and chunks, with gaps,
 * stepping and running from there; and what is known without retracing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/records.h"
#include "streams.h"
#include "trace/symtabs.h"

static void write_file(void)
{
	static const size_t sizes[] = { 1, 300, 0, 7, 16, 120, 1 };
	uint64_t seed = 1;

	begin_file();
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		sample_event(&sample, sizes[i], 99, "at the end");
		write_chunk(0, sizes[i], &seed);
		if (i % 2)
			write_chunk(2, 50, &seed);
	}
	sample_close(&sample, false);
}

/* ---- stepping ------------------------------------------------------------ */

static void check_insn(const struct wm_step *step, const struct sequence *wanted,
		       size_t at, uint32_t index)
{
	assert_int_equal(step->block_ordinal, at);
	assert_int_equal(step->insn_ordinal, wanted->insns[at] + index);
	assert_int_equal(step->id, wanted->ids[at]);
	assert_int_equal(step->index, index);
}

static void walk_insns(struct wm_cursor *cursor, const struct sequence *wanted, size_t at,
		       uint32_t index, size_t most)
{
	struct wm_step step;

	for (; most > 0; most--) {
		while (at < wanted->n && wanted->ids[at] == GAP)
			at++;
		if (at == wanted->n)
			break;
		assert_int_equal(wm_cursor_next_insn(cursor, &step, NULL), 0);
		check_insn(&step, wanted, at, index);
		if (wanted->insns[at] + ++index == wanted->insns[at + 1]) {
			at++;
			index = 0;
		}
	}
	if (at == wanted->n)
		assert_int_equal(wm_cursor_next_insn(cursor, &step, NULL), WM_END);
}

/* In runs to the ends of chunks. */
static void walk_runs(struct wm_cursor *cursor, const struct sequence *wanted, size_t at)
{
	const uint32_t *ids;
	struct wm_step step;
	size_t n;
	int ret;

	while (!(ret = wm_cursor_next_run(cursor, &ids, &n, &step, NULL))) {
		assert_true(n > 0 && at + n <= wanted->n);
		check_block(&step, wanted, at);
		assert_memory_equal(ids, wanted->ids + at, n * sizeof(*ids));
		for (size_t i = 0; i < n; i++) /* gaps are alone */
			assert_true(ids[i] != GAP || (n == 1 && !step.insns));
		at += n;
	}
	assert_int_equal(ret, WM_END);
	assert_int_equal(at, wanted->n);
}

static void test_from_start(void **state)
{
	struct wm_trace *trace;

	(void)state;
	write_file();
	trace = sample_trace(path);
	for (unsigned i = 0; i < STREAMS; i++) {
		struct wm_cursor *cursor = new_cursor(trace, i);

		walk_blocks(cursor, &written[i], 0, MOST);
		wm_cursor_free(cursor);
		cursor = new_cursor(trace, i);
		walk_insns(cursor, &written[i], 0, 0, SIZE_MAX);
		wm_cursor_free(cursor);
		cursor = new_cursor(trace, i);
		walk_runs(cursor, &written[i], 0);
		wm_cursor_free(cursor);
	}
	wm_trace_close(trace);
}

static void test_seek_block(void **state)
{
	struct wm_trace *trace;

	(void)state;
	write_file();
	trace = sample_trace(path);
	for (unsigned i = 0; i < STREAMS; i++) {
		struct wm_cursor *cursor = new_cursor(trace, i);

		for (size_t at = 0; at <= written[i].n; at++) {
			size_t back = written[i].n - at;

			assert_int_equal(wm_cursor_seek_block(cursor, at, NULL), 0);
			walk_blocks(cursor, &written[i], at, 20);
			assert_int_equal(wm_cursor_seek_block(cursor, back, NULL), 0);
			walk_insns(cursor, &written[i], back, 0, 30);
		}
		assert_int_equal(wm_cursor_seek_block(cursor, written[i].n + 1, NULL),
				 WM_E_RANGE);
		assert_int_equal(wm_cursor_seek_block(cursor, UINT64_MAX, NULL),
				 WM_E_RANGE);
		wm_cursor_free(cursor);
	}
	wm_trace_close(trace);
}

static void test_seek_insn(void **state)
{
	struct wm_trace *trace;

	(void)state;
	write_file();
	trace = sample_trace(path);
	for (unsigned i = 0; i < STREAMS; i++) {
		const struct sequence *wanted = &written[i];
		struct wm_cursor *cursor = new_cursor(trace, i);
		struct wm_step step;
		size_t at = 0, first;

		for (uint64_t insn = 0; insn < wanted->insns[wanted->n]; insn++) {
			while (wanted->insns[at + 1] <= insn)
				at++;
			assert_int_equal(wm_cursor_seek_insn(cursor, insn, NULL), 0);
			walk_insns(cursor, wanted, at,
				   (uint32_t)(insn - wanted->insns[at]), 10);
			/* In the middle of a block, the next block is the one it stands in. */
			for (first = at; first && wanted->insns[at] == insn &&
					 wanted->ids[first - 1] == GAP;)
				first--;
			assert_int_equal(wm_cursor_seek_insn(cursor, insn, NULL), 0);
			assert_int_equal(wm_cursor_next_block(cursor, &step, NULL), 0);
			check_block(&step, wanted, first);
		}
		assert_int_equal(
			wm_cursor_seek_insn(cursor, wanted->insns[wanted->n], NULL), 0);
		assert_int_equal(wm_cursor_next_insn(cursor, &step, NULL), WM_END);
		assert_int_equal(wm_cursor_seek_insn(cursor, wanted->insns[wanted->n] + 1,
						     NULL),
				 WM_E_RANGE);
		wm_cursor_free(cursor);
	}
	wm_trace_close(trace);
}

/* Runs from anywhere; blocks after instructions; seeks in between. */
static void test_mixed(void **state)
{
	struct wm_trace *trace;
	struct wm_cursor *cursor;
	uint64_t seed = 3;

	(void)state;
	write_file();
	trace = sample_trace(path);
	cursor = new_cursor(trace, 0);
	for (unsigned i = 0; i < 500; i++) {
		size_t at = sample_random(&seed) % (written[0].n + 1);

		assert_int_equal(wm_cursor_seek_block(cursor, at, NULL), 0);
		if (i % 3 == 0)
			walk_runs(cursor, &written[0], at);
		else if (i % 3 == 1)
			walk_insns(cursor, &written[0], at, 0, sample_random(&seed) % 40);
		else
			walk_blocks(cursor, &written[0], at, sample_random(&seed) % 40);
	}
	wm_cursor_free(cursor);
	wm_cursor_free(NULL);
	assert_int_equal(wm_cursor_new(&cursor, trace, STREAMS, NULL), WM_E_RANGE);
	wm_trace_close(trace);
	wm_trace_close(NULL);
}

/* ---- facts --------------------------------------------------------------- */

static void test_facts(void **state)
{
	struct wm_trace *trace;
	struct wm_summary summary;
	struct wm_process process;
	struct wm_stream stream;
	struct wm_module module;
	struct wm_chunk chunk;
	struct wm_block block;
	const char *key, *value;
	char text[8];

	(void)state;
	write_file();
	trace = sample_trace(path);
	wm_trace_summary(trace, &summary);
	assert_true(summary.complete);
	assert_null(summary.cut);
	assert_int_equal(summary.blocks, written[0].n + written[2].n);
	assert_int_equal(summary.insns,
			 written[0].insns[written[0].n] + written[2].insns[written[2].n]);
	assert_int_equal(summary.known_blocks, GAP);
	assert_int_equal(summary.streams, STREAMS);
	assert_int_equal(summary.processes, 1);
	assert_int_equal(summary.chunks, 10);
	assert_int_equal(summary.damage_off, 0);
	assert_int_equal(wm_trace_process(trace, 0, &process), 0);
	assert_int_equal(process.pid, 42);
	assert_int_equal(process.parent, UINT32_MAX);
	assert_int_equal(process.status, 0);
	assert_int_equal(process.end_ns, 9000);
	assert_int_equal(wm_trace_process(trace, 1, &process), WM_E_RANGE);
	assert_int_equal(wm_trace_stream(trace, EMPTY, &stream), 0);
	assert_int_equal(stream.blocks + stream.insns + stream.chunks, 0);
	assert_int_equal(wm_trace_stream(trace, 0, &stream), 0);
	assert_int_equal(stream.blocks, written[0].n);
	assert_int_equal(stream.chunks, 7);
	assert_int_equal(wm_trace_stream(trace, STREAMS, &stream), WM_E_RANGE);
	assert_int_equal(wm_trace_module(trace, 0, &module), WM_E_RANGE);
	assert_int_equal(wm_trace_chunk(trace, 9, &chunk), 0);
	assert_int_equal(chunk.first_block + chunk.blocks, written[0].n);
	assert_int_equal(wm_trace_chunk(trace, 10, &chunk), WM_E_RANGE);
	assert_int_equal(wm_trace_meta_at(trace, 0, &key, &value), 0);
	assert_string_equal(key, "guest-isa");
	assert_int_equal(wm_trace_meta_at(trace, 1, &key, &value), WM_END);
	assert_null(wm_trace_meta(trace, "no such"));
	assert_int_equal(wm_trace_block(trace, 1, &block), 0);
	assert_int_equal(block.address, 0x10000);
	assert_int_equal(wm_trace_block(trace, 0, &block), WM_E_RANGE);
	assert_int_equal(wm_trace_block(trace, GAP, &block), 0);
	assert_int_equal(block.address + block.insns + block.bytes, 0);
	assert_int_equal(wm_trace_block(trace, GAP + 1, &block), WM_E_RANGE);
	assert_int_equal(wm_trace_disas(trace, GAP, 0, text, sizeof(text)), 0);
	assert_int_equal(wm_trace_disas(trace, GAP + 1, 0, text, sizeof(text)), 0);
	assert_int_equal(wm_trace_disas(trace, 1, 100, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	wm_trace_close(trace);
}

static void test_histograms(void **state)
{
	uint64_t got[GAP + 1] = { 0 }, wanted[GAP + 1] = { 0 };
	struct wm_trace *trace;
	struct wm_count *counts;
	size_t n;

	(void)state;
	write_file();
	trace = sample_trace(path);
	for (uint64_t chunk = 0; chunk < 10; chunk++) {
		assert_int_equal(wm_trace_histogram(trace, chunk, &counts, &n, NULL), 0);
		for (size_t i = 0; i < n; i++)
			got[counts[i].id] += counts[i].count;
		free(counts);
	}
	assert_int_equal(wm_trace_histogram(trace, 10, &counts, &n, NULL), WM_E_RANGE);
	for (unsigned i = 0; i < STREAMS; i++)
		for (size_t j = 0; j < written[i].n; j++)
			wanted[written[i].ids[j]]++;
	assert_memory_equal(got, wanted, sizeof(got));
	wm_trace_close(trace);
}

static void test_verify(void **state)
{
	struct wm_trace *trace;

	(void)state;
	write_file();
	trace = sample_trace(path);
	for (unsigned threads = 0; threads < 4; threads++) {
		struct wm_check check = { .threads = threads };

		assert_int_equal(wm_trace_verify(trace, &check, NULL), 0);
		assert_int_equal(check.chunks, 10);
		assert_int_equal(check.blocks, written[0].n + written[2].n);
		assert_int_equal(check.insns, written[0].insns[written[0].n] +
						      written[2].insns[written[2].n]);
	}
	wm_trace_close(trace);
}

/* Records that come late replace earlier ones; strange ones end it. */
static void test_records(void **state)
{
	static const char meta[] = "\1a\1x\1b\1y", again[] = "\1a\1z";
	static const char process[] = "\1\0\0\0\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	static const char stream[] = "\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\4name";
	static const char module[] = "\1\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0"
				     "\0\3\0\0\0\0\0\0\2so";
	struct wm_trace *trace;
	struct wm_process got_process;
	struct wm_module got_module;
	struct wm_stream got_stream;

	(void)state;
	begin_file();
	sample_put(&sample, SECTION_META, meta, sizeof(meta) - 1);
	sample_put(&sample, SECTION_META, again, sizeof(again) - 1);
	sample_put(&sample, SECTION_PROC, process, sizeof(process) - 1);
	sample_put(&sample, SECTION_STRM, stream, sizeof(stream) - 1);
	sample_put(&sample, SECTION_MODU, module, sizeof(module) - 1);
	sample_put(&sample, SECTION_ENDS, "\3why", 4);
	sample_close(&sample, true);
	trace = sample_trace(path);
	assert_string_equal(wm_trace_meta(trace, "a"), "z");
	assert_int_equal(wm_trace_process(trace, 1, &got_process), 0);
	assert_int_equal(got_process.parent, 0);
	assert_int_equal(got_process.status, -1);
	assert_int_equal(wm_trace_stream(trace, 0, &got_stream), 0);
	assert_int_equal(got_stream.space, 1);
	assert_string_equal(got_stream.name, "name");
	assert_int_equal(wm_trace_module(trace, 0, &got_module), 0);
	assert_int_equal(got_module.end, 0x200);
	assert_string_equal(got_module.path, "so");
	assert_string_equal(got_module.build_id, "");
	assert_false(got_module.packed);
	wm_trace_close(trace);
}

/* ---- names of code ------------------------------------------------------- */

static void put_module(const char *file, const char *build_id)
{
	struct module_record module = { 0, 0x1000, 0x2000,	    0, (char *)file,
					7, 8,	   (char *)build_id };
	struct buf payload = BUF_INIT;

	module_put(&payload, &module);
	sample_put(&sample, SECTION_MODU, payload.data, payload.len);
	buf_fini(&payload);
}

static void put_names(const char *build_id, const char *file, const char *name)
{
	struct symtab_segment segment = { 0, 100, 0, true };
	struct symtab_range range = { .start = 10, .end = 100 };
	struct symtab_head head = { (char *)build_id, (char *)file };
	struct symtab symtab = { &segment, 1, &range, 1, BUF_INIT };
	struct buf payload = BUF_INIT;

	buf_put(&symtab.names, name, strlen(name) + 1);
	assert_true(symtab_put(&payload, &head, &symtab));
	sample_put(&sample, SECTION_SYMS, payload.data, payload.len);
	buf_fini(&symtab.names);
	buf_fini(&payload);
}

/* The name in module `index`, or none. */
static void check_name(const struct wm_trace *trace, unsigned index, const char *expected)
{
	struct wm_module module;
	struct symtab symtab;
	uint64_t offset;
	int ret = trace_symtab(trace, index, &symtab, NULL);

	assert_int_equal(wm_trace_module(trace, index, &module), 0);
	assert_int_equal(module.packed, expected != NULL);
	assert_int_equal(ret, expected ? 0 : WM_END);
	if (!expected)
		return;
	assert_string_equal(symtab_find(&symtab, 15, &offset), expected);
	assert_int_equal(offset, 5);
	symtab_fini(&symtab);
}

static void test_names(void **state)
{
	struct wm_check check = { .threads = 1 };
	struct wm_module module;
	struct wm_trace *trace;
	struct symtab symtab;

	(void)state;
	begin_file();
	put_module("/a", "aa");
	put_module("/moved/a", "aa");
	put_module("/a", "bb");
	put_module("/b", "");
	put_module("/c", "");
	put_names("aa", "/a", "of aa");
	put_names("", "/b", "of b");
	sample_close(&sample, true);
	trace = sample_trace(path);
	assert_int_equal(wm_trace_module(trace, 1, &module), 0);
	assert_int_equal(module.known_blocks, 7);
	assert_int_equal(module.ns, 8);
	assert_string_equal(module.build_id, "aa");
	check_name(trace, 0, "of aa");
	check_name(trace, 1, "of aa"); /* by what it is, wherever it was */
	check_name(trace, 2, NULL);
	check_name(trace, 3, "of b");
	check_name(trace, 4, NULL);
	assert_int_equal(trace_symtab(trace, 5, &symtab, NULL), WM_E_RANGE);
	assert_int_equal(wm_trace_verify(trace, &check, NULL), 0);
	wm_trace_close(trace);
}

/* What is malformed in them is found where they are used, and when all is checked. */
static void test_malformed_names(void **state)
{
	struct wm_check check = { .threads = 1 };
	struct wm_trace *trace;
	struct symtab symtab;
	struct wm_error err;

	(void)state;
	begin_file();
	put_module("/a", "aa");
	sample_put(&sample, SECTION_SYMS, "\2aa\2/a\1\1\1", 9);
	sample_close(&sample, true);
	trace = sample_trace(path);
	assert_int_equal(trace_symtab(trace, 0, &symtab, &err), WM_E_DAMAGED);
	assert_int_equal(wm_trace_verify(trace, &check, &err), WM_E_DAMAGED);
	assert_string_equal(err.text, "a section of names is malformed");
	wm_trace_close(trace);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_from_start), cmocka_unit_test(test_seek_block),
	cmocka_unit_test(test_seek_insn),  cmocka_unit_test(test_mixed),
	cmocka_unit_test(test_facts),	   cmocka_unit_test(test_histograms),
	cmocka_unit_test(test_verify),	   cmocka_unit_test(test_records),
	cmocka_unit_test(test_names),	   cmocka_unit_test(test_malformed_names),
};

int main(void)
{
	return cmocka_run_group_tests_name("trace", tests, NULL, remove_file);
}
