// SPDX-License-Identifier: GPL-2.0-or-later
/* isa/unshown: which instructions' accesses QEMU shows to no plugin. */
#include "isa/unshown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct example {
	const char *target;
	unsigned size;
	uint8_t code[8];
	enum unshown unshown;
};

/* As assemblers have them. */
static const struct example examples[] = {
	{ "riscv64", 4, { 0x0f, 0x20, 0x45, 0x00 }, UNSHOWN_USER }, /* cbo.zero (a0) */
	{ "riscv64", 4, { 0x0f, 0x20, 0x15, 0x00 }, UNSHOWN_NOT },  /* cbo.clean (a0) */
	{ "riscv64", 4, { 0x0f, 0x00, 0xf0, 0x0f }, UNSHOWN_NOT },  /* fence */
	{ "riscv64", 2, { 0x82, 0x80 }, UNSHOWN_NOT },		    /* ret */
	{ "aarch64", 4, { 0x20, 0x74, 0x0b, 0xd5 }, UNSHOWN_EVER }, /* dc zva, x0 */
	{ "aarch64", 4, { 0x23, 0x7a, 0x0b, 0xd5 }, UNSHOWN_NOT },  /* dc cvac, x3 */
	{ "aarch64", 4, { 0x40, 0x04, 0x01, 0x19 }, UNSHOWN_EVER }, /* cpyfp */
	{ "aarch64", 4, { 0x40, 0x04, 0xc1, 0x19 }, UNSHOWN_EVER }, /* setp */
	{ "aarch64", 4, { 0x20, 0x00, 0x00, 0x19 }, UNSHOWN_NOT },  /* stlurb */
	{ "x86_64", 3, { 0xdb, 0x2c, 0x24 }, UNSHOWN_SINCE },	    /* fldt (%rsp) */
	{ "x86_64", 3, { 0xd9, 0x2c, 0x24 }, UNSHOWN_NOT },	    /* fldcw (%rsp) */
	{ "x86_64", 3, { 0xdd, 0x04, 0x24 }, UNSHOWN_NOT },	    /* fldl (%rsp) */
	{ "x86_64", 2, { 0xdb, 0xe8 }, UNSHOWN_NOT },		    /* fucomi */
	{ "x86_64", 5, { 0x48, 0x0f, 0xae, 0x04, 0x24 }, UNSHOWN_SINCE }, /* fxsave64 */
	{ "x86_64", 4, { 0x0f, 0xc7, 0x64, 0x24 }, UNSHOWN_SINCE },	  /* xsavec */
	{ "x86_64", 3, { 0x0f, 0xc7, 0x0b }, UNSHOWN_NOT }, /* cmpxchg8b (%rbx) */
	{ "x86_64", 5, { 0x66, 0x0f, 0xae, 0x34, 0x24 }, UNSHOWN_NOT }, /* clwb (%rsp) */
	{ "x86_64", 3, { 0x0f, 0xae, 0xf0 }, UNSHOWN_NOT },		/* mfence */
	{ "x86_64", 1, { 0xdb }, UNSHOWN_NOT },				/* cut */
	{ "x86_64", 0, { 0 }, UNSHOWN_NOT },
	{ "i386", 2, { 0xdb, 0x38 }, UNSHOWN_SINCE },	  /* fstpt (%eax) */
	{ "i386", 3, { 0x48, 0xdb, 0x38 }, UNSHOWN_NOT }, /* dec %eax first */
	{ "arm", 4, { 0x20, 0x74, 0x0b, 0xd5 }, UNSHOWN_NOT },
	{ "vax", 4, { 0x0f, 0x20, 0x45, 0x00 }, UNSHOWN_NOT },
};

static void test_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		const struct example *example = &examples[i];

		if (unshown_of(alone_isa(example->target), example->code,
			       example->size) != example->unshown)
			fail_msg("%s, example %zu", example->target, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_examples) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
