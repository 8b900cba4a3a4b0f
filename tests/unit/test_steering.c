// SPDX-License-Identifier: GPL-2.0-or-later
/* collect/steering: orders as the plugins read them, and who is wanted. */
#include "collect/steering.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct orders *orders;

static int begin(void **state)
{
	(void)state;
	orders = calloc(1, sizeof(*orders));
	return orders ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	free(orders);
	return 0;
}

static void test_everything(void **state)
{
	struct message_module module = { .ino = 1 };
	struct steered steered;

	(void)state;
	assert_int_equal(steered_init(&steered, NULL, orders, 7, NULL), 0);
	assert_int_equal(orders->begin_ns, 7);
	assert_int_equal(orders->windows, 0);
	assert_false(orders->has_only);
	assert_false(steered_needs(&steered, &module));
	assert_true(steered_wants_process(&steered, 0, 1, "/bin/x"));
	assert_true(steered_wants_thread(&steered, 0, "", NULL));
	assert_false(steered_has_enough(&steered, UINT64_MAX, UINT64_MAX));
	steered_fini(&steered);
}

static void test_orders(void **state)
{
	struct landmark landmarks[] = {
		{ .kind = LANDMARK_ADDRESS, .value = 16, .end = 17, .sense = ORDER_TO },
		{ .kind = LANDMARK_MODULE, .module = "libc*", .sense = ORDER_ONLY },
	};
	struct steering steering = {
		.n_windows = 1,
		.landmarks = landmarks,
		.n_landmarks = 2,
		.max_insns = 5,
		.then_exit = true,
	};
	struct message_module module = { .dev = 2, .ino = 3, .mtime_ns = 4 };
	struct steered steered;

	(void)state;
	steering.windows[0].bounds.from = (struct order_point){ POINT_INSN, 1, 9 };
	steering.windows[0].bounds.to = (struct order_point){ POINT_PLACE, 2, 0 };
	assert_int_equal(steered_init(&steered, &steering, orders, 7, NULL), 0);
	assert_int_equal(orders->windows, 1);
	assert_int_equal(orders->window[0].from.value, 9);
	assert_int_equal(orders->max_insns, 5);
	assert_true(orders->then_exit);
	assert_true(orders->has_only);
	assert_int_equal(atomic_load(&orders->places), 1);
	assert_int_equal(orders->place[0].start, 16);
	assert_int_equal(orders->place[0].ino, 0);

	/* A file is looked through once, until it has changed. */
	assert_true(steered_needs(&steered, &module));
	steered_module(&steered, &module, -1, "/lib/libc.so.6", "");
	assert_int_equal(atomic_load(&orders->places), 2);
	assert_int_equal(orders->place[1].dev, 2);
	assert_int_equal(orders->place[1].ino, 3);
	assert_int_equal(orders->place[1].sense, ORDER_ONLY);
	assert_false(steered_needs(&steered, &module));
	module.mtime_ns = 5;
	assert_true(steered_needs(&steered, &module));
	module.ino = 9;
	steered_module(&steered, &module, -1, "/lib/libm.so.6", "");
	assert_int_equal(atomic_load(&orders->places), 2);

	/* A file of a machine is the number that the plugin gave it. */
	module.file = 6;
	assert_true(steered_needs(&steered, &module));
	steered_module(&steered, &module, -1, "/lib/libc.so.6", "");
	assert_false(steered_needs(&steered, &module));
	assert_true(orders->place[2].dev == ORDER_MACHINE && orders->place[2].ino == 6);
	module.file = 0;

	/* What the guest makes of the board is not believed. */
	atomic_store(&orders->places, UINT32_MAX);
	module.ino = 10;
	steered_module(&steered, &module, -1, "/lib/libc.so.6", "");
	assert_int_equal(atomic_load(&orders->places), 4);
	steered_fini(&steered);
}

