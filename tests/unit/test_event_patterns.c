// SPDX-License-Identifier: GPL-2.0-or-later
/* Which events patterns turn on and off, in their order, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "events/patterns.h"
#include "format/events.h"

#define BIT(NAME) (UINT64_C(1) << WM_EVENT_##NAME)

static const uint64_t calls = BIT(SYSCALL) | BIT(SYSCALL_RET);

static uint64_t applied(uint64_t mask, const char *patterns)
{
	struct wm_error err = { 0 };

	if (events_apply(&mask, patterns, &err))
		fail_msg("%s: %s", patterns, err.text);
	return mask;
}

static void check_refused(const char *patterns, const char *why)
{
	struct wm_error err = { 0 };
	uint64_t mask = BIT(FORK);

	assert_true(events_apply(&mask, patterns, &err) < 0);
	if (!strstr(err.text, why))
		fail_msg("%s: %s", patterns, err.text);
	assert_int_equal(mask, BIT(FORK));
}

static void the_default(void **state)
{
	(void)state;
	assert_int_equal(EVENTS_DEFAULT & calls, calls);
	assert_int_equal(EVENTS_DEFAULT & BIT(TB_TRANSLATE), 0);
	assert_int_equal(EVENTS_DEFAULT & ~EVENTS_BUILT, 0);
}

static void globs(void **state)
{
	(void)state;
	assert_int_equal(applied(0, "syscall"), BIT(SYSCALL));
	assert_int_equal(applied(0, "syscall*"), calls);
	assert_int_equal(applied(0, "syscall_?et"), BIT(SYSCALL_RET));
	assert_int_equal(applied(0, "[fe]*"), BIT(FORK) | BIT(EXEC));
	assert_int_equal(applied(0, "*"), EVENTS_BUILT);
	assert_int_equal(applied(EVENTS_BUILT, "-*"), 0);
}

static void lists_in_order(void **state)
{
	(void)state;
	assert_int_equal(applied(0, "syscall*,-syscall"), BIT(SYSCALL_RET));
	assert_int_equal(applied(0, "-syscall,syscall*"), calls);
	assert_int_equal(applied(EVENTS_DEFAULT, "-*,fork"), BIT(FORK));
	assert_int_equal(applied(0, ",fork,, exec,"), BIT(FORK) | BIT(EXEC));
	assert_int_equal(applied(applied(0, "*munmap"), "-mmap"), BIT(MUNMAP));
}

static void refused(void **state)
{
	(void)state;
	check_refused("nothing", "no event is called \"nothing\"");
	check_refused("-nothing", "no event is called \"nothing\"");
	check_refused("fork,syscal", "\"syscal\"");
	check_refused("", "no event");
	check_refused(",", "no event");
	check_refused("-", "no event");
	check_refused("@/nonexistent/file", "/nonexistent/file");
}

static void files(void **state)
{
	char path[] = "patterns-XXXXXX", argument[64];
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	(void)state;
	fputs("# calls, but not\n\n  syscall*, fork # what they return\n-syscall_ret\n",
	      file);
	fclose(file);
	snprintf(argument, sizeof(argument), "exec,@%s,-fork", path);
	assert_int_equal(applied(0, argument), BIT(SYSCALL) | BIT(EXEC));
	unlink(path);
}

static void files_refused(void **state)
{
	char path[] = "patterns-XXXXXX", argument[64], where[80];
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	(void)state;
	fprintf(file, "fork\n\nsyscal\n@%s\n", path);
	fclose(file);
	snprintf(argument, sizeof(argument), "@%s", path);
	snprintf(where, sizeof(where), "%s, line 3: ", path);
	check_refused(argument, where);
	file = fopen(path, "w");
	fprintf(file, "@%s\n", path);
	fclose(file);
	check_refused(argument, "cannot name another");
	unlink(path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_default),	  cmocka_unit_test(globs),
	cmocka_unit_test(lists_in_order), cmocka_unit_test(refused),
	cmocka_unit_test(files),	  cmocka_unit_test(files_refused),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
