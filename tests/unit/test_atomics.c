// SPDX-License-Identifier: GPL-2.0-or-later
/* isa/atomics: which instructions are atomic operations, and what these store. */
#include "isa/atomics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct example {
	enum alone_isa isa;
	unsigned size;
	uint8_t code[8];
	enum atomic atomic;
};

/* As assemblers have them. */
static const struct example examples[] = {
	{ ALONE_RISCV, 4, { 0x2f, 0xa5, 0xb6, 0x00 }, ATOMIC_ADD },   /* amoadd.w */
	{ ALONE_RISCV, 4, { 0x2f, 0xa5, 0xb6, 0x08 }, ATOMIC_NONE },  /* amoswap.w */
	{ ALONE_RISCV, 4, { 0x2f, 0xa5, 0x06, 0x10 }, ATOMIC_NONE },  /* lr.w */
	{ ALONE_RISCV, 4, { 0x2f, 0xa5, 0xb6, 0x18 }, ATOMIC_NONE },  /* sc.w */
	{ ALONE_RISCV, 4, { 0x2f, 0xa5, 0xb6, 0x20 }, ATOMIC_XOR },   /* amoxor.w */
	{ ALONE_RISCV, 4, { 0x2f, 0xa5, 0xb6, 0x28 }, ATOMIC_OTHER }, /* amocas.w */
	{ ALONE_RISCV, 4, { 0x2f, 0xa5, 0xb6, 0x46 }, ATOMIC_OR },    /* amoor.w.aqrl */
	{ ALONE_RISCV, 4, { 0x2f, 0xb5, 0xb6, 0x60 }, ATOMIC_AND },   /* amoand.d */
	{ ALONE_RISCV, 4, { 0x2f, 0xb5, 0xb6, 0x80 }, ATOMIC_MIN },   /* amomin.d */
	{ ALONE_RISCV, 4, { 0x2f, 0xb5, 0xb6, 0xa0 }, ATOMIC_MAX },   /* amomax.d */
	{ ALONE_RISCV, 4, { 0x2f, 0xb5, 0xb6, 0xc0 }, ATOMIC_MIN_UNSIGNED },
	{ ALONE_RISCV, 4, { 0x2f, 0xb5, 0xb6, 0xe0 }, ATOMIC_MAX_UNSIGNED },
	{ ALONE_RISCV, 4, { 0x03, 0xb5, 0x05, 0x00 }, ATOMIC_NONE }, /* ld */
	{ ALONE_RISCV, 2, { 0x88, 0x61 }, ATOMIC_NONE },	     /* c.ld */
	{ ALONE_AARCH64,
	  4,
	  { 0x41, 0x00, 0x20, 0xb8 },
	  ATOMIC_ADD }, /* ldadd w0,w1,[x2] */
	{ ALONE_AARCH64, 4, { 0x41, 0x10, 0xe0, 0xf8 }, ATOMIC_AND }, /* ldclral */
	{ ALONE_AARCH64, 4, { 0x41, 0x20, 0x20, 0x38 }, ATOMIC_XOR }, /* ldeorb */
	{ ALONE_AARCH64, 4, { 0x5f, 0x30, 0x20, 0x78 }, ATOMIC_OR },  /* stseth */
	{ ALONE_AARCH64, 4, { 0x41, 0x40, 0x20, 0xf8 }, ATOMIC_MAX }, /* ldsmax */
	{ ALONE_AARCH64, 4, { 0x41, 0x50, 0x20, 0xf8 }, ATOMIC_MIN }, /* ldsmin */
	{ ALONE_AARCH64, 4, { 0x41, 0x60, 0x20, 0xf8 }, ATOMIC_MAX_UNSIGNED },
	{ ALONE_AARCH64, 4, { 0x41, 0x70, 0x20, 0xf8 }, ATOMIC_MIN_UNSIGNED },
	{ ALONE_AARCH64, 4, { 0x41, 0x80, 0x20, 0xf8 }, ATOMIC_NONE },	/* swp */
	{ ALONE_AARCH64, 4, { 0x41, 0x7c, 0xa0, 0x88 }, ATOMIC_OTHER }, /* cas */
	{ ALONE_AARCH64, 4, { 0x82, 0x7c, 0x20, 0x48 }, ATOMIC_OTHER }, /* casp */
	{ ALONE_AARCH64, 4, { 0x20, 0x7c, 0x02, 0x88 }, ATOMIC_NONE },	/* stxr */
	{ ALONE_AARCH64, 4, { 0x20, 0x00, 0x40, 0xb9 }, ATOMIC_NONE },	/* ldr */
	{ ALONE_AARCH64, 4, { 0x20, 0x68, 0x62, 0xb8 }, ATOMIC_NONE }, /* ldr w0,[x1,x2] */
	{ ALONE_X86_64, 3, { 0xf0, 0xff, 0x00 }, ATOMIC_OTHER }, /* lock incl (%rax) */
	{ ALONE_X86_64, 4, { 0x66, 0xf0, 0xff, 0x00 }, ATOMIC_OTHER },
	{ ALONE_X86_64, 2, { 0xff, 0x00 }, ATOMIC_NONE },	/* incl (%rax) */
	{ ALONE_X86_64, 2, { 0x87, 0x03 }, ATOMIC_NONE },	/* xchg */
	{ ALONE_X86_64, 3, { 0x00, 0xf0, 0x90 }, ATOMIC_NONE }, /* add %dh,%al; nop */
	{ ALONE_I386, 3, { 0xf0, 0xff, 0x00 }, ATOMIC_OTHER },
	{ ALONE_ARM, 4, { 0x90, 0x2f, 0x81, 0xe1 }, ATOMIC_NONE }, /* strex */
	{ ALONE_NONE, 4, { 0x2f, 0xa5, 0xb6, 0x00 }, ATOMIC_NONE },
};

static void test_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		const struct example *example = &examples[i];
		enum atomic is = atomic_of(example->isa, example->code, example->size);

		if (is != example->atomic)
			fail_msg("example %zu is %d", i, is);
	}
}

static void test_results(void **state)
{
	(void)state;
	assert_int_equal(atomic_result(ATOMIC_ADD, 0xff, 2, 1), 1);
	assert_int_equal(atomic_result(ATOMIC_ADD, UINT64_MAX, 2, 8), 1);
	assert_int_equal(atomic_result(ATOMIC_AND, 6, 3, 4), 2);
	assert_int_equal(atomic_result(ATOMIC_OR, 6, 3, 4), 7);
	assert_int_equal(atomic_result(ATOMIC_XOR, 6, 3, 4), 5);
	assert_int_equal(atomic_result(ATOMIC_MIN, 0xffff, 1, 2), 0xffff);
	assert_int_equal(atomic_result(ATOMIC_MAX, 0xffff, 1, 2), 1);
	assert_int_equal(atomic_result(ATOMIC_MIN, 0xffff, 1, 4), 1);
	assert_int_equal(atomic_result(ATOMIC_MIN_UNSIGNED, 0xffff, 1, 2), 1);
	assert_int_equal(atomic_result(ATOMIC_MAX_UNSIGNED, 0xffff, 1, 2), 0xffff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
