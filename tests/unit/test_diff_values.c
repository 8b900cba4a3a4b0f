// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/diff/values and alike: effects made by hand, on both sides the same but for what a
 * case changes; and analysis/diff/effects, of a trace whose accesses are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/diff/values.h"
#include "folder.h"
#include "valued.h"

static struct wm_error err;

/* ---- effects from an array ------------------------------------------------------------ */

enum { MOST = 4096, REGISTER_SP = 2 };

struct made {
	struct effects effects; /* first */
	struct effect all[MOST];
	size_t n, given;
};

static int refill_made(struct effects *effects, struct wm_error *e)
{
	struct made *made = (struct made *)effects;
	size_t n = made->given;

	(void)e;
	effects->all = made->all + n;
	effects->at = effects->n = 0;
	/* Two instructions at once. */
	for (int insns = 0; insns < 2 && n < made->n; insns++)
		do
			n++;
		while (n < made->n && made->all[n].insn == made->all[n - 1].insn);
	effects->n = n - made->given;
	made->given = n;
	return effects->n ? 0 : WM_END;
}

static void made_begin(struct made *made)
{
	made->effects = (struct effects){ .has = 0x3f,
					  .changes_from = UINT32_MAX,
					  .refill = refill_made };
	made->n = made->given = 0;
}

static struct wm_access *add(struct made *made, uint64_t insn, uint8_t kind,
			     uint64_t address, uint64_t data)
{
	struct effect *effect = &made->all[made->n++];

	*effect = (struct effect){ .insn = insn };
	effect->is = (struct wm_access){ .address = address,
					 .data = { data },
					 .size = 8,
					 .kind = kind,
					 .has_data = true };
	return &effect->is;
}

static struct made a, b;

static struct diff_values compare(uint64_t from_a, uint64_t from_b, uint64_t insns)
{
	struct diff_values values = { .a = &a.effects,
				      .b = &b.effects,
				      .what = DIFF_VALUES,
				      .room = 100,
				      .sp = REGISTER_SP };

	assert_int_equal(diff_values_compare(&values, from_a, from_b, insns, &err), 0);
	return values;
}

/* How many differ; the first one is of instruction `insn` of A. */
static void expect(uint64_t from_a, uint64_t from_b, uint64_t insns, uint64_t differ,
		   uint64_t insn)
{
	struct diff_values values = compare(from_a, from_b, insns);

	assert_int_equal(values.differ, differ);
	if (differ)
		assert_int_equal(values.kept[0].a, insn);
	free(values.kept);
}

/* ---- cases ---------------------------------------------------------------------------- */

static uint64_t chance(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* Random effects of both sides, the same; returns how many. */
static void both_the_same(uint64_t seed, uint64_t b_later)
{
	uint64_t insn = 0;

	made_begin(&a);
	made_begin(&b);
	while (a.n < 500) {
		uint8_t kind = (uint8_t)chance(&seed) % 4;
		uint64_t number = kind >= WM_ACCESS_REGISTER ? chance(&seed) % 8 + 8 :
							       chance(&seed);
		uint64_t data = chance(&seed);

		insn += 1 + chance(&seed) % 3;
		add(&a, insn, kind, number, data);
		add(&b, insn + b_later, kind, number, data);
	}
}

/* One effect of many is changed, anywhere and anything: that one is found. */
static void test_any_change(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t at;

		both_the_same((uint64_t)round, 1000);
		expect(0, 1000, 100000, 0, 0);
		both_the_same((uint64_t)round, 1000);
		at = chance(&seed) % 500;
		if (round % 3 == 0)
			b.all[at].is.data[0] ^= 1u << chance(&seed) % 32;
		else if (round % 3 == 1 && b.all[at].is.kind < WM_ACCESS_REGISTER)
			b.all[at].is.address ^= 1u << chance(&seed) % 32;
		else
			b.all[at].insn = UINT64_MAX; /* is not there */
		if (b.all[at].insn == UINT64_MAX)
			memmove(b.all + at, b.all + at + 1,
				(--b.n - at) * sizeof(b.all[0]));
		expect(0, 1000, 100000, 1, a.all[at].insn);
	}
}

static void test_parts(void **state)
{
	(void)state;
	both_the_same(1, 0);
	b.all[100].is.data[0]++;
	b.all[300].is.data[0]++;
	/* Only what is common is compared: the part that has one of them. */
	expect(a.all[200].insn, a.all[200].insn, 100000, 1, a.all[300].insn);
	a.given = b.given = a.effects.n = b.effects.n = a.effects.at = b.effects.at = 0;
	expect(0, 0, a.all[200].insn, 1, a.all[100].insn);
}

