// SPDX-License-Identifier: GPL-2.0-or-later
/* program/made/name: functions, places and tiers in the names of generated code. */
#include "program/made/name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* "whole|name|file|line|tier" */
static const char *parts_of(const char *text)
{
	static char parts[256];
	struct made_name is = made_name_of(text);

	snprintf(parts, sizeof(parts), "%s|%.*s|%.*s|%u|%c", is.name, (int)is.name_bytes,
		 is.name, (int)is.file_bytes, is.file, is.line, is.tier ? is.tier : '-');
	return parts;
}

static void test_places(void **state)
{
	(void)state;
	assert_string_equal(parts_of("JS:~fib /app.js:3:13"),
			    "fib /app.js:3:13|fib|/app.js|3|~");
	assert_string_equal(parts_of("JS:*get x node:fs:7:1"),
			    "get x node:fs:7:1|get x|node:fs|7|*");
	assert_string_equal(parts_of("Eval:^ /my app.js:6:41"),
			    " /my app.js:6:41||/my app.js|6|^");
	assert_string_equal(parts_of("TRACE:*12(11/1) app.lua:7"),
			    "app.lua:7||app.lua|7|*");
	assert_string_equal(parts_of("TRACE:*12(11/1) my app.lua:7"),
			    "my app.lua:7||my app.lua|7|*");
	assert_string_equal(parts_of("second /a/b.js:12"),
			    "second /a/b.js:12|second|/a/b.js|12|-");
	assert_string_equal(parts_of("b.js:12"), "b.js:12||b.js|12|-");
	assert_string_equal(parts_of("JS:~made :1:17"), "made :1:17|made||1|~");
	assert_string_equal(parts_of("JS:* :2:1"), " :2:1|||2|*");
}

static void test_wasm(void **state)
{
	struct made_name is = made_name_of("JS:two words-17-turbofan");

	(void)state;
	assert_int_equal(is.bytes, strlen("two words-17"));
	assert_int_equal(is.name_bytes, strlen("two words"));
	assert_true(is.is_method && is.tier == '*' && !is.line);
	is = made_name_of("JS:wasm-function[3]-3-liftoff");
	assert_int_equal(is.name_bytes, strlen("wasm-function[3]"));
	assert_true(is.is_method && is.tier == '+');
	assert_false(made_name_of("JS:-3-liftoff").is_method);
	assert_false(made_name_of("JS:f--liftoff").is_method);
	assert_false(made_name_of("f-3-liftoff").is_method);
	assert_false(made_name_of("JS:3-liftoff").is_method);
	assert_true(made_name_is_method("JS:f-3-liftoff"));
	assert_true(made_name_is_method("JS:*f /a.js:1:2"));
	assert_true(made_name_is_method("Tiers.fib [C1 tier 3]"));
	assert_false(made_name_is_method("call_stub [stub]"));
	assert_false(made_name_is_method("TRACE:*1 a.lua:2 [exits]"));
	assert_false(made_name_is_method("Builtin:LoadIC"));
}

static void test_none(void **state)
{
	(void)state;
	assert_string_equal(parts_of("Builtin:LoadIC"), "LoadIC|LoadIC||0|-");
	assert_string_equal(parts_of("JS:~late"), "late|late||0|~");
	assert_string_equal(parts_of("std::sort"), ":sort|:sort||0|-");
	assert_string_equal(parts_of("a:0"), "0|0||0|-");
	assert_string_equal(parts_of("f /a.js:1234567890"),
			    "f /a.js:1234567890|f /a.js:1234567890||0|-");
	assert_string_equal(parts_of(":12"), ":12|:12||0|-");
	assert_string_equal(parts_of(""), "|||0|-");
	assert_string_equal(parts_of("JS:"), "|||0|-");
}

static void test_fits(void **state)
{
	(void)state;
	assert_true(made_name_fits("fib", "JS:~fib /app.js:3:13"));
	assert_true(made_name_fits("f*", "JS:*fib /app.js:3:13"));
	assert_true(made_name_fits("made", "JS:~made :1:17"));
	assert_false(made_name_fits("fi", "JS:*fib /app.js:3:13"));
	assert_true(made_name_fits("(anonymous)", "JS:* /app.js:3:13"));
	assert_true(made_name_fits("(anonymous)", "TRACE:*2 app.lua:4"));
	assert_false(made_name_fits("(anonymous)", "JS:*fib /app.js:3:13"));
	assert_false(made_name_fits("(anonymous)", "TRACE:*1 a.lua:2 [exits]"));
	/* Of code that is no function's the whole name counts. */
	assert_false(made_name_fits("LoadIC", "Builtin:LoadIC"));
}

static void test_path(void **state)
{
	char room[16];

	(void)state;
	assert_string_equal(made_name_path("file:///a%20b/c.js", room, 16), "/a b/c.js");
	assert_string_equal(made_name_path("file:///gr%C3%b6.js", room, 16),
			    "/gr\xc3\xb6.js");
	assert_string_equal(made_name_path("file:///1%2", room, 16), "/1%2");
	assert_string_equal(made_name_path("file:///%zz%00", room, 16), "/%zz%00");
	assert_string_equal(made_name_path("/a%20b.js", room, 16), "/a%20b.js");
	assert_string_equal(made_name_path("file://host/a.js", room, 16),
			    "file://host/a.js");
	assert_string_equal(made_name_path("file:///23456789012345", room, 16),
			    "/23456789012345");
	assert_string_equal(made_name_path("file:///234567890123456", room, 16),
			    "file:///234567890123456");
	assert_string_equal(made_name_path("", room, 16), "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_places), cmocka_unit_test(test_fits),
	cmocka_unit_test(test_none),   cmocka_unit_test(test_wasm),
	cmocka_unit_test(test_path),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
