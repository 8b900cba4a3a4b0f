// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * isa/riscv: texts against riscv-text.txt and riscv-text-10.txt, which QEMU wrote, and
 * riscv-text-right.txt; and that these files have words for each line of the tables.
 */
#include "isa/riscv_known.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- riscv-text.txt ------------------------------------------------------ */

struct golden {
	unsigned xlen;
	uint32_t word;
	uint64_t address;
	bool known;
	char text[128];
	enum riscv_dialect dialect;
};

static struct golden golden[4096];
static size_t golden_count;

static void take_line(const char *line, enum riscv_dialect dialect)
{
	struct golden *to = &golden[golden_count];
	char bar[2] = "", end[2] = "";

	if (*line == '#')
		return;
	assert_true(golden_count < sizeof(golden) / sizeof(*golden));
	if (sscanf(line, "%u %" SCNx32 " %" SCNx64 " %1[|?]%127[^|?]%1[|?]", &to->xlen,
		   &to->word, &to->address, bar, to->text, end) != 6)
		fail_msg("cannot read the line %s", line);
	to->known = *bar == '|';
	to->dialect = dialect;
	golden_count++;
}

static int read_golden(const char *name, enum riscv_dialect dialect)
{
	const char *root = getenv("SRC");
	char path[4096], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/unit/%s", root ? root : ".", name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		take_line(line, dialect);
	fclose(file);
	return 0;
}

static int setup(void **state)
{
	(void)state;
	return read_golden("riscv-text.txt", RISCV_QEMU_7) ||
	       read_golden("riscv-text-10.txt", RISCV_QEMU_10) ||
	       read_golden("riscv-text-right.txt", RISCV_RIGHT);
}

static void test_texts(void **state)
{
	char text[128];

	(void)state;
	assert_true(golden_count > 2000);
	for (const struct golden *line = golden; line < golden + golden_count; line++) {
		int length = riscv_text(line->word, line->xlen, line->dialect,
					line->address, text, sizeof(text));

		if (length != (int)strlen(text))
			fail_msg("%08" PRIx32 " has the length %d", line->word, length);
		if (riscv_knows(line->word, line->xlen, line->dialect) != line->known)
			fail_msg("%08" PRIx32 " must%s be known for RV%u", line->word,
				 line->known ? "" : " not", line->xlen);
		if (strcmp(text, line->known ? line->text : ""))
			fail_msg("%08" PRIx32 " is |%s|, not |%s|", line->word,
				 line->text, text);
	}
}

/* ---- all of the tables is in it ------------------------------------------ */

static bool covers(const struct golden *line, const char *name, uint32_t match,
		   uint32_t mask)
{
	const struct riscv_insn *insn = riscv_decode(line->word, line->xlen);

	return insn && insn->match == match && insn->mask == mask &&
	       !strcmp(insn->name, name);
}

static void check_insn(const char *name, uint32_t match, uint32_t mask, bool known,
		       enum riscv_dialect dialect)
{
	assert_int_equal(match & ~mask, 0);
	for (size_t i = 0; i < golden_count; i++)
		if (golden[i].dialect == dialect && golden[i].known == known &&
		    covers(&golden[i], name, match, mask))
			return;
	fail_msg("no word for %s, %08" PRIx32 "/%08" PRIx32, name, match, mask);
}

static void check_text(const char *name, uint32_t match, uint32_t mask, const char *text)
{
	const char *other = text ? strchr(text, '|') : NULL;

	check_insn(name, match, mask, text != NULL, RISCV_QEMU_7);
	if (other)
		check_insn(name, match, mask, other[1] != '?', RISCV_QEMU_10);
}

static void test_insns_covered(void **state)
{
	(void)state;
#define INSN(name, match, mask, when, ext, class, text) \
	check_text(name, match, mask, text);
#include "isa/riscv.def"
}

/* `text` is QEMU's, `right` NULL when that is right, or 10's after a "|". */
static void check_right(const char *name, uint32_t match, uint32_t mask, const char *text,
			const char *right)
{
	if (right || (text && strchr(text, '|')))
		check_insn(name, match, mask, true, RISCV_RIGHT);
}

static void test_right_covered(void **state)
{
	(void)state;
#define INSN(name, match, mask, when, ext, class, text) \
	check_right(name, match, mask, text, NULL);
#define TEXTS(name, match, mask, when, ext, class, text, right) \
	check_right(name, match, mask, text, right);
#include "isa/riscv.def"
}

