// SPDX-License-Identifier: GPL-2.0-or-later
/* query/answer, query/answers: rows that travel as bytes, and bytes that are none. */
#include "query/answers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct table_column columns[] = {
	{ "insns", TABLE_COUNT, false },
	{ "share", TABLE_SHARE, false },
	{ "function", TABLE_TEXT, false },
};
enum { INSNS, SHARE, FUNCTION, COLUMNS };

static void add(struct answer *answer, uint64_t insns, double share, const char *function)
{
	const struct table_cell cells[COLUMNS] = {
		[INSNS] = { true, { .count = insns } },
		[SHARE] = { true, { .real = share } },
		[FUNCTION] = { function != NULL, { .text = function } },
	};
	struct wm_error err;

	assert_int_equal(rows_add(&answer->rows, cells, &err), 0);
}

/* Two rows, one of which has no function, and a warning. */
static void make(struct answer *answer, uint64_t insns)
{
	answer_init(answer, columns, COLUMNS);
	answer->whole = insns + 1;
	add(answer, insns, 0.25, "main");
	add(answer, UINT64_MAX, 1, NULL);
	answer->listener.warn(answer->listener.cookie, "cut short");
}

static void check(const struct answer *answer, uint64_t insns)
{
	const struct table_cell *first = rows_at(&answer->rows, 0);
	const struct table_cell *second = rows_at(&answer->rows, 1);

	assert_int_equal(answer->whole, insns + 1);
	assert_int_equal(answer->n_warnings, 1);
	assert_string_equal(answer->warnings[0], "cut short");
	assert_int_equal(answer->rows.n, 2);
	assert_int_equal(first[INSNS].count, insns);
	assert_true(first[SHARE].real == 0.25);
	assert_string_equal(first[FUNCTION].text, "main");
	assert_true(second[INSNS].count == UINT64_MAX && !second[FUNCTION].filled);
}

/* A shard of the answers numbers[n], with the number as instructions. */
static struct buf shard_of(const uint64_t *numbers, size_t n)
{
	struct buf out = BUF_INIT;
	struct answer answer;

	for (size_t i = 0; i < n; i++) {
		make(&answer, numbers[i]);
		answers_add(&out, numbers[i], 7 * numbers[i], &answer);
		answer_fini(&answer);
	}
	assert_false(out.failed);
	return out;
}

/* In the order of numbers, whichever shard has them. */
static void merging(void **state)
{
	struct buf a = shard_of((uint64_t[]){ 0, 3, 4 }, 3);
	struct buf b = shard_of((uint64_t[]){ 1, 2, 5 }, 3), both = BUF_INIT;
	struct answers_entry entry;
	struct answer answer;
	struct wm_error err;
	struct span in;

	(void)state;
	assert_int_equal(answers_merge(span_of(b.data, b.len), span_of(a.data, a.len),
				       &both, &err),
			 0);
	in = span_of(both.data, both.len);
	for (uint64_t i = 0; i < 6; i++) {
		assert_int_equal(answers_next(&in, &entry, &err), 0);
		assert_int_equal(entry.number, i);
		assert_int_equal(entry.identity, 7 * i);
		answer_init(&answer, columns, COLUMNS);
		assert_int_equal(answer_get(&answer, entry.bytes, &err), 0);
		check(&answer, i);
		answer_fini(&answer);
	}
	assert_int_equal(answers_next(&in, &entry, &err), WM_END);
	/* One that both have. */
	assert_int_equal(answers_merge(span_of(a.data, a.len), span_of(a.data, a.len),
				       &both, &err),
			 WM_E_FORMAT);
	buf_fini(&a);
	buf_fini(&b);
	buf_fini(&both);
}

/* Reads all answers of bytes[n]: any result, as long as it is one. */
static void read_all(const uint8_t *bytes, size_t n)
{
	struct span in = span_of(bytes, n);
	struct answers_entry entry;
	struct wm_error err;

	while (!answers_next(&in, &entry, &err)) {
		struct answer answer;
		int ret;

		answer_init(&answer, columns, COLUMNS);
		ret = answer_get(&answer, entry.bytes, &err);
		assert_true(!ret || ret == WM_E_FORMAT);
		for (size_t i = 0; i < answer.n_warnings; i++)
			assert_null(strpbrk(answer.warnings[i], "\n\033"));
		answer_fini(&answer);
	}
}

/* Cut anywhere, and with each byte replaced by several others. */
static void hostile(void **state)
{
	static const uint8_t others[] = { 0, 1, 0x1b, 0x7f, 0x80, 0xff };
	struct buf good = shard_of((uint64_t[]){ 1, 2 }, 2);

	(void)state;
	for (size_t i = 0; i < good.len; i++) {
		uint8_t *copy = malloc(i + 1), kept = good.data[i];

		assert_non_null(copy);
		memcpy(copy, good.data, i);
		read_all(copy, i);
		free(copy);
		for (size_t k = 0; k < sizeof(others); k++) {
			good.data[i] = others[k];
			read_all(good.data, good.len);
		}
		good.data[i] = kept;
	}
	buf_fini(&good);
}

/* Of a table with other columns. */
static void another_table(void **state)
{
	struct buf shard = shard_of((uint64_t[]){ 1 }, 1);
	struct span in = span_of(shard.data, shard.len);
	struct answers_entry entry;
	struct answer answer;
	struct wm_error err;

	(void)state;
	assert_int_equal(answers_next(&in, &entry, &err), 0);
	answer_init(&answer, columns, COLUMNS - 1);
	assert_int_equal(answer_get(&answer, entry.bytes, &err), WM_E_FORMAT);
	answer_fini(&answer);
	buf_fini(&shard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merging),
		cmocka_unit_test(hostile),
		cmocka_unit_test(another_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
