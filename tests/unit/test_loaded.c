// SPDX-License-Identifier: GPL-2.0-or-later
/* program/kernel/loaded: modules of a kernel, from what its memory had. */
#include "program/kernel/loaded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct buf data;

static void put(uint64_t first, uint64_t second, const char *name)
{
	buf_put_u64(&data, first);
	buf_put_u64(&data, second);
	buf_put(&data, name, strlen(name) + 1);
}

/* A module at `at` with code of 0x450 bytes; what runs once is at `once`. */
static bool read(struct loaded_module *module, uint64_t at, uint64_t once)
{
	bool good;

	put(at, at + 0x450, "dummy");
	put(once, 0x20, "dummy_init_module");
	put(at + 0x100, 0x40, "dummy_xmit");
	put(at + 0x440, 0x100, "dummy_setup"); /* longer than the code */
	put(once + 0x20, 0x10, "dummy_init_one");
	put(at + 0x100, 0, "$x");
	good = loaded_read(module, span_of(data.data, data.len));
	data.len = 0;
	return good;
}

static void assert_name(const struct loaded_module *module, uint64_t file_off,
			const char *name)
{
	uint64_t offset;
	const char *found = symtab_find(&module->names, file_off, &offset);

	if (name)
		assert_string_equal(found, name);
	else
		assert_null(found);
}

static void assert_part(const struct elf_load *part, uint64_t start, uint64_t end,
			uint64_t file_off)
{
	assert_int_equal(part->start, start);
	assert_int_equal(part->end, end);
	assert_int_equal(part->file_off, file_off);
}

static void test_parts(void **state)
{
	struct loaded_module module, again;

	(void)state;
	assert_true(read(&module, 0xff8000, 0xff2000));
	assert_string_equal(module.path, "[dummy]");
	assert_part(&module.parts[LOADED_CODE], 0xff8000, 0xff8450, 0);
	assert_part(&module.parts[LOADED_ONCE], 0xff2000, 0xff2030, 0x1000);
	assert_name(&module, 0x13f, "dummy_xmit");
	assert_name(&module, 0x140, NULL);
	assert_name(&module, 0x44f, "dummy_setup");
	assert_name(&module, 0x1000, "dummy_init_module");
	assert_name(&module, 0x102f, "dummy_init_one");
	/* Loaded elsewhere it is the same. */
	assert_true(read(&again, 0x10000, 0x20000));
	assert_string_equal(module.build_id, again.build_id);
	assert_int_equal(strlen(module.build_id), 16);
	loaded_fini(&again);
	/* Another one of that name is not. */
	put(0x10000, 0x10450, "dummy");
	put(0x10000, 0x10, "dummy_xmit");
	assert_true(loaded_read(&again, span_of(data.data, data.len)));
	assert_string_not_equal(module.build_id, again.build_id);
	assert_part(&again.parts[LOADED_ONCE], 0, 0, 0x1000);
	loaded_fini(&again);
	loaded_fini(&module);
	data.len = 0;
}

/* What makes no sense is refused, or left out. */
static void test_malformed(void **state)
{
	struct loaded_module module;

	(void)state;
	assert_false(loaded_read(&module, span_of("", 0)));
	put(0x2000, 0x1000, "backwards");
	assert_false(loaded_read(&module, span_of(data.data, data.len)));
	assert_false(loaded_read(&module, span_of(data.data, data.len - 1)));
	data.len = 0;
	put(0x1000, 0x2000, "odd");
	put(UINT64_MAX - 1, 0x10, "wraps");
	put(0x8000, UINT64_MAX, "endless");
	put(0x1000, 0x10, "good");
	buf_put(&data, "cut", 3);
	assert_true(loaded_read(&module, span_of(data.data, data.len)));
	assert_int_equal(module.names.n_ranges, 1);
	assert_part(&module.parts[LOADED_ONCE], 0, 0, 0x1000);
	loaded_fini(&module);
	/* Functions that are too far from each other are not one part. */
	data.len = 0;
	put(0x1000, 0x2000, "far");
	put(0x10000, 0x10, "one");
	put(UINT64_C(1) << 40, 0x10, "other");
	assert_true(loaded_read(&module, span_of(data.data, data.len)));
	assert_part(&module.parts[LOADED_ONCE], 0, 0, 0x1000);
	loaded_fini(&module);
	buf_fini(&data);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_malformed),
};

int main(void)
{
	return cmocka_run_group_tests_name("loaded", tests, NULL, NULL);
}
