// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the plugin's probes are given: with a header of our own in the place of sys/sdt.h,
 * each is a call of a function here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plugin/core/probes.h"

void probe_fired(const char *name, ...);

static const char *fired;
static uint64_t values[9];

static unsigned count_fields(const char *name)
{
	const struct event_info *info;
	unsigned at = 0;

	while ((info = event_info_at(at)) && strcmp(info->name, name))
		at++;
	assert_non_null(info);
	return info->n_numbers + !!event_text_field(info);
}

void probe_fired(const char *name, ...)
{
	va_list args;

	fired = name;
	va_start(args, name);
	for (unsigned i = 0; i < count_fields(name); i++)
		values[i] = va_arg(args, uint64_t);
	va_end(args);
}

static void arguments_are_the_fields(void **state)
{
	static const uint64_t fields[] = { 56, 1, 2, 3, 4, 5, 6 };

	(void)state;
	waymark_syscall_semaphore = 1;
	probes_fire(WM_EVENT_SYSCALL, fields, 7, "path");
	waymark_syscall_semaphore = 0;
	assert_string_equal(fired, "syscall");
	assert_memory_equal(values, fields, sizeof(fields));
	assert_string_equal((const char *)(uintptr_t)values[7], "path");
}

static void only_who_is_traced_fires(void **state)
{
	static const uint64_t fields[] = { 64, 9 };

	(void)state;
	fired = NULL;
	waymark_fork_semaphore = 1;
	probes_fire(WM_EVENT_SYSCALL_RET, fields, 2, NULL);
	assert_null(fired);
	assert_false(probes_on(WM_EVENT_SYSCALL_RET));
	assert_true(probes_on(WM_EVENT_FORK));
	probes_fire(WM_EVENT_FORK, fields, 1, NULL);
	waymark_fork_semaphore = 0;
	assert_string_equal(fired, "fork");
	assert_int_equal(values[0], 64);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(arguments_are_the_fields),
	cmocka_unit_test(only_who_is_traced_fires),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
