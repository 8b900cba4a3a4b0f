// SPDX-License-Identifier: GPL-2.0-or-later
/* format/made: ranges that are put are got; what is malformed is refused. */
#include "format/made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/pack.h"

static const struct made_range ranges[] = {
	{ 0x40010000, 0x40010080, 0, 0, 7 },
	{ 0x40010080, 0x400100c0, 0x80, 3, UINT32_MAX },
	{ 0x1000, UINT64_MAX, 0x20, 1, 0 },
};

static void put(struct buf *payload, uint32_t n)
{
	struct symtab_head head = { (char *)"4f2a", (char *)"[jit]" };

	assert_true(made_put(payload, &head, ranges, n));
}

static bool get(const struct buf *payload, struct made_range **got, uint32_t *n)
{
	struct span span = span_of(payload->data, payload->len);
	struct symtab_head head;
	bool good;

	assert_true(symtab_get_head(&span, &head));
	assert_string_equal(head.path, "[jit]");
	symtab_head_fini(&head);
	good = made_get(&span, got, n);
	assert_int_equal(good, !span.failed);
	return good;
}

static void test_round_trip(void **state)
{
	struct made_range *got;
	uint32_t n;

	(void)state;
	for (uint32_t count = 0; count <= 3; count++) {
		struct buf payload = BUF_INIT;

		put(&payload, count);
		assert_true(get(&payload, &got, &n));
		assert_int_equal(n, count);
		assert_memory_equal(got, ranges, count * sizeof(*got));
		free(got);
		buf_fini(&payload);
	}
}

/* A table of one range whose numbers are given. */
static bool takes(const uint8_t *table, size_t bytes)
{
	struct buf payload = BUF_INIT;
	struct made_range *got;
	uint32_t n;
	bool good;

	buf_put_string(&payload, "");
	buf_put_string(&payload, "[jit]");
	pack_put(&payload, table, bytes, 1);
	good = get(&payload, &got, &n);
	free(got);
	buf_fini(&payload);
	return good;
}

static void test_malformed(void **state)
{
	struct buf payload = BUF_INIT;
	struct made_range *got;
	uint32_t n;

	(void)state;
	assert_true(takes((const uint8_t[]){ 1, 0, 2, 8, 0, 0 }, 6));
	assert_false(takes((const uint8_t[]){ 1, 0, 2, 0, 0, 0 }, 6)); /* empty */
	assert_false(takes((const uint8_t[]){ 1, 0, 1, 8, 0, 0 }, 6)); /* wraps */
	assert_false(takes((const uint8_t[]){ 1, 0, 2, 8, 0, 1 }, 6)); /* known -1 */
	assert_false(takes((const uint8_t[]){ 1, 0, 2, 8, 0, 0, 0 }, 7));
	assert_false(takes((const uint8_t[]){ 2, 0, 2, 8, 0, 0 }, 6));
	put(&payload, 3);
	while (--payload.len > 11) /* not the head */
		assert_false(get(&payload, &got, &n));
	buf_fini(&payload);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_round_trip),
	cmocka_unit_test(test_malformed),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
