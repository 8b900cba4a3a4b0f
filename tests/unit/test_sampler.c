// SPDX-License-Identifier: GPL-2.0-or-later
/* collect/sampler: which blocks of a running encoder are looked at, and how much each weighs. */
#include "collect/sampler.h"
#include "format/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KNOWN = 5000 };

static struct encoder *encoder_of(const uint32_t *ids, size_t n)
{
	struct encoder *encoder = encoder_new(1000);

	assert_non_null(encoder);
	assert_int_equal(encoder_know(encoder, KNOWN), 0);
	assert_int_equal(encoder_feed(encoder, ids, n), n);
	return encoder;
}

/* What `pid` is told, with nothing in unfinished chunks. */
static uint64_t *ask(struct sampler *sampler, uint32_t pid)
{
	uint64_t *sums = sampler_sums(sampler, KNOWN);

	assert_non_null(sums);
	return sampler_differ(sampler, pid, sums, KNOWN);
}

static void expect(struct sampler *sampler, uint32_t pid, uint64_t three, uint64_t seven)
{
	uint64_t *told = ask(sampler, pid);

	assert_non_null(told);
	assert_int_equal(told[3], three);
	assert_int_equal(told[7], seven);
	free(told);
}

/* A chunk ends. */
static void pass(struct sampler *sampler, const struct encoder *encoder)
{
	uint64_t *totals = sampler_pass(sampler, KNOWN);

	if (totals)
		encoder_add_up(encoder, totals);
}

static void test_since_last_time(void **state)
{
	static const uint32_t ids[] = { 3, 7, 3, 7, 3 };
	struct encoder *encoder = encoder_of(ids, 5);
	struct sampler sampler = { 0 };

	(void)state;
	pass(&sampler, encoder); /* nobody has asked yet */
	expect(&sampler, 1, 0, 0);
	pass(&sampler, encoder);
	expect(&sampler, 1, 3, 2);
	expect(&sampler, 1, 0, 0);
	pass(&sampler, encoder);
	expect(&sampler, 2, 6, 4); /* the first time: since anybody asked */
	expect(&sampler, 1, 3, 2);
	/* Others come: the one who has not asked for longest is forgotten. */
	for (uint32_t pid = 10; pid < 10 + SAMPLER_ASKERS - 1; pid++)
		expect(&sampler, pid, 6, 4);
	expect(&sampler, 1, 0, 0);
	expect(&sampler, 2, 6, 4);
	sampler_fini(&sampler);
	encoder_free(encoder);
}

static void test_top(void **state)
{
	static const uint16_t weights[6] = { 0, 10, 1, 1, 2, 3 };
	static const uint64_t differences[6] = { 9, 1, 0, 30, 10, 4 };
	struct sample_row *rows;
	size_t n;

	(void)state;
	assert_true(sampler_top(differences, weights, 5, 3, &rows, &n));
	assert_int_equal(n, 3);
	assert_int_equal(rows[0].id, 3);
	assert_int_equal(rows[0].count, 30);
	assert_int_equal(rows[1].id, 4);
	assert_int_equal(rows[2].id, 5);
	free(rows);
	assert_true(sampler_top(differences, weights, 5, 100, &rows, &n));
	assert_int_equal(n, 4);
	free(rows);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_since_last_time),
	cmocka_unit_test(test_top),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
