// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program/inlines and elf/inlines: where this test's own functions were inlined, and
 * damaged copies of it that must do no harm.
 */
#include "program/inlines.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "program/symbols.h"

#define SELF "/proc/self/exe"

/* clang-format off */
static inline __attribute__((always_inline)) int twice_as_much(volatile int *x)
{
	*x = 1;
	*x = 2;
	return *x;
}
enum { FIRST_LINE = __LINE__ + 4, SECOND_LINE = FIRST_LINE + 5 };
__attribute__((noinline, noclone)) int first_caller(volatile int *x);
__attribute__((noinline, noclone)) int first_caller(volatile int *x)
{
	return twice_as_much(x) + 3;
}
__attribute__((noinline, noclone)) int second_caller(volatile int *x);
__attribute__((noinline, noclone)) int second_caller(volatile int *x)
{
	return twice_as_much(x) * 5;
}
/* clang-format on */

static void test_own(void **state)
{
	volatile int x = 0;
	struct inlines inlines;
	char text[256], wanted[256];

	(void)state;
	assert_int_equal(first_caller(&x) + second_caller(&x), 15);
	inlines_init(&inlines, "twice_as_*");
	inlines_add(&inlines, 7, SELF);
	assert_false(inlines.failed);
	assert_int_equal(inlines.n_calls, 2);
	assert_true(inlines.n_parts >= 2);
	for (size_t i = 0; i < inlines.n_parts; i++) {
		assert_int_equal(inlines.parts[i].file, 7);
		assert_true(inlines.parts[i].start < inlines.parts[i].end);
		assert_true(inlines.parts[i].call < 2);
	}
	for (unsigned i = 0; i < 2; i++) {
		const struct inlined_call *call = &inlines.calls[i];
		bool first = !strcmp(call->into, "first_caller");

		assert_string_equal(call->name, "twice_as_much");
		assert_string_equal(call->source, "test_inlines.c");
		assert_int_equal(call->line, first ? FIRST_LINE : SECOND_LINE);
	}
	snprintf(wanted, sizeof(wanted),
		 "into %s (test_inlines.c:%u) and at 1 more place", inlines.calls[0].into,
		 inlines.calls[0].line);
	inlines_places(&inlines, text, sizeof(text));
	assert_string_equal(text, wanted);
	inlines_fini(&inlines);
}

static void test_none(void **state)
{
	static const char *const patterns[] = { "thrice_as_much", "first_caller", "" };
	struct inlines inlines;
	char text[8] = "x";

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		inlines_init(&inlines, patterns[i]);
		inlines_add(&inlines, 0, SELF);
		inlines_add(&inlines, 1, "no such file");
		inlines_add(&inlines, 2, "/proc/self/maps");
		assert_int_equal(inlines.n_calls, 0);
		inlines_places(&inlines, text, sizeof(text));
		assert_string_equal(text, "");
		inlines_fini(&inlines);
	}
}

static void use(const uint8_t *bytes, size_t n)
{
	struct inlines inlines;
	int fd = open("damaged", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
	inlines_init(&inlines, "*");
	inlines_add(&inlines, 0, "damaged");
	for (size_t i = 0; i < inlines.n_parts; i++)
		assert_true(inlines.parts[i].call < inlines.n_calls);
	inlines_fini(&inlines);
	unlink("damaged");
}

/* Bytes are spoiled all over the file, most of which is debugging information. */
static void test_damaged(void **state)
{
	enum { COPIES = 120, SPOILED = 40 };
	int fd = open(SELF, O_RDONLY | O_CLOEXEC);
	uint32_t seed = 1;
	struct stat st;
	uint8_t *good, *bad;
	size_t n;

	(void)state;
	assert_int_equal(fstat(fd, &st), 0);
	n = (size_t)st.st_size;
	good = malloc(n);
	bad = malloc(n);
	assert_int_equal(read(fd, good, n), n);
	close(fd);
	for (unsigned i = 0; i < COPIES; i++) {
		memcpy(bad, good, n);
		for (unsigned j = 0; j < SPOILED; j++) {
			seed = seed * 1664525 + 1013904223;
			bad[64 + (seed >> 3) % (n - 64)] = (uint8_t)seed;
		}
		use(bad, n);
	}
	for (size_t cut = n; cut > 64; cut -= cut / 8 + 1)
		use(good, cut);
	free(good);
	free(bad);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_own),
	cmocka_unit_test(test_none),
	cmocka_unit_test(test_damaged),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
