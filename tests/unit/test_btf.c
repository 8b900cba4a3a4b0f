// SPDX-License-Identifier: GPL-2.0-or-later
/* program/elf/btf: offsets of members, and files that are damaged. */
#include "program/elf/btf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

enum { INT = 1, STRUCT = 4, UNION = 5, FWD = 7, TYPEDEF = 8, ENUM = 6, FIELDS = 1 << 7 };

static struct buf types, names, file;

/* Where a name is among the strings. */
static uint32_t name_of(const char *name)
{
	uint32_t off = (uint32_t)names.len;

	if (!*name)
		return 0;
	buf_put(&names, name, strlen(name) + 1);
	return off;
}

static void put_type(const char *name, uint32_t kind, uint32_t n, uint32_t size)
{
	buf_put_u32(&types, name_of(name));
	buf_put_u32(&types, kind << 24 | n);
	buf_put_u32(&types, size);
}

static void put_member(const char *name, uint32_t type, uint32_t bits)
{
	buf_put_u32(&types, name_of(name));
	buf_put_u32(&types, type);
	buf_put_u32(&types, bits);
}

/*
 * struct state { int id; union { int a; struct { int b, c; }; }; int bits : 3, flag; }, of
 * which the outer parts come first in the file.
 */
static void put_types(void)
{
	buf_put_u8(&names, 0);
	put_type("int", INT, 0, 4); /* 1 */
	buf_put_u32(&types, 32);
	put_type("state", FWD, 0, 0);  /* 2 */
	put_type("level", ENUM, 1, 4); /* 3 */
	buf_put_u32(&types, name_of("LOW"));
	buf_put_u32(&types, 0);
	put_type("state", STRUCT | FIELDS, 4, 20); /* 4 */
	put_member("id", 1, 0);
	put_member("", 5, 32);
	put_member("bits", 1, 3 << 24 | 96);
	put_member("flag", 1, 128);
	put_type("", UNION, 2, 8); /* 5 */
	put_member("a", 1, 0);
	put_member("", 6, 0);
	put_type("", STRUCT, 3, 8); /* 6 */
	put_member("b", 1, 0);
	put_member("c", 1, 32);
	put_member("", 5, 0); /* of its own: a circle */
	put_type("state_t", TYPEDEF, 0, 4);
}

static void finish(void)
{
	buf_put_u32(&file, 0x0001eb9f);
	buf_put_u32(&file, 24);
	buf_put_u32(&file, 0);
	buf_put_u32(&file, (uint32_t)types.len);
	buf_put_u32(&file, (uint32_t)types.len);
	buf_put_u32(&file, (uint32_t)names.len);
	buf_put(&file, types.data, types.len);
	buf_put(&file, names.data, names.len);
}

static int set_up(void **state)
{
	(void)state;
	types = names = file = BUF_INIT;
	put_types();
	finish();
	return file.failed;
}

static int tear_down(void **state)
{
	(void)state;
	buf_fini(&types);
	buf_fini(&names);
	buf_fini(&file);
	return 0;
}

static void test_members(void **state)
{
	static const struct {
		const char *name;
		uint32_t off;
	} members[] = { { "id", 0 }, { "a", 4 }, { "b", 4 }, { "c", 8 }, { "flag", 16 } };
	struct btf btf;
	uint32_t off;

	(void)state;
	assert_true(btf_open(&btf, file.data, file.len));
	for (unsigned i = 0; i < sizeof(members) / sizeof(*members); i++) {
		assert_true(btf_member(&btf, "state", members[i].name, &off));
		assert_int_equal(off, members[i].off);
	}
	assert_false(btf_member(&btf, "state", "bits", &off));
	assert_false(btf_member(&btf, "state", "none", &off));
	assert_false(btf_member(&btf, "state_t", "id", &off));
	assert_false(btf_member(&btf, "none", "id", &off));
	btf_close(&btf);
}

/* Cut anywhere, or with any byte changed: refused, or answered without harm. */
static void test_damage(void **state)
{
	uint8_t *copy = malloc(file.len);
	struct btf btf;
	uint32_t off;

	(void)state;
	assert_non_null(copy);
	for (size_t n = 0; n < file.len; n++) {
		memcpy(copy, file.data, n);
		assert_false(btf_open(&btf, copy, n));
		btf_close(&btf);
	}
	for (size_t i = 0; i < 8 * file.len; i++) {
		memcpy(copy, file.data, file.len);
		copy[i / 8] ^= 1u << i % 8;
		if (btf_open(&btf, copy, file.len))
			btf_member(&btf, "state", "flag", &off);
		btf_close(&btf);
	}
	free(copy);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_members, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_damage, set_up, tear_down),
};

int main(void)
{
	return cmocka_run_group_tests_name("btf", tests, NULL, NULL);
}
