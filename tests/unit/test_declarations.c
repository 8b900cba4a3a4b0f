// SPDX-License-Identifier: GPL-2.0-or-later
/* events/declarations: what QEMU declares of its events, and arguments printed by it. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "events/declarations.h"

static struct wm_error err;
static uint8_t arguments[1024];
static size_t bytes;

static int read_text(struct declarations **declarations, const char *text)
{
	int fd = memfd_create("declarations", MFD_CLOEXEC), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	ret = declarations_read(declarations, fd, &err);
	close(fd);
	return ret;
}

static void put_word(uint64_t value)
{
	memcpy(arguments + bytes, &value, sizeof(value));
	bytes += sizeof(value);
}

static void put_string(const char *text)
{
	uint32_t length = (uint32_t)strlen(text);

	memcpy(arguments + bytes, &length, sizeof(length));
	memcpy(arguments + bytes + 4, text, length);
	bytes += 4 + length;
}

/* What the arguments are in words of the one declaration of `text`; they are used up. */
static void check(const char *text, const char *wanted)
{
	struct declarations *declarations;
	const struct declaration *one;
	char got[256];
	size_t n;

	assert_int_equal(read_text(&declarations, text), 0);
	one = declarations_find(declarations, "one");
	assert_non_null(one);
	n = declaration_print(one, got, sizeof(got), arguments, bytes);
	assert_int_equal(n, strlen(wanted));
	assert_memory_equal(got, wanted, n);
	for (size_t size = 0; size < n; size++)
		assert_int_equal(declaration_print(one, got, size, arguments, bytes),
				 SIZE_MAX);
	for (size_t less = 0; less < bytes; less++)
		assert_int_equal(declaration_print(one, got, sizeof(got), arguments,
						   less),
				 SIZE_MAX);
	assert_int_equal(declaration_print(one, got, sizeof(got), arguments, bytes + 1),
			 SIZE_MAX);
	declarations_free(declarations);
	bytes = 0;
}

static void test_numbers(void **state)
{
	(void)state;
	check("one(void) \"\"", "");
	check("one(void) \"a \\\"b\\\" \\\\\"", "a \"b\" \\");
	check("one(void) \"100%% of\" \" it\"", "100% of it");
	put_word(UINT64_MAX);
	put_word(UINT64_MAX - 1);
	put_word(0x1234567890);
	check("one(int a, int64_t b, unsigned c) \"%d %\"PRId64\" %u\"",
	      "-1 -2 878082192");
	put_word(0xabc);
	put_word(0xabc);
	put_word(0xabc);
	put_word(0xabc);
	check("one(int a, int b, int c, int d) \"%x %08x|%-6X|%6x|\"",
	      "abc 00000abc|ABC   |   abc|");
	put_word(0xfedcba9876543210);
	put_word(0xfedcba9876543210);
	put_word(0xfedcba9876543210);
	put_word(0xfedcba9876543210);
	check("one(u a, u b, u c, u d) \"%lx %x %hx %hhx\"",
	      "fedcba9876543210 76543210 3210 10");
}

static void test_more_numbers(void **state)
{
	(void)state;
	put_word(7);
	put_word(8);
	put_word(9);
	put_word(10);
	put_word(0);
	check("one(u a, u b, u c, u d, u e) \"0x%016\"PRIx64\" %\" PRIu32 \" %\"PRIxPTR\" %#x %#x\"",
	      "0x0000000000000007 8 9 0xa 0");
	put_word(0xffffffffffffff85);
	put_word(0x55aa);
	put_word(0);
	put_word('x');
	put_word(8);
	check("one(int a, void *b, void *c, char d, int o) \"%06d %p %p %c %o\"",
	      "-00123 0x55aa (nil) x 10");
}

static void test_strings(void **state)
{
	(void)state;
	put_string("file");
	put_word(3);
	put_string("");
	check("one(const char *name, int n, char *more) \"%s:%d:%s\"", "file:3:");
	put_string("ab");
	put_string("cd");
	check("one(const char *a, char* b) \"%-4s|%4s\"", "ab  |  cd");
}

static void test_properties(void **state)
{
	(void)state;
	put_word(0x1000);
	put_word(64);
	check("vcpu one(uint64_t num) \"num=%\"PRIu64", "cpu=0x1000 num=64");
	put_word(16);
	check("# one(void) \"none\"\n\nother(void) \"\"\ndisable vcpu one(void)",
	      "cpu=0x10 ");
}

/* Those are no declarations, or say what is not known here. */
static void test_left_out(void **state)
{
	static const char *const lines[] = {
		"",
		"one",
		"one(",
		"# one(void) \"x\"",
		"tcg one(void) \"x\"",
		"(void) \"x\"",
		"one(void) x",
		"one(void) \"x",
		"one(void) \"x\\n\"",
		"one(void) \"x\\",
		"one(void) \"x\\\"",
		"one(void) \"x\" PRI",
		"one(void) \"%\"",
		"one(void) \"%d\"",
		"one(int a) \"\"",
		"one(int a) \"%d %d\"",
		"one(int a) \"%s\"",
		"one(const char *a) \"%p\"",
		"one(int a) \"%f\"",
		"one(int a) \"%n\"",
		"one(int a) \"%.3d\"",
		"one(int a, int b) \"%*d\"",
		"one(int a) \"%65d\"",
		"one(int a) \"%99999999999999999999d\"",
		"one(int a,,,,,,,,,,,,,,,,) \"%d\"",
	};
	struct declarations *declarations;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		char text[256];

		assert_int_equal(read_text(&declarations, lines[i]), WM_E_FORMAT);
		assert_null(declarations);
		assert_non_null(strstr(err.text, "declares no"));
		snprintf(text, sizeof(text), "%s\ntwo(void) \"\"\n", lines[i]);
		assert_int_equal(read_text(&declarations, text), 0);
		assert_null(declarations_find(declarations, "one"));
		assert_non_null(declarations_find(declarations, "two"));
		declarations_free(declarations);
	}
}

static void test_too_large(void **state)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	struct declarations *declarations;

	(void)state;
	assert_int_equal(declarations_read(&declarations, fd, &err), WM_E_FORMAT);
	assert_non_null(strstr(err.text, "too large"));
	close(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),	 cmocka_unit_test(test_more_numbers),
	cmocka_unit_test(test_strings),	 cmocka_unit_test(test_properties),
	cmocka_unit_test(test_left_out), cmocka_unit_test(test_too_large),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
