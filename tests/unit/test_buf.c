// SPDX-License-Identifier: GPL-2.0-or-later
/* base/buf: what is put is got, and nothing is got from beyond the end. */
#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t numbers[] = {
	0,
	1,
	127,
	128,
	129,
	16383,
	16384,
	1u << 21,
	UINT32_MAX,
	1ull << 35,
	1ull << 56,
	1ull << 63,
	UINT64_MAX - 1,
	UINT64_MAX,
};
enum { NUMBERS = sizeof(numbers) / sizeof(*numbers) };

static void test_ints(void **state)
{
	struct buf buf = BUF_INIT;
	struct span span;

	(void)state;
	buf_put_u8(&buf, 0xfe);
	buf_put_u32(&buf, 0x12345678);
	buf_put_u64(&buf, 0x123456789abcdef0);
	assert_false(buf.failed);
	assert_int_equal(buf.len, 13);
	assert_memory_equal(buf.data,
			    "\xfe\x78\x56\x34\x12\xf0\xde\xbc\x9a\x78\x56\x34\x12", 13);
	span = span_of(buf.data, buf.len);
	assert_int_equal(span_u8(&span), 0xfe);
	assert_int_equal(span_u32(&span), 0x12345678);
	assert_int_equal(span_left(&span), 8);
	assert_int_equal(span_u64(&span), 0x123456789abcdef0);
	assert_false(span.failed);
	assert_int_equal(span_u8(&span), 0);
	assert_true(span.failed);
	buf_fini(&buf);
	assert_null(buf.data);
}

static void test_varints(void **state)
{
	struct buf buf = BUF_INIT;
	struct span span;

	(void)state;
	for (unsigned i = 0; i < NUMBERS; i++)
		buf_put_varint(&buf, numbers[i]);
	span = span_of(buf.data, buf.len);
	for (unsigned i = 0; i < NUMBERS; i++)
		assert_int_equal(span_varint(&span), numbers[i]);
	assert_int_equal(span_left(&span), 0);
	assert_false(span.failed);
	/* Cut at every place, it is never more than what was put. */
	for (size_t cut = 0; cut < buf.len; cut++) {
		span = span_of(buf.data, cut);
		for (unsigned i = 0; i < NUMBERS; i++) {
			uint64_t got = span_varint(&span);

			assert_true(got == (span.failed ? 0 : numbers[i]));
		}
		assert_true(span.failed);
	}
	buf_fini(&buf);
}

/* Reads the bytes as one varint; false when refused. */
static bool varint_is(const char *bytes, size_t n, uint64_t value)
{
	struct span span = span_of(bytes, n);
	uint64_t got = span_varint(&span);

	return !span.failed && got == value;
}

static void test_odd_varints(void **state)
{
	(void)state;
	assert_true(varint_is("\x80\x00", 2, 0)); /* longer than it need be */
	assert_true(
		varint_is("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX));
	assert_false(
		varint_is("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, UINT64_MAX));
	assert_false(varint_is("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, 0));
	assert_false(varint_is("", 0, 0));
}

static void test_zigzag(void **state)
{
	static const int64_t signed_numbers[] = { 0, -1, 1, -2, 2, INT64_MAX, INT64_MIN };

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(zigzag(signed_numbers[i]), i);
	for (unsigned i = 0; i < 7; i++)
		assert_true(unzigzag(zigzag(signed_numbers[i])) == signed_numbers[i]);
}

static void test_strings(void **state)
{
	struct buf buf = BUF_INIT;
	char *text = malloc(100001);
	struct span span;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', 100000);
	text[100000] = 0;
	buf_put_string(&buf, "");
	buf_put_string(&buf, text);
	buf_put_varint(&buf, 3);
	buf_put(&buf, "a\0b", 3);
	buf_put_varint(&buf, UINT64_MAX); /* a string longer than all there is */
	span = span_of(buf.data, buf.len);
	for (unsigned i = 0; i < 3; i++) {
		char *got = span_string(&span);
		const char *const wanted[] = { "", text, "a" };

		assert_string_equal(got, wanted[i]);
		free(got);
	}
	assert_null(span_string(&span));
	assert_true(span.failed);
	free(text);
	buf_fini(&buf);
}

static void test_subs(void **state)
{
	struct span span = span_of("abcdef", 6), sub = span_sub(&span, 2);

	(void)state;
	assert_int_equal(span_left(&sub), 2);
	assert_int_equal(span_u8(&sub), 'a');
	assert_int_equal(span_u32(&sub), 0);
	assert_true(sub.failed);
	assert_false(span.failed);
	assert_memory_equal(span_bytes(&span, 2), "cd", 2);
	sub = span_sub(&span, 3);
	assert_true(sub.failed && span.failed);
	assert_int_equal(span_left(&sub), 0);
	assert_null(span_bytes(&span, 0)); /* failed once is failed for good */
}

static void test_reserve(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	buf_put(&buf, NULL, 0);
	assert_int_equal(buf.len, 0);
	assert_true(buf_reserve(&buf, 0));
	for (unsigned i = 0; i < 100000; i++)
		buf_put_u8(&buf, (uint8_t)i);
	for (unsigned i = 0; i < 100000; i++)
		assert_int_equal(buf.data[i], (uint8_t)i);
	assert_true(buf_reserve(&buf, 1 << 20));
	assert_true(buf.cap - buf.len >= 1 << 20);
	buf_fini(&buf);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ints),	    cmocka_unit_test(test_varints),
	cmocka_unit_test(test_odd_varints), cmocka_unit_test(test_zigzag),
	cmocka_unit_test(test_strings),	    cmocka_unit_test(test_subs),
	cmocka_unit_test(test_reserve),
};

int main(void)
{
	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
