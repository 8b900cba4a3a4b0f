// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program/extents: which of several extents over an address counts at a moment, by their
 * lifetimes; compared with a search of all of them. Forks and mappings that come late are
 * tested through modules, in test_symbols.c.
 */
#include "program/extents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* No space of this trace is a process, so none is forked. */
int wm_trace_process_sized(const struct wm_trace *trace, unsigned index,
			   struct wm_process *process, size_t bytes)
{
	(void)bytes;
	(void)trace, (void)index, (void)process;
	return WM_E_RANGE;
}

enum { NOTHING = 99, BELOW = 0, ABOVE = 7 };

/* Space ABOVE lies over space BELOW. */
int wm_trace_space_sized(const struct wm_trace *trace, unsigned index,
			 struct wm_space *space, size_t bytes)
{
	(void)bytes;
	(void)trace;
	*space = (struct wm_space){ .over = index == ABOVE ? BELOW : UINT32_MAX };
	return 0;
}

static void add(struct extents *extents, uint64_t start, uint64_t end, uint32_t from,
		uint32_t until)
{
	struct extent extent = {
		.start = start,
		.end = end,
		.order = (uint32_t)extents->n,
		.from = from,
		.until = until,
		.what = (uint32_t)extents->n,
	};

	assert_true(extents_add(extents, &extent));
}

static uint32_t at(const struct extents *extents, uint64_t address, uint32_t id)
{
	const struct extent *found = extents_find(extents, NULL, 0, address, id);

	return found ? found->what : NOTHING;
}

/* Code that is written, thrown away, and written again by something else. */
static void test_lifetimes(void **state)
{
	struct extents extents = { NULL, 0 };

	(void)state;
	add(&extents, 0x100, 0x200, 10, 20);
	add(&extents, 0x180, 0x280, 30, EXTENT_FOREVER);
	extents_sort(&extents);
	assert_int_equal(at(&extents, 0x100, 11), 0);
	assert_int_equal(at(&extents, 0x100, 20), 0);
	assert_int_equal(at(&extents, 0x100, 21), NOTHING);
	assert_int_equal(at(&extents, 0x100, 0), NOTHING);
	assert_int_equal(at(&extents, 0x1ff, 31), 1);
	assert_int_equal(at(&extents, 0x1ff, 20), 0);
	assert_int_equal(at(&extents, 0x1ff, 0), 1);
	assert_int_equal(at(&extents, 0x280, 31), NOTHING);
	/* It ran before it was known of; what had ended then is not it. */
	assert_int_equal(at(&extents, 0x1ff, 25), 1);
	assert_int_equal(at(&extents, 0x100, 5), 0);
	extents_fini(&extents);
}

/* The example at the head of program/extents.c. */
static void test_nested(void **state)
{
	struct extents extents = { NULL, 0 };

	(void)state;
	add(&extents, 10, 50, 0, EXTENT_FOREVER);
	add(&extents, 22, 24, 0, EXTENT_FOREVER);
	add(&extents, 20, 30, 0, EXTENT_FOREVER);
	extents_sort(&extents);
	assert_int_equal(at(&extents, 25, 1), 2);
	assert_int_equal(at(&extents, 23, 1), 2);
	assert_int_equal(at(&extents, 30, 1), 0);
	assert_int_equal(at(&extents, 50, 1), NOTHING);
	assert_int_equal(at(&extents, 9, 1), NOTHING);
	assert_null(extents_find(&extents, NULL, 1, 25, 1));
	extents_fini(&extents);
}

/* What extents.h says, by looking at all. */
static uint32_t search(const struct extents *extents, uint64_t address, uint32_t id)
{
	const struct extent *first = NULL, *current = NULL;

	for (size_t i = 0; i < extents->n; i++) {
		const struct extent *extent = &extents->all[i];

		if (address < extent->start || address >= extent->end ||
		    (id ? id > extent->until : extent->until != EXTENT_FOREVER))
			continue;
		if (!first || extent->order < first->order)
			first = extent;
		if ((!id || extent->from < id) &&
		    (!current || extent->order > current->order))
			current = extent;
	}
	return current ? current->what : first ? first->what : NOTHING;
}