static void test_what_both_have(void **state)
{
	(void)state;
	both_the_same(3, 0);
	for (size_t i = 0; i < b.n; i++)
		b.all[i].is.data[0]++;
	for (unsigned has = 0; has < 16; has++) {
		struct diff_values values;
		uint64_t differ = 0;

		a.given = b.given = a.effects.n = b.effects.n = a.effects.at =
			b.effects.at = 0;
		for (size_t i = 0; i < b.n; i++)
			differ += has >> b.all[i].is.kind & 1;
		b.effects.has = has;
		values = compare(0, 0, 100000);
		assert_int_equal(values.differ, differ);
		assert_int_equal(diff_values_kinds(&values), has);
		free(values.kept);
	}
}

static void test_unknown(void **state)
{
	(void)state;
	made_begin(&a);
	made_begin(&b);
	for (uint64_t i = 0; i < 100; i++) {
		add(&a, i, WM_ACCESS_STORE, i, i);
		if (i < 20 || i >= 60)
			add(&b, i, WM_ACCESS_STORE, i, i + (i == 70));
		else if (i == 20)
			b.all[b.n++] = (struct effect){ .insn = 20, .unknown_insns = 40 };
	}
	expect(0, 0, 100, 1, 70);
	/* It begins in the middle of the unknown ones. */
	a.given = b.given = a.effects.n = b.effects.n = a.effects.at = b.effects.at = 0;
	expect(40, 40, 60, 1, 70);
}

static void test_loads(void **state)
{
	struct wm_access *access;

	(void)state;
	made_begin(&a);
	made_begin(&b);
	/* Another size; the register of a load, of which only the load's bytes count. */
	add(&a, 1, WM_ACCESS_LOAD, 16, 0x80)->size = 1;
	access = add(&b, 1, WM_ACCESS_LOAD, 16, 0xffffffffffffff80);
	access->size = 0;
	/* An atomic access, which A lists as a store alone. */
	add(&a, 2, WM_ACCESS_STORE, 32, 5);
	add(&b, 2, WM_ACCESS_LOAD, 32, 4);
	add(&b, 2, WM_ACCESS_STORE, 32, 5);
	/* A register that does not change. */
	expect(0, 0, 10, 0, 0);
	add(&a, 4, WM_ACCESS_WRITTEN, 5, 1);
	a.given = b.given = a.effects.n = b.effects.n = a.effects.at = b.effects.at = 0;
	expect(0, 0, 10, 1, 4);
	a.given = b.given = a.effects.n = b.effects.n = a.effects.at = b.effects.at = 0;
	b.effects.changes_from = 5;
	expect(0, 0, 10, 0, 0);
	a.given = b.given = a.effects.n = b.effects.n = a.effects.at = b.effects.at = 0;
	b.effects.changes_from = 6;
	expect(0, 0, 10, 1, 4);
	b.effects.changes_from = UINT32_MAX;
	add(&a, 5, WM_ACCESS_STORE, 32, 5)->size = 4;
	add(&b, 5, WM_ACCESS_STORE, 32, 5);
	a.given = b.given = a.effects.n = b.effects.n = a.effects.at = b.effects.at = 0;
	expect(0, 0, 10, 2, 4);
}

/* Pointers into the stack, before and after its pointer itself is written. */
static void stack_of(uint64_t a_sp, uint64_t b_sp, uint64_t wrong)
{
	made_begin(&a);
	made_begin(&b);
	add(&a, 1, WM_ACCESS_WRITTEN, 10, a_sp + 8);
	add(&b, 1, WM_ACCESS_WRITTEN, 10, b_sp + 8);
	add(&a, 2, WM_ACCESS_WRITTEN, REGISTER_SP, a_sp);
	add(&b, 2, WM_ACCESS_WRITTEN, REGISTER_SP, b_sp);
	add(&a, 3, WM_ACCESS_STORE, a_sp - 64, a_sp);
	add(&b, 3, WM_ACCESS_STORE, b_sp - 64, b_sp + wrong);
}

static void test_stack(void **state)
{
	(void)state;
	stack_of(0x4000800000, 0x3ffffff000, 0);
	expect(0, 0, 10, 0, 0);
	stack_of(0x3ffffff000, 0x4000800000, 0);
	expect(0, 0, 10, 0, 0);
	stack_of(0x4000800000, 0x3ffffff000, 8);
	expect(0, 0, 10, 1, 3);
	/* The stack pointer was wrong once, and is right afterwards: it was not moved. */
	stack_of(0x4000800000, 0x4000800000, 0);
	b.all[1].is.data[0] += 16;
	add(&a, 4, WM_ACCESS_WRITTEN, REGISTER_SP, 0x4000800040);
	add(&b, 4, WM_ACCESS_WRITTEN, REGISTER_SP, 0x4000800040);
	expect(0, 0, 10, 1, 2);
}

static bool allow_register_7(void *cookie, const struct diff_value *value, uint32_t id)
{
	(void)cookie;
	(void)id;
	return value->of_a.kind == WM_ACCESS_WRITTEN && value->of_a.address == 7;
}

