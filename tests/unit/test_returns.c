// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/core/returns: which of the calls that were noted is over. */
#include "plugin/core/returns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct returns *calls;

static void push(uint64_t address, uint64_t sp, uint32_t value)
{
	returns_push(&calls, (struct call){ address, sp, value });
}

/* Comes to an address: the value of the call that is over; -1: none is. */
static int come(uint64_t address, uint64_t sp)
{
	uint32_t value;

	return returns_may(calls, address) && returns_pop(calls, address, sp, &value) ?
		       (int)value :
		       -1;
}

static void test_recursion(void **state)
{
	(void)state;
	assert_false(returns_may(calls, 0x1000));
	push(0x1000, 0x9000, 0);
	push(0x2000, 0x8ff0, 0);
	push(0x2000, 0x8fe0, 0);
	assert_int_equal(come(0x3000, 0x9000), -1);
	/* Past it, with another stack pointer. */
	assert_int_equal(come(0x2000, 0x8000), -1);
	assert_int_equal(come(0x2000, 0x8fe0), 0);
	assert_int_equal(come(0x2000, 0x8fe0), -1);
	assert_int_equal(come(0x2000, 0x8ff0), 0);
	assert_int_equal(come(0x1000, 0x9000), 0);
	assert_false(returns_may(calls, 0x1000));
}

static void test_tail_calls(void **state)
{
	(void)state;
	push(0x1000, 0x9000, 1);
	push(0x1000, 0x9000, 2);
	/* By itself: it returns once. */
	push(0x1000, 0x9000, 2);
	assert_int_equal(come(0x1000, 0x9000), 2);
	assert_int_equal(come(0x1000, 0x9000), 1);
	assert_int_equal(come(0x1000, 0x9000), -1);
}

/* Calls that never return are forgotten when the stack is used again, or is left. */
static void test_jumps(void **state)
{
	(void)state;
	push(0x1000, 0x9000, 0);
	push(0x2000, 0x8ff0, 1);
	push(0x3000, 0x8fe0, 2);
	assert_int_equal(come(0x1000, 0x9000), 0);
	assert_false(returns_may(calls, 0x2000));
	assert_false(returns_may(calls, 0x3000));
	push(0x2000, 0x8ff0, 1);
	push(0x4000, 0x8ff0, 2);
	assert_int_equal(come(0x2000, 0x8ff0), -1);
	assert_int_equal(come(0x4000, 0x8ff0), 2);
}

/* A handler on a stack of its own, above the other one. */
static void test_other_stack(void **state)
{
	(void)state;
	push(0x1000, 0x9000, 0);
	push(0x2000, 0xf000, 1);
	push(0x3000, 0x8000, 2);
	/* That of the inner call on the same stack is lower; that of the handler is not. */
	assert_int_equal(come(0x1000, 0x9000), 0);
	assert_int_equal(come(0x3000, 0x8000), -1);
	assert_int_equal(come(0x2000, 0xf000), 1);
}

/* What longjmp() left of a handler, on a stack above, does not hide what it left below. */
static void test_left_handler(void **state)
{
	(void)state;
	push(0x1000, 0x9000, 0);
	push(0x2000, 0xf000, 1);
	/* The same call again, after longjmp(): it returns once. */
	push(0x1000, 0x9000, 0);
	assert_int_equal(come(0x1000, 0x9000), 0);
	assert_int_equal(come(0x1000, 0x9000), -1);
	push(0x1000, 0x9000, 0);
	push(0x2000, 0xf000, 1);
	/* Another one from its place on the stack. */
	push(0x3000, 0x9000, 2);
	assert_int_equal(come(0x3000, 0x9000), 2);
	assert_int_equal(come(0x1000, 0x9000), -1);
	assert_int_equal(come(0x2000, 0xf000), 1);
}

/* The older half is forgotten. */
static void test_many(void **state)
{
	unsigned n = 1u << 20;

	(void)state;
	for (unsigned i = 0; i <= n; i++)
		push(0x1000, 0x9000000 - 16 * i, i % 5);
	for (unsigned i = n; i >= n / 2; i--)
		assert_int_equal(come(0x1000, 0x9000000 - 16 * i), i % 5);
	assert_int_equal(come(0x1000, 0x9000000 - 16 * (n / 2 - 1)), -1);
}

/* In the kernel, that a program called, nothing is said of the program's calls; nor behind it. */
static void test_kernel(void **state)
{
	const uint64_t top = UINT64_C(1) << 63;

	(void)state;
	push(0x1000, 0x9000, 0);
	push(top | 0x1000, top | 0x9000, 1);
	/* One that never returned: its place on the stack is used again behind a program's call. */
	push(top | 0x2000, top | 0x8ff0, 2);
	push(0x2000, 0x8ff0, 3);
	push(top | 0x3000, top | 0x8ff0, 4);
	assert_int_equal(come(top | 0x2000, top | 0x8ff0), -1);
	assert_int_equal(come(top | 0x1000, top | 0x9000), 1);
	assert_int_equal(come(0x2000, 0x8ff0), 3);
	assert_int_equal(come(0x1000, 0x9000), 0);
	assert_int_equal(come(top | 0x3000, top | 0x8ff0), -1);
}

/* A child returns from what its parent called; a program that another replaces, from nothing. */
static void test_processes(void **state)
{
	const uint64_t top = UINT64_C(1) << 63;
	struct returns *child = NULL, *none = NULL;
	uint32_t value;

	(void)state;
	push(0x1000, 0x9000, 0);
	push(0x2000, 0x8ff0, 1);
	push(top | 0x1000, top | 0x9000, 2);
	returns_fork(&child, calls);
	returns_fork(&none, NULL);
	assert_null(none);
	assert_false(returns_pop(child, top | 0x1000, top | 0x9000, &value));
	assert_true(returns_pop(child, 0x2000, 0x8ff0, &value));
	assert_int_equal(value, 1);
	assert_true(returns_pop(child, 0x1000, 0x9000, &value));
	returns_free(child);
	returns_leave(calls);
	returns_leave(NULL);
	assert_int_equal(come(0x2000, 0x8ff0), -1);
	assert_int_equal(come(0x1000, 0x9000), -1);
	assert_int_equal(come(top | 0x1000, top | 0x9000), 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_recursion),    cmocka_unit_test(test_tail_calls),
	cmocka_unit_test(test_jumps),	     cmocka_unit_test(test_other_stack),
	cmocka_unit_test(test_left_handler), cmocka_unit_test(test_many),
	cmocka_unit_test(test_kernel),	     cmocka_unit_test(test_processes),
};

int main(void)
{
	return cmocka_run_group_tests_name("returns", tests, NULL, NULL);
}