static void test_overflow(void **state)
{
	struct landmark landmark = { .kind = LANDMARK_MODULE,
				     .module = "*",
				     .sense = ORDER_ONLY };
	struct steering steering = { .landmarks = &landmark, .n_landmarks = 1 };
	struct message_module module = { .dev = 1 };
	struct steered steered;

	(void)state;
	assert_int_equal(steered_init(&steered, &steering, orders, 0, NULL), 0);
	steered.places = ORDER_PLACES_MAX - 1;
	for (module.ino = 1; module.ino <= 2; module.ino++) {
		assert_false(steered.outcome.overflow);
		steered_module(&steered, &module, -1, "/x", "");
	}
	assert_true(steered.outcome.overflow);
	assert_int_equal(atomic_load(&orders->places), ORDER_PLACES_MAX);
	steered_fini(&steered);
}

static void test_windows(void **state)
{
	struct steering steering = { .n_windows = 2 };
	struct steered steered;

	(void)state;
	steering.windows[0].bounds.from.kind = POINT_INSN;
	assert_int_equal(steered_init(&steered, &steering, orders, 0, NULL), 0);
	assert_true(steered_has_begun(&steered)); /* the second one has no start */
	steering.windows[1].bounds.from.kind = POINT_MARKER;
	assert_false(steered_has_begun(&steered));
	steering.windows[1].bounds.from.kind = POINT_NONE;
	assert_true(steering_missed(&steering, &steered.outcome, 0));
	assert_false(steering_missed(&steering, &steered.outcome, 1));
	steered_window(&steered, WM_WINDOW_OPENS, 0);
	steered_window(&steered, WM_WINDOW_CLOSES, 0);
	steered_window(&steered, WM_WINDOW_OPENS, WM_WINDOW_WISH);
	steered_window(&steered, WM_WINDOW_OPENS, UINT64_MAX);
	steering.windows[1].bounds.from.kind = POINT_MARKER;
	assert_true(steered_has_begun(&steered));
	steering.windows[1].bounds.from.kind = POINT_NONE;
	assert_false(steering_missed(&steering, &steered.outcome, 0));
	assert_int_equal(steered.outcome.opened[0], 1);
	assert_int_equal(steered.outcome.closed[0], 1);
	steered_fini(&steered);
}

static void test_names(void **state)
{
	struct steering_name names[] = {
		{ .pattern = "work*" },
		{ .pattern = "3", .is_number = true, .number = 3 },
		{ .pattern = "worker9", .is_except = true },
		{ .pattern = "sh", .is_process = true, .is_except = true },
		{ .pattern = "700",
		  .is_process = true,
		  .is_except = true,
		  .is_number = true,
		  .number = 700 },
	};
	struct steering steering = { .names = names, .n_names = 5 };
	struct steered steered;

	(void)state;
	assert_int_equal(steered_init(&steered, &steering, orders, 0, NULL), 0);
	assert_true(steered_wants_thread(&steered, 0, "worker1", "/bin/p"));
	assert_true(steered_wants_thread(&steered, 3, "", "/bin/p"));
	assert_true(steered_wants_thread(&steered, 1, "", "/bin/workbench"));
	assert_false(steered_wants_thread(&steered, 1, "", "/worker/p"));
	assert_false(steered_wants_thread(&steered, 3, "worker9", "/bin/p"));
	assert_false(steered_wants_thread(&steered, 1, "", NULL));
	/* Nothing but --except: all others are wanted. */
	assert_true(steered_wants_process(&steered, 0, 699, "/bin/p"));
	assert_false(steered_wants_process(&steered, 0, 699, "/bin/sh"));
	assert_false(steered_wants_process(&steered, 0, 700, "/bin/p"));
	assert_false(steered_wants_process(&steered, 700, 1, "/bin/p"));
	steered_fini(&steered);
}

static void test_limits(void **state)
{
	struct steering steering = { .max_bytes = 100, .max_ns = 1000 };
	struct steered steered;

	(void)state;
	assert_int_equal(steered_init(&steered, &steering, orders, 0, NULL), 0);
	assert_false(steered_has_enough(&steered, 99, 999));
	assert_true(steered_has_enough(&steered, 100, 0));
	assert_true(steered_has_enough(&steered, 0, 1000));
	steered_fini(&steered);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_everything, begin, end),
	cmocka_unit_test_setup_teardown(test_orders, begin, end),
	cmocka_unit_test_setup_teardown(test_overflow, begin, end),
	cmocka_unit_test_setup_teardown(test_windows, begin, end),
	cmocka_unit_test_setup_teardown(test_names, begin, end),
	cmocka_unit_test_setup_teardown(test_limits, begin, end),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