/* What only a CPU's extensions decide is not known of one that the user chose. */
static void test_chosen_cpu(void **state)
{
	static const struct {
		uint32_t word;
		bool depends;
	} words[] = {
		{ 0x00b50533, false }, /* add */
		{ 0x00000537, false }, /* lui a0,0 */
		{ 0x00000517, false }, /* auipc a0,0 */
		{ 0x00000017, true },  /* lpad, or auipc zero,0 */
		{ 0x02b57553, true },  /* fadd.d fa0,fa0,fa1, or a0,a0,a1 */
		{ 0xc2051553, true },  /* fcvt.w.d */
		{ 0x0005b507, true },  /* fld */
		{ 0x0000a522, true },  /* c.fsdsp, or one of Zcmt */
		{ 0x0000852e, false }, /* c.mv */
		{ 0x02110457, false }, /* vadd.vv */
		{ 0x00055457, true },  /* vfadd.vf */
		{ 0x0000000b, false }, /* custom-0 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		uint32_t word = words[i].word;

		assert_int_equal(riscv_depends(word, 64), words[i].depends);
		assert_int_equal(riscv_knows(word, 64, RISCV_QEMU_10_CPU),
				 riscv_knows(word, 64, RISCV_QEMU_10) &&
					 !words[i].depends);
	}
}

static void check_compressed(const char *name, uint16_t match, uint16_t mask,
			     bool reserved)
{
	assert_int_equal(match & ~mask, 0);
	for (size_t i = 0; i < golden_count; i++) {
		const struct golden *line = &golden[i];

		if ((line->word & 3) != 3 && (line->word & mask) == match &&
		    !riscv_expand((uint16_t)line->word, line->xlen) == reserved)
			return;
	}
	fail_msg("no word for %s, %04x/%04x", name, match, mask);
}

static void test_compressed_covered(void **state)
{
	(void)state;
#define COMPRESSED(name, match, mask, when, form, base) \
	check_compressed(name, match, mask, !strcmp(#form, "NONE"));
#define ZCB(name, match, mask, when, form, base) \
	check_compressed(name, match, mask, false);
#define ALONE(name, match, mask, extension, class)                  \
	check_compressed(name, match, mask,                         \
			 RISCV_EXT_##extension != RISCV_EXT_ZCMP && \
				 RISCV_EXT_##extension != RISCV_EXT_ZCMT);
#include "isa/riscv_compressed.def"
}

/* A register with a name of its own must not be one of a series, or there twice. */
static void test_csrs_once(void **state)
{
	static uint8_t seen[4096];

	(void)state;
#define CSRS(number, count, name, n, suffix)   \
	for (unsigned i = 0; i < (count); i++) \
		assert_int_equal(seen[(number) + i]++, 0);
#define CSR(number, name) assert_int_equal(seen[number]++, 0);
#include "isa/riscv_csr.def"
}

/* ---- the functions ------------------------------------------------------- */

static void test_text_is_cut(void **state)
{
	const char *whole = "jal                     ra,34                   # 0x105a6";
	char text[80];

	(void)state;
	for (size_t size = 0; size < sizeof(text); size++) {
		memset(text, 'x', sizeof(text));
		assert_int_equal(riscv_text(0x022000ef, 64, RISCV_QEMU_7, 0x10584, text,
					    size),
				 strlen(whole));
		if (size > 0)
			assert_int_equal(strlen(text),
					 size > strlen(whole) ? strlen(whole) : size - 1);
		assert_memory_equal(text, whole, size > 0 ? strlen(text) : 0);
		assert_int_equal(text[size], 'x');
	}
	assert_int_equal(riscv_text(0, 64, RISCV_QEMU_7, 0, NULL, 0), 0);
	assert_int_equal(riscv_text(0, 64, RISCV_QEMU_7, 0, text, sizeof(text)), 0);
	assert_string_equal(text, "");
}

static void test_dialects(void **state)
{
	static const struct {
		const char *version;
		enum riscv_dialect dialect;
	} all[] = {
		{ "7.2.22", RISCV_QEMU_7 },   { "10.0.2", RISCV_QEMU_10 },
		{ "10.2.2", RISCV_QEMU_10 },  { "10.20.1", RISCV_NO_TEXT },
		{ "7.20.0", RISCV_NO_TEXT },  { "8.2.0", RISCV_NO_TEXT },
		{ "110.0.0", RISCV_NO_TEXT }, { "", RISCV_NO_TEXT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_int_equal(riscv_dialect(all[i].version), all[i].dialect);
	assert_false(riscv_knows(0x00000013, 64, RISCV_NO_TEXT));
}

static void test_upper_half(void **state)
{
	char text[80];

	(void)state;
	assert_ptr_equal(riscv_decode(0xdead8082, 64), riscv_decode(0x8082, 64));
	assert_true(riscv_knows(0xffff8082, 64, RISCV_QEMU_7));
	assert_int_equal(riscv_text(0xdead8082, 64, RISCV_QEMU_7, 0, text, sizeof(text)),
			 24);
	assert_string_equal(text, "ret                     ");
}

static void test_expand(void **state)
{
	(void)state;
	assert_int_equal(riscv_expand(0x0001, 64), 0x00000013); /* c.nop */
	assert_int_equal(riscv_expand(0x1141, 64), 0xff010113); /* c.addi sp,-16 */
	assert_int_equal(riscv_expand(0xe406, 64), 0x00113423); /* c.sdsp ra,8 */
	assert_int_equal(riscv_expand(0x2511, 64), 0x0045051b); /* c.addiw a0,4 */
	assert_int_equal(riscv_expand(0x2011, 64), 0); /* c.addiw zero: reserved */
	assert_int_equal(riscv_expand(0x2011, 32), 0x004000ef); /* c.jal 4 */
	assert_int_equal(riscv_expand(0x0000, 64), 0);
	assert_int_equal(riscv_expand(0x0003, 64), 0); /* not one of 16 bits */
}

static void check_kind(uint32_t word, const char *name, enum riscv_class class,
		       enum riscv_extension extension)
{
	const struct riscv_insn *insn = riscv_decode(word, 64);

	assert_non_null(insn);
	assert_string_equal(insn->name, name);
	assert_string_equal(riscv_class_name(insn->class), riscv_class_name(class));
	assert_string_equal(riscv_extension_name(insn->extension),
			    riscv_extension_name(extension));
}

static void test_kinds(void **state)
{
	(void)state;
	check_kind(0x00000013, "nop", RISCV_HINT, RISCV_EXT_I);
	check_kind(0x0000852e, "mv", RISCV_INTEGER, RISCV_EXT_I);
	check_kind(0x02b50533, "mul", RISCV_MULTIPLY, RISCV_EXT_M);
	check_kind(0x0005b507, "fld", RISCV_FP_LOAD, RISCV_EXT_D);
	check_kind(0x02b57553, "fadd.d", RISCV_FP_ADD, RISCV_EXT_D);
	check_kind(0x04b57553, "fadd.h", RISCV_FP_ADD, RISCV_EXT_ZFH); /* without text */
	check_kind(0x6010151b, "ctzw", RISCV_BIT,
		   RISCV_EXT_ZBB); /* with the text "clzw" */
	check_kind(0x0d0572d7, "vsetvli", RISCV_VECTOR_CONFIG, RISCV_EXT_V);
	check_kind(0xc0102573, "rdtime", RISCV_CSR, RISCV_EXT_ZICSR);
	check_kind(0x00000073, "ecall", RISCV_SYSTEM, RISCV_EXT_I);
}

/* What QEMU 7.2 has no text for, one of each extension; words by the ISA manual. */
static void test_newer_kinds(void **state)
{
	(void)state;
	check_kind(0x0005e013 | 1 << 20, "prefetch.r", RISCV_HINT, RISCV_EXT_ZICBOP);
	check_kind(0x00500033, "ntl.all", RISCV_HINT, RISCV_EXT_ZIHINTNTL);
	check_kind(0x0100000f, "pause", RISCV_HINT, RISCV_EXT_ZIHINTPAUSE);
	check_kind(0x28b5352f, "amocas.d", RISCV_ATOMIC, RISCV_EXT_ZACAS);
	check_kind(0x06b5052f, "amoadd.b", RISCV_ATOMIC, RISCV_EXT_ZABHA);
	check_kind(0x48b5252f, "ssamoswap.w", RISCV_ATOMIC, RISCV_EXT_ZICFISS);
	check_kind(0xce104073, "sspush", RISCV_STORE, RISCV_EXT_ZICFISS);
	check_kind(0xcdc0c073, "sspopchk", RISCV_LOAD, RISCV_EXT_ZICFISS);
	check_kind(0xcdc04573, "ssrdp", RISCV_CSR, RISCV_EXT_ZICFISS);
	check_kind(0x81c5c573, "mop.r.n", RISCV_HINT, RISCV_EXT_ZIMOP);
	check_kind(0xcec5c573, "mop.rr.n", RISCV_HINT, RISCV_EXT_ZIMOP);
	check_kind(0xf0180553, "fli.s", RISCV_FP_MOVE, RISCV_EXT_ZFA);
	check_kind(0x42459553, "fround.d", RISCV_FP_CONVERT, RISCV_EXT_ZFA);
	check_kind(0xc2809553, "fcvtmod.w.d", RISCV_FP_CONVERT, RISCV_EXT_ZFA);
	check_kind(0x4485f553, "fcvt.bf16.s", RISCV_FP_CONVERT, RISCV_EXT_ZFBFMIN);
	check_kind(0xe4050553, "fmv.x.h", RISCV_FP_MOVE, RISCV_EXT_ZFHMIN);
	check_kind(0x07a0c057, "vandn.vx", RISCV_VECTOR_INTEGER, RISCV_EXT_ZVBB);
	check_kind(0x54a2b057, "vror.vi", RISCV_VECTOR_INTEGER, RISCV_EXT_ZVBB);
	check_kind(0x32a2a057, "vclmul.vv", RISCV_VECTOR_MULTIPLY, RISCV_EXT_ZVBC);
	check_kind(0x4aae9057, "vfncvtbf16.f.f.w", RISCV_VECTOR_FP, RISCV_EXT_ZVFBFMIN);
	check_kind(0xeea09057, "vfwmaccbf16.vv", RISCV_VECTOR_FP, RISCV_EXT_ZVFBFWMA);
	check_kind(0xa2a1a077, "vaesef.vv", RISCV_VECTOR_CRYPTO, RISCV_EXT_ZVKNED);
	check_kind(0xb6a0a077, "vsha2ms.vv", RISCV_VECTOR_CRYPTO, RISCV_EXT_ZVKNH);
	check_kind(0x82a0a077, "vsm3me.vv", RISCV_VECTOR_CRYPTO, RISCV_EXT_ZVKSH);
	check_kind(0xa2a82077, "vsm4r.vv", RISCV_VECTOR_CRYPTO, RISCV_EXT_ZVKSED);
	check_kind(0xa2a8a077, "vgmul.vv", RISCV_VECTOR_CRYPTO, RISCV_EXT_ZVKG);
	assert_null(riscv_decode(0x0000000b, 64)); /* custom-0 */
}

static void check_short(uint16_t word, uint32_t expands_to, enum riscv_extension of)
{
	assert_int_equal(riscv_expand(word, 64), expands_to);
	assert_int_equal(riscv_compressed(word, 64), of);
	assert_false(riscv_knows(word, 64, RISCV_QEMU_7) && of != RISCV_EXT_C);
}

static void test_short_kinds(void **state)
{
	(void)state;
	check_short(0x1141, 0xff010113, RISCV_EXT_C);
	check_short(0x8168, 0x00354503, RISCV_EXT_ZCB); /* c.lbu a0,3(a0) */
	check_short(0x8508, 0x00055503, RISCV_EXT_ZCB); /* c.lhu a0,0(a0) */
	check_short(0x8d28, 0x00a51123, RISCV_EXT_ZCB); /* c.sh a0,2(a0) */
	check_short(0x9d4d, 0x02b50533, RISCV_EXT_ZCB); /* c.mul a0,a1 */
	check_short(0x9d61, 0x0ff57513, RISCV_EXT_ZCB); /* c.zext.b a0 */
	check_short(0x9d75, 0xfff54513, RISCV_EXT_ZCB); /* c.not a0 */
	check_kind(0x0081, "c.hint", RISCV_HINT, RISCV_EXT_C);
	check_kind(0x6081, "c.sspush", RISCV_STORE, RISCV_EXT_ZICFISS);
	check_kind(0x6181, "c.mop.n", RISCV_HINT, RISCV_EXT_ZCMOP);
	check_kind(0xb842, "fsd", RISCV_FP_STORE, RISCV_EXT_D);
	assert_string_equal(riscv_alone(0xb842)->name, "cm.push");
	assert_string_equal(riscv_alone(0xa07e)->name, "cm.jt");
	assert_string_equal(riscv_alone(0xa082)->name, "cm.jalt");
	assert_null(riscv_alone(0x8082));
	assert_int_equal(riscv_compressed(0x6181, 64), RISCV_EXTENSIONS);
}

static void check_precision(uint32_t word, const char *precision)
{
	const char *got = riscv_precision(riscv_decode(word, 64));

	if (precision)
		assert_string_equal(got, precision);
	else
		assert_null(got);
}

static void test_precision(void **state)
{
	(void)state;
	check_precision(0x02b57553, "double"); /* fadd.d */
	check_precision(0x00b57553, "single"); /* fadd.s */
	check_precision(0x40157553, "single"); /* fcvt.s.d */
	check_precision(0xc2051553, "double"); /* fcvt.w.d */
	check_precision(0x02b57543, "double"); /* fmadd.d */
	check_precision(0x0005b507, "double"); /* fld */
	check_precision(0x00a5a027, "single"); /* fsw */
	check_precision(0x00059507, "half");   /* flh */
	check_precision(0x4485f553, "bfloat16");
	check_precision(0x40655553, "single"); /* fcvt.s.bf16 */
	check_precision(0x00b50533, NULL);     /* add */
	check_precision(0x00001057, NULL);     /* vfadd.vv */
}

static void test_control_flow(void **state)
{
	(void)state;
	check_kind(0x0000a001, "j", RISCV_JUMP, RISCV_EXT_I);
	check_kind(0x004000ef, "jal", RISCV_CALL, RISCV_EXT_I);
	check_kind(0x004002ef, "jal", RISCV_CALL, RISCV_EXT_I);
	check_kind(0x0040056f, "jal", RISCV_JUMP, RISCV_EXT_I);
	check_kind(0x00008082, "ret", RISCV_RETURN, RISCV_EXT_I);
	check_kind(0x00408067, "jalr", RISCV_RETURN, RISCV_EXT_I);
	check_kind(0x00028067, "jr", RISCV_RETURN, RISCV_EXT_I);
	check_kind(0x00428067, "jalr", RISCV_RETURN, RISCV_EXT_I);
	check_kind(0x00008782, "jr", RISCV_JUMP_INDIRECT, RISCV_EXT_I);
	check_kind(0x00450067, "jalr", RISCV_JUMP_INDIRECT, RISCV_EXT_I);
	check_kind(0x00009782, "jalr", RISCV_CALL_INDIRECT, RISCV_EXT_I);
	check_kind(0x000282e7, "jalr", RISCV_CALL_INDIRECT, RISCV_EXT_I);
	check_kind(0x0000c119, "beqz", RISCV_BRANCH, RISCV_EXT_I);
}

static void test_names(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RISCV_CLASSES; i++)
		assert_true(strlen(riscv_class_name(i)) > 0);
	for (unsigned i = 0; i < RISCV_EXTENSIONS; i++)
		assert_true(strlen(riscv_extension_name(i)) > 0);
}

/* Words of all forms: every short one, and each line's with random operands. */
static void check_known(struct riscv_known *known, unsigned xlen,
			enum riscv_dialect dialect)
{
	uint32_t chance = 1;

	for (uint32_t word = 0; word < 1 << 16; word++)
		if ((word & 3) != 3)
			assert_int_equal(riscv_known(known, word | word << 16),
					 riscv_knows(word, xlen, dialect));
	for (unsigned i = 0; i < 300000; i++) {
		uint32_t word;

		chance = chance * 1664525 + 1013904223;
		word = (chance ^ chance >> 16) | 3;
		assert_int_equal(riscv_known(known, word),
				 riscv_knows(word, xlen, dialect));
		word &= 0xfe00707f; /* no registers: more of these are something */
		assert_int_equal(riscv_known(known, word),
				 riscv_knows(word, xlen, dialect));
	}
}

/* What was looked up once says the same the next time. */
static void test_known(void **state)
{
	static struct riscv_known known;

	(void)state;
	for (unsigned xlen = 32; xlen <= 64; xlen += 32)
		for (enum riscv_dialect dialect = RISCV_NO_TEXT; dialect <= RISCV_RIGHT;
		     dialect++) {
			riscv_known_init(&known, xlen, dialect);
			check_known(&known, xlen, dialect);
			check_known(&known, xlen, dialect);
		}
	assert_true(riscv_knows_all(0x00003003, 64, RISCV_QEMU_7)); /* ld */
	assert_false(riscv_knows_all(0x00003003, 32, RISCV_QEMU_7));
	assert_false(riscv_knows_all(0x00000033, 64, RISCV_QEMU_7)); /* add, or nothing */
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_known),	      cmocka_unit_test(test_texts),
	cmocka_unit_test(test_insns_covered), cmocka_unit_test(test_right_covered),
	cmocka_unit_test(test_chosen_cpu),    cmocka_unit_test(test_compressed_covered),
	cmocka_unit_test(test_csrs_once),     cmocka_unit_test(test_text_is_cut),
	cmocka_unit_test(test_dialects),      cmocka_unit_test(test_upper_half),
	cmocka_unit_test(test_expand),	      cmocka_unit_test(test_kinds),
	cmocka_unit_test(test_newer_kinds),   cmocka_unit_test(test_short_kinds),
	cmocka_unit_test(test_precision),     cmocka_unit_test(test_control_flow),
	cmocka_unit_test(test_names),
};

int main(void)
{
	return cmocka_run_group_tests(tests, setup, NULL);
}