/* What may differ is learned where it is large, and only then. */
static void test_may_differ(void **state)
{
	struct diff_values values = { .a = &a.effects,
				      .b = &b.effects,
				      .what = DIFF_VALUES,
				      .may_differ = allow_register_7,
				      .sp = REGISTER_SP };

	(void)state;
	made_begin(&a);
	made_begin(&b);
	add(&a, 1, WM_ACCESS_WRITTEN, 7, 0x1234567890);
	add(&b, 1, WM_ACCESS_WRITTEN, 7, 0x9876543210);
	add(&a, 2, WM_ACCESS_STORE, 64, 0x1234567890);
	add(&b, 2, WM_ACCESS_STORE, 64, 0x9876543210);
	add(&a, 3, WM_ACCESS_WRITTEN, 7, 5);
	add(&b, 3, WM_ACCESS_WRITTEN, 7, 6);
	add(&a, 4, WM_ACCESS_STORE, 64, 5);
	add(&b, 4, WM_ACCESS_STORE, 64, 6);
	assert_int_equal(diff_values_compare(&values, 0, 0, 10, &err), 0);
	assert_int_equal(values.compared, 4);
	assert_int_equal(values.differ, 1);
	assert_int_equal(values.kept[0].a, 4);
	free(values.kept);
}

static void test_alike(void **state)
{
	const struct alike_move move = { 0x1000, 0x9000, 0x100 };
	const struct alike_pair pair = { 0xffff1111aaaa, 0xffff1111bbbb };
	struct alike alike = {
		.moves = &move, .n_moves = 1, .pairs = &pair, .n_pairs = 1
	};

	(void)state;
	assert_true(alike_address(&alike, 0x10ff, 0x90ff));
	assert_false(alike_address(&alike, 0x1100, 0x9100));
	assert_false(alike_address(&alike, 0x9000, 0x1000));
	assert_true(alike_value(&alike, 0xaaaa, 0xbbbb, 2));
	assert_false(alike_value(&alike, 0xaaaa, 0xbbbb, 4));
	assert_true(alike_value(&alike, 0x1ff, 0x2ff, 1));
	for (uint64_t i = 0; i <= ALIKE_LEARNED; i++)
		alike_learn(&alike, (1 << 20) + i, (2 << 20) + i);
	assert_false(alike_value(&alike, 1 << 20, 2 << 20, 8));
	assert_false(alike_value(&alike, 0xb1, 0xc1, 1));
	assert_true(alike_value(&alike, (1 << 20) + 1, (2 << 20) + 1, 8));
}

/* ---- of a trace ------------------------------------------------------------------------- */

static void expect_effect(const struct effects *effects, const struct valued_access *is)
{
	const struct effect *effect = &effects->all[effects->at];

	assert_true(effects->at < effects->n);
	assert_int_equal(effect->insn, is->insn_ordinal);
	assert_int_equal(effect->is.address, is->access.address);
	assert_int_equal(effect->is.kind, is->access.kind);
	assert_int_equal(effect->is.data[0], is->access.data[0]);
	assert_int_equal(effect->id, is->id);
}

/* All accesses, from the first on and from any other. */
static void test_of_a_trace(void **state)
{
	static struct valued valued;
	const unsigned stream = 0;
	const struct diff_part part = { &stream, 1, 0, UINT64_MAX };
	struct wm_trace *trace;
	struct effects *effects;

	(void)state;
	valued_open(&valued, "values.wmk");
	for (int i = 0; i < 4; i++)
		valued_chunk(&valued, 0, 5000, i != 2);
	valued_close(&valued);
	assert_int_equal(wm_trace_open(&trace, "values.wmk", &err), 0);
	for (size_t from = 0; from < valued.n_ran[0]; from += 1 + valued.n_ran[0] / 7) {
		uint64_t insn = valued.ran[0][from].insn_ordinal;

		assert_int_equal(effects_trace_new(&effects, trace, &part, &err), 0);
		assert_non_null(effects);
		while (from && valued.ran[0][from - 1].insn_ordinal == insn)
			from--;
		assert_int_equal(effects_pass(effects, insn, &err), 0);
		for (size_t i = from; i < valued.n_ran[0]; i++) {
			while (effects->at < effects->n &&
			       effects->all[effects->at].unknown_insns)
				effects->at++;
			if (effects->at == effects->n)
				assert_int_equal(
					effects_pass(effects,
						     valued.ran[0][i].insn_ordinal, &err),
					0);
			expect_effect(effects, &valued.ran[0][i]);
			effects->at++;
		}
		effects->free(effects);
	}
	wm_trace_close(trace);
	valued_fini(&valued);
	unlink("values.wmk");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_any_change),     cmocka_unit_test(test_parts),
	cmocka_unit_test(test_what_both_have), cmocka_unit_test(test_unknown),
	cmocka_unit_test(test_loads),	       cmocka_unit_test(test_stack),
	cmocka_unit_test(test_may_differ),     cmocka_unit_test(test_alike),
	cmocka_unit_test(test_of_a_trace),
};

int main(void)
{
	return cmocka_run_group_tests_name("diff_values", tests, folder_enter,
					   folder_leave);
}
