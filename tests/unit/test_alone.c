// SPDX-License-Identifier: GPL-2.0-or-later
/* isa/alone: which instructions QEMU may have to run alone. */
#include "isa/alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct example {
	const char *target;
	unsigned size;
	uint8_t code[8];
	bool may;
};

/* As assemblers have them. */
static const struct example examples[] = {
	{ "x86_64", 3, { 0xf0, 0xff, 0x00 }, true },		 /* lock incl (%rax) */
	{ "x86_64", 4, { 0x66, 0xf0, 0xff, 0x00 }, true },	 /* lock incw (%rax) */
	{ "x86_64", 5, { 0xf0, 0x48, 0x0f, 0xc7, 0x0b }, true }, /* lock cmpxchg16b */
	{ "x86_64", 2, { 0x87, 0x03 }, true },			 /* xchg %eax,(%rbx) */
	{ "x86_64", 3, { 0x48, 0x87, 0x03 }, true },		 /* xchg %rax,(%rbx) */
	{ "x86_64", 2, { 0x86, 0x03 }, true },			 /* xchg %al,(%rbx) */
	{ "x86_64", 2, { 0x87, 0xc3 }, false },			 /* xchg %eax,%ebx */
	{ "x86_64", 2, { 0xff, 0x00 }, false },			 /* incl (%rax) */
	{ "x86_64", 3, { 0x00, 0xf0, 0x90 }, false },		 /* add %dh,%al; nop */
	{ "x86_64", 1, { 0xf0 }, true },			 /* cut */
	{ "x86_64", 0, { 0 }, false },				 /* a vsyscall */
	{ "i386", 3, { 0x48, 0x87, 0x03 }, false },		 /* dec %eax first */
	{ "i386", 2, { 0x87, 0x03 }, true },
	{ "aarch64", 4, { 0x20, 0x7c, 0x5f, 0x88 }, true },  /* ldxr w0, [x1] */
	{ "aarch64", 4, { 0x20, 0x7c, 0x02, 0x88 }, true },  /* stxr w2, w0, [x1] */
	{ "aarch64", 4, { 0x20, 0xfc, 0xdf, 0x88 }, false }, /* ldar w0, [x1] */
	{ "aarch64", 4, { 0x20, 0xfc, 0x9f, 0x88 }, false }, /* stlr w0, [x1] */
	{ "aarch64", 4, { 0x41, 0x7c, 0xa0, 0x88 }, true },  /* cas w0, w1, [x2] */
	{ "aarch64", 4, { 0x82, 0x7c, 0x20, 0x48 }, true },  /* casp x0,x1,x2,x3,[x4] */
	{ "aarch64", 4, { 0x41, 0x00, 0x20, 0xb8 }, true },  /* ldadd w0, w1, [x2] */
	{ "aarch64", 4, { 0x41, 0x80, 0x20, 0xf8 }, true },  /* swp x0, x1, [x2] */
	{ "aarch64", 4, { 0x20, 0x00, 0x40, 0xb9 }, false }, /* ldr w0, [x1] */
	{ "aarch64", 4, { 0x20, 0x68, 0x62, 0xb8 }, false }, /* ldr w0, [x1, x2] */
	{ "arm", 4, { 0x92, 0x00, 0x01, 0xe1 }, true },	     /* swp r0, r2, [r1] */
	{ "arm", 4, { 0x9f, 0x0f, 0x91, 0xe1 }, true },	     /* ldrex r0, [r1] */
	{ "arm", 4, { 0x90, 0x2f, 0x81, 0xe1 }, true },	     /* strex r2, r0, [r1] */
	{ "arm", 4, { 0x51, 0xe8, 0x00, 0x0f }, true },	     /* the same in Thumb */
	{ "arm", 4, { 0x41, 0xe8, 0x00, 0x02 }, true },
	{ "arm", 4, { 0x00, 0x00, 0x91, 0xe5 }, false },     /* ldr r0, [r1] */
	{ "arm", 2, { 0x08, 0x68 }, false },		     /* ldr r0, [r1] */
	{ "riscv64", 4, { 0x2f, 0xa5, 0xb5, 0x00 }, false }, /* amoadd.w */
	{ "riscv64", 4, { 0x2f, 0x45, 0xb6, 0x28 }, true },  /* amocas.q */
	{ "riscv64", 4, { 0x2f, 0x35, 0xb6, 0x28 }, false }, /* amocas.d */
	{ "vax", 4, { 0xf0, 0xff, 0, 0 }, false },
};

static void test_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		const struct example *example = &examples[i];
		bool may = alone_may_run(alone_isa(example->target), example->code,
					 example->size);

		if (may != example->may)
			fail_msg("%s, example %zu", example->target, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_examples) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
