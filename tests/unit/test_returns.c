// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/core/returns: which of the calls that were noted is over. */
#include "plugin/core/returns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void push(uint64_t address, uint64_t sp, uint32_t value)
{
	returns_push((struct call){ address, sp, value });
}

/* Comes to an address: the value of the call that is over; -1: none is. */
static int come(uint64_t address, uint64_t sp)
{
	uint32_t value;

	return returns_may(address) && returns_pop(address, sp, &value) ? (int)value : -1;
}

static void test_recursion(void **state)
{
	(void)state;
	assert_false(returns_may(0x1000));
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
	assert_false(returns_may(0x1000));
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
	assert_false(returns_may(0x2000));
	assert_false(returns_may(0x3000));
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

/* The oldest are forgotten. */
static void test_many(void **state)
{
	unsigned n = 1u << 16;

	(void)state;
	for (unsigned i = 0; i <= n; i++)
		push(0x1000, 0x9000000 - 16 * i, i % 5);
	for (unsigned i = n; i; i--)
		assert_int_equal(come(0x1000, 0x9000000 - 16 * i), i % 5);
	assert_int_equal(come(0x1000, 0x9000000), -1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_recursion), cmocka_unit_test(test_tail_calls),
	cmocka_unit_test(test_jumps),	  cmocka_unit_test(test_other_stack),
	cmocka_unit_test(test_many),
};

int main(void)
{
	return cmocka_run_group_tests_name("returns", tests, NULL, NULL);
}
