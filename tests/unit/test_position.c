// SPDX-License-Identifier: GPL-2.0-or-later
/* cli/where: every kind of place, what only looks like one, and what is none. */
#include "query/position.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct expected {
	const char *text;
	enum position_kind kind;
	const char *module, *name;
	uint64_t value;
	uint32_t times;
};

static const struct expected good[] = {
	{ "main", POSITION_SYMBOL, NULL, "main", 0, 1 },
	{ "main@3", POSITION_SYMBOL, NULL, "main", 0, 3 },
	{ "main@2k", POSITION_SYMBOL, NULL, "main", 0, 2000 },
	{ "main+4", POSITION_SYMBOL, NULL, "main", 4, 1 },
	{ "main+0x1c@20", POSITION_SYMBOL, NULL, "main", 0x1c, 20 },
	{ "libc.so*:malloc", POSITION_SYMBOL, "libc.so*", "malloc", 0, 1 },
	{ "libc.so.6:malloc+2@7", POSITION_SYMBOL, "libc.so.6", "malloc", 2, 7 },
	{ "puts@plt", POSITION_SYMBOL, NULL, "puts@plt", 0, 1 },
	{ "puts@plt@4", POSITION_SYMBOL, NULL, "puts@plt", 0, 4 },
	{ "operator+", POSITION_SYMBOL, NULL, "operator+", 0, 1 },
	{ "a::b", POSITION_SYMBOL, NULL, "a::b", 0, 1 },
	{ "a::b::c(int)@2", POSITION_SYMBOL, NULL, "a::b::c(int)", 0, 2 },
	{ "lib.so:a::b+8", POSITION_SYMBOL, "lib.so", "a::b", 8, 1 },
	{ "f.part.0", POSITION_SYMBOL, NULL, "f.part.0", 0, 1 },
	{ "insn", POSITION_SYMBOL, NULL, "insn", 0, 1 },
	{ "main.c:12", POSITION_LINE, NULL, "main.c", 12, 1 },
	{ "src/main.c:12@5", POSITION_LINE, NULL, "src/main.c", 12, 5 },
	{ "../main.c:12", POSITION_LINE, NULL, "../main.c", 12, 1 },
	{ "2.c:1", POSITION_LINE, NULL, "2.c", 1, 1 },
	{ "libz*:inflate.c:600", POSITION_LINE, "libz*", "inflate.c", 600, 1 },
	{ "0x10552", POSITION_ADDRESS, NULL, NULL, 0x10552, 1 },
	{ "0xffffffffffffffff@9", POSITION_ADDRESS, NULL, NULL, UINT64_MAX, 9 },
	{ "insn:0", POSITION_INSN, NULL, NULL, 0, 1 },
	{ "insn:5M", POSITION_INSN, NULL, NULL, 5000000, 1 },
	{ "insn:10@2", POSITION_INSN, NULL, NULL, 10, 2 },
	{ "time:0", POSITION_TIME, NULL, NULL, 0, 1 },
	{ "time:2", POSITION_TIME, NULL, NULL, 2000000000, 1 },
	{ "time:1.25", POSITION_TIME, NULL, NULL, 1250000000, 1 },
	{ "time:.5@1", POSITION_TIME, NULL, NULL, 500000000, 1 },
	{ "time:0.000000001", POSITION_TIME, NULL, NULL, 1, 1 },
	{ "marker:0", POSITION_MARKER, NULL, NULL, 0, 1 },
	{ "marker:7@12", POSITION_MARKER, NULL, NULL, 7, 12 },
	{ "syscall:write", POSITION_SYSCALL, NULL, "write", 0, 1 },
	{ "syscall:64@2", POSITION_SYSCALL, NULL, "64", 0, 2 },
};

static const char *const bad[] = {
	"",	    "@3",
	"main@0",   "main@4294967296",
	"main@3x",  ":main",
	"lib.so:",  "main.c:0",
	"12",	    "0x",
	"0xg",	    "0x1ffffffffffffffff",
	"insn:",    "insn:x",
	"insn:-1",  "time:",
	"time:x",   "time:1s",
	"time:-1",  "time:1.2.3",
	"time:2@2", "marker:",
	"marker:x", "marker:1024",
	"syscall:", "time:99999999999",
};

static void same_text(const char *got, const char *wanted)
{
	if (wanted)
		assert_string_equal(got, wanted);
	else
		assert_null(got);
}

static void same(const struct position *got, const struct expected *wanted)
{
	assert_int_equal(got->kind, wanted->kind);
	same_text(got->module, wanted->module);
	same_text(got->name, wanted->name);
	assert_int_equal(got->value, wanted->value);
	assert_int_equal(got->times, wanted->times);
}

static void test_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct position position;
		struct wm_error err;

		assert_int_equal(position_parse(&position, good[i].text, &err), 0);
		same(&position, &good[i]);
		position_fini(&position);
	}
}

static void test_none(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct position position;
		struct wm_error err = { 0 };

		assert_int_equal(position_parse(&position, bad[i], &err), WM_E_RANGE);
		assert_non_null(strstr(err.text, "is no place in a run: "));
		assert_null(position.name);
		assert_null(position.module);
	}
}

/* Each side as position_parse() has it by itself. */
static void check_window(const char *text, const char *from, const char *to)
{
	struct position got[2], wanted[2] = { { .kind = POSITION_NONE } };
	struct wm_error err;

	assert_int_equal(position_parse_window(&got[0], &got[1], text, &err), 0);
	if (from)
		assert_int_equal(position_parse(&wanted[0], from, &err), 0);
	if (to)
		assert_int_equal(position_parse(&wanted[1], to, &err), 0);
	for (unsigned i = 0; i < 2; i++) {
		same(&got[i], &(struct expected){ NULL, wanted[i].kind, wanted[i].module,
						  wanted[i].name, wanted[i].value,
						  wanted[i].times });
		position_fini(&got[i]);
		position_fini(&wanted[i]);
	}
}

static void test_windows(void **state)
{
	static const char *const none[] = { "",		"..",	 "f",
					    "f.g",	"@1..f", "f..g@0",
					    "insn:..f", "../a",	 "12..13" };
	struct position from, to;
	struct wm_error err;

	(void)state;
	check_window("f..g", "f", "g");
	check_window("f@10..f@20", "f@10", "f@20");
	check_window("f..", "f", NULL);
	check_window("..g+4", NULL, "g+4");
	check_window("time:0.5..time:1", "time:0.5", "time:1");
	check_window("0x10..0x20", "0x10", "0x20");
	check_window("main.c:1..main.c:2", "main.c:1", "main.c:2");
	check_window("../a.c:1..../b.c:2", "../a.c:1", "../b.c:2");
	check_window("x/../a.c:1..f", "x/../a.c:1", "f");
	check_window("syscall:write@2..marker:1", "syscall:write@2", "marker:1");
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_int_not_equal(position_parse_window(&from, &to, none[i], &err), 0);
}

static void test_seconds(void **state)
{
	uint64_t ns;

	(void)state;
	assert_true(position_seconds("3", &ns));
	assert_int_equal(ns, 3000000000);
	assert_true(
		position_seconds("0.0000000019", &ns)); /* no finer than a nanosecond */
	assert_int_equal(ns, 1);
	assert_false(position_seconds("", &ns));
	assert_false(position_seconds(".", &ns));
	assert_false(position_seconds("1e3", &ns));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_places),
	cmocka_unit_test(test_none),
	cmocka_unit_test(test_windows),
	cmocka_unit_test(test_seconds),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
