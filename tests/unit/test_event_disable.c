// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An event that is declared `disable` is in no mask, so that what asks for it is no code, and
 * nobody can turn it on. The table is events-disabled.def.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "events/patterns.h"
#include "format/events.h"

static void masks(void **state)
{
	(void)state;
	assert_int_equal(EVENTS_BUILT, 1 << 1 | 1 << 13);
	assert_int_equal(EVENTS_DEFAULT, 1 << 1);
}

static void patterns(void **state)
{
	struct wm_error err = { 0 };
	uint64_t mask = 0;

	(void)state;
	assert_true(events_apply(&mask, "tb_*", &err) < 0);
	assert_non_null(strstr(err.text, "built without"));
	assert_int_equal(events_apply(&mask, "*", &err), 0);
	assert_int_equal(mask, EVENTS_BUILT);
	assert_int_equal(events_apply(&mask, "-tb_translate", &err), 0);
	assert_int_equal(mask, EVENTS_BUILT);
}

static void it_is_still_known(void **state)
{
	(void)state;
	assert_string_equal(event_info(8)->name, "tb_translate");
	assert_int_equal(event_info(8)->state, EVENT_STATE_DISABLE);
	assert_int_equal(event_fields(8), 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(masks),
	cmocka_unit_test(patterns),
	cmocka_unit_test(it_is_still_known),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