/* Each byte and block that an answer goes along to has it, by looking at all. */
static uint64_t check_along(const struct extents *extents, uint64_t address, uint32_t id)
{
	const struct extent *found = extents_find(extents, NULL, 0, address, id);
	struct along along = { .bytes = 0 };

	if (found)
		along = extents_along(extents, found, 0, address);
	for (uint64_t i = 0; i < along.bytes; i++)
		for (uint32_t k = along.after + 1; k < 200 && k <= along.until; k++)
			assert_int_equal(search(extents, address + i, k), found->what);
	return along.bytes;
}

/* To the end, or to what lies over it; not where several do, or another space has it. */
static void test_along(void **state)
{
	struct extents extents = { NULL, 0 };
	const struct extent *below;

	(void)state;
	add(&extents, 0x100, 0x200, 10, 20);
	add(&extents, 0x140, 0x150, 10, EXTENT_FOREVER);
	extents_sort(&extents);
	assert_int_equal(check_along(&extents, 0x100, 11), 0x40);
	assert_int_equal(check_along(&extents, 0x13f, 11), 1);
	assert_int_equal(check_along(&extents, 0x148, 11), 0);
	assert_int_equal(check_along(&extents, 0x150, 11), 0xb0);
	below = extents_find(&extents, NULL, ABOVE, 0x170, 11);
	assert_int_equal(extents_along(&extents, below, ABOVE, 0x170).bytes, 0);
	extents_fini(&extents);
}

static void test_against_search(void **state)
{
	enum { ROUNDS = 50, EXTENTS = 40, SPAN = 100 };
	uint64_t went = 0;

	(void)state;
	srand(1);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct extents extents = { NULL, 0 };

		/* Few of every other table lie over each other. */
		for (unsigned i = 0; i < EXTENTS / (round % 2 ? 10 : 1); i++) {
			uint64_t start = (uint64_t)(rand() % SPAN);
			uint32_t from = (uint32_t)(rand() % SPAN);

			add(&extents, start, start + 1 + (uint64_t)(rand() % SPAN) / 4,
			    from,
			    rand() % 2 ? EXTENT_FOREVER :
					 from + 1 + (uint32_t)(rand() % SPAN));
		}
		extents_sort(&extents);
		for (uint64_t address = 0; address < SPAN + 30; address++)
			for (uint32_t id = 0; id < 2 * SPAN; id += 7)
				assert_int_equal(at(&extents, address, id),
						 search(&extents, address, id));
		for (uint64_t address = 0; address < SPAN + 30; address++)
			for (uint32_t id = 0; id < 2 * SPAN; id += 31)
				went += check_along(&extents, address, id);
		extents_fini(&extents);
	}
	assert_true(went > SPAN);
}

/* What a process has not mapped is the machine's; what both have, the process's. */
static void test_over(void **state)
{
	struct extent own = { .start = 0x100,
			      .end = 0x200,
			      .until = EXTENT_FOREVER,
			      .space = ABOVE,
			      .order = 2,
			      .what = 2 };
	struct extents extents = { NULL, 0 };

	(void)state;
	add(&extents, 0x100, 0x300, 0, EXTENT_FOREVER);
	assert_true(extents_add(&extents, &own));
	extents_sort(&extents);
	assert_int_equal(extents_find(&extents, NULL, ABOVE, 0x180, 1)->what, 2);
	assert_int_equal(extents_find(&extents, NULL, ABOVE, 0x280, 1)->what, 0);
	assert_int_equal(extents_find(&extents, NULL, BELOW, 0x180, 1)->what, 0);
	assert_null(extents_find(&extents, NULL, ABOVE, 0x300, 1));
	extents_fini(&extents);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_over),	       cmocka_unit_test(test_lifetimes),
	cmocka_unit_test(test_nested),	       cmocka_unit_test(test_along),
	cmocka_unit_test(test_against_search),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
