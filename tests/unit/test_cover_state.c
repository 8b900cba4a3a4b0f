// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/cover/cover_state: covers that travel as bytes, and bytes that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cover/cover_index.h"
#include "analysis/cover/cover_state.h"
#include "base/append.h"
#include "base/intern.h"

enum { RUNS = 6 };

static uint32_t text_of(struct cover *cover, const char *text)
{
	bool fresh;

	return intern(&cover->sources, 0, (const uint8_t *)text,
		      (uint32_t)strlen(text) + 1, &fresh);
}

static void reach(uint32_t *first, uint32_t run)
{
	if (!*first)
		*first = run;
}

static void add_function(struct cover *cover, uint32_t module, uint64_t start,
			 const char *name, uint64_t executions)
{
	struct cover_function *function = cover_function_at(cover, module, start);

	if (!function->name) {
		function->name = strdup(name);
		function->end = start + 16;
		function->line.source = 1;
		function->line.number = 7;
	}
	function->executions += executions;
	function->insns += 3 * executions;
	if (executions)
		reach(&function->first, cover->n_runs);
}

static void add_line(struct cover *cover, uint32_t source, uint32_t run)
{
	const struct srcline at = { .source = source, .number = 10 + run % 3 };
	const struct cover_bytecodes bytecodes = { 9, run * 7 % 5, 2, run % 2 };
	struct cover_line *line = cover_line_at(cover, &at);

	line->executions += run;
	cover_most_bytecodes(&line->bytecodes, &bytecodes);
	reach(&line->first, cover->n_runs);
}

/* A module of methods, in which places have the number of a text. */
static void add_method(struct cover *cover, uint32_t run)
{
	struct cover_module *module = cover_module_at(cover, "run.py", "");
	char name[32];
	uint64_t place;

	snprintf(name, sizeof(name), "method %u", (unsigned)run / 2);
	place = (uint64_t)text_of(cover, name) << COVER_METHOD_BITS;
	module->of_methods = true;
	add_function(cover, (uint32_t)(module - cover->modules), place, name, run);
	cover_branch_at(cover, (uint32_t)(module - cover->modules), place + 5)->taken +=
		run;
}

/* Run `run`, from 1, of the program. Its number in the cover is the next one. */
static void add_run(struct cover *cover, uint32_t run)
{
	struct cover_module *module;
	struct cover_block block = { .image_off = 16 * run, .bytes = 4 };
	char path[32], *name = malloc(32);

	snprintf(name, 32, "run %u", (unsigned)run);
	assert_true(APPEND(cover->runs, cover->n_runs, name));
	snprintf(path, sizeof(path), "lib%u", (unsigned)run % 3);
	module = cover_module_at(cover, path, "aa");
	block.module = (uint32_t)(module - cover->modules);
	if (!module->image_bytes)
		module->base = 0x1000 * run;
	if (module->image_bytes < 100 * run)
		module->image_bytes = 100 * run;
	text_of(cover, "main.c");
	add_function(cover, block.module, 0x40, "f", run % 2);
	add_function(cover, block.module, 0x80, "g", run % 3);
	add_line(cover, text_of(cover, path), run);
	assert_true(APPEND(cover->blocks, cover->n_blocks, block));
	add_method(cover, run);
	reach(&cover_branch_at(cover, block.module, 0x44)->first_not_taken,
	      cover->n_runs);
}

static void add_runs(struct cover *cover, uint32_t from, uint32_t to)
{
	assert_int_equal(cover_init(cover, true, NULL), 0);
	for (uint32_t run = from; run < to; run++)
		add_run(cover, run);
}

static void take(struct cover *cover, const struct buf *bytes)
{
	struct wm_error err;

	assert_int_equal(cover_take(cover, span_of(bytes->data, bytes->len), &err), 0);
}

/* The runs from <= i < to as bytes. */
static struct buf bytes_of(uint32_t from, uint32_t to)
{
	struct buf bytes = BUF_INIT;
	struct cover cover;

	add_runs(&cover, from, to);
	cover_put(&cover, &bytes);
	assert_false(bytes.failed);
	cover_fini(&cover);
	return bytes;
}

/* Wherever the runs are cut, and with the sum of the later ones made first, it is the same. */
static void test_added(void **state)
{
	struct buf wanted = bytes_of(1, RUNS + 1);

	(void)state;
	for (uint32_t i = 1; i <= RUNS; i++)
		for (uint32_t k = i; k <= RUNS; k++) {
			struct buf a = bytes_of(1, i), b = bytes_of(i, k);
			struct buf c = bytes_of(k, RUNS + 1);
			struct buf later = BUF_INIT, all = BUF_INIT;
			struct cover cover;

			add_runs(&cover, 0, 0);
			take(&cover, &b);
			take(&cover, &c);
			cover_put(&cover, &later);
			cover_fini(&cover);
			add_runs(&cover, 0, 0);
			take(&cover, &a);
			take(&cover, &later);
			cover_put(&cover, &all);
			assert_int_equal(all.len, wanted.len);
			assert_memory_equal(all.data, wanted.data, all.len);
			assert_int_equal(cover.n_runs, RUNS);
			assert_string_equal(cover.runs[RUNS - 1], "run 6");
			cover_fini(&cover);
			buf_fini(&a);
			buf_fini(&b);
			buf_fini(&c);
			buf_fini(&later);
			buf_fini(&all);
		}
	buf_fini(&wanted);
}

/* Any result, as long as it is one; what was read can be finished. */
static int read_bytes(const uint8_t *bytes, size_t n)
{
	struct wm_error err = { 0 };
	struct cover cover;
	int ret;

	add_runs(&cover, 1, 3);
	ret = cover_take(&cover, span_of(bytes, n), &err);
	if (!ret)
		cover_finish(&cover);
	else
		assert_int_equal(err.code, ret);
	cover_fini(&cover);
	return ret;
}

static void test_hostile(void **state)
{
	static const uint8_t put[] = { 0, 1, 2, 0x7f, 0x80, 0xff };
	struct buf bytes = bytes_of(1, RUNS + 1);

	(void)state;
	for (size_t n = 0; n < bytes.len; n++)
		assert_int_equal(read_bytes(bytes.data, n), WM_E_FORMAT);
	for (size_t i = 0; i < bytes.len; i++)
		for (size_t k = 0; k < sizeof(put); k++) {
			uint8_t kept = bytes.data[i];

			bytes.data[i] = put[k];
			read_bytes(bytes.data, bytes.len);
			bytes.data[i] = kept;
		}
	buf_put_u8(&bytes, 0);
	assert_int_equal(read_bytes(bytes.data, bytes.len), WM_E_FORMAT);
	buf_fini(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_added),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests_name("cover_state", tests, NULL, NULL);
}
