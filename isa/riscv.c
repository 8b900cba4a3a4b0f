// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which instruction a word is.
 *
 * riscv.def becomes one constant array, sorted into groups by opcode and funct3. A word's
 * opcode and funct3 select the first line of its group; from there lines are tried in
 * order while the opcode stays the same. So nothing is built at run time, and the order
 * of lines is the order of precedence: an alias such as "mv" stands before "addi".
 *
 * Example: 0x00050593 has opcode 0x13 and funct3 0. Its group begins with the aliases of
 * addi; "mv" matches because the immediate is 0.
 */
#include "isa/riscv.h"

#include <string.h>

#define FCVT_BF16_S 0x44800053 /* its format field is "half" */

static const struct riscv_insn insns[] = {
#define INSN(name, match, mask, when, ext, class, text) \
	TEXTS(name, match, mask, when, ext, class, text, NULL)
#define TEXTS(name, match, mask, when, ext, class, text, right) \
	{ match, mask, name, text, right, RISCV_##when, RISCV_EXT_##ext, RISCV_##class },
#include "isa/riscv.def"
	{ 0 } /* of no opcode: ends the last group */
};

/*
 * The index of each group's first line. Lines number themselves as enumerators; a group's
 * enumerator takes the number of the line after it.
 */
#define LINE_(line) LINE_##line
#define LINE(line) LINE_(line)
enum {
#define GROUP(opcode, funct3)      \
	FIRST_##opcode##_##funct3, \
		BEFORE_##opcode##_##funct3 = FIRST_##opcode##_##funct3 - 1,
#define INSN(...) LINE(__LINE__),
#include "isa/riscv.def"
};

/* Opcodes without a group get line 0; its opcode differs, so the search ends there. */
static const uint16_t first[32][8] = {
#define FUNCT3_ANY [0 ... 7]
#define FUNCT3_0 [0]
#define FUNCT3_1 [1]
#define FUNCT3_2 [2]
#define FUNCT3_3 [3]
#define FUNCT3_4 [4]
#define FUNCT3_5 [5]
#define FUNCT3_6 [6]
#define FUNCT3_7 [7]
#define GROUP(opcode, funct3) [opcode >> 2] FUNCT3_##funct3 = FIRST_##opcode##_##funct3,
#include "isa/riscv.def"
};

enum riscv_dialect riscv_dialect(const char *qemu_version)
{
	static const struct {
		const char *start;
		enum riscv_dialect dialect;
	} known[] = {
		{ "7.2.", RISCV_QEMU_7 },
		{ "10.0.", RISCV_QEMU_10 },
		{ "10.2.", RISCV_QEMU_10 },
		{ "11.1.", RISCV_QEMU_10 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(qemu_version, known[i].start, strlen(known[i].start)))
			return known[i].dialect;
	return RISCV_NO_TEXT;
}

static bool when_holds(enum riscv_when when, uint32_t word, unsigned xlen)
{
	switch (when) {
	case RISCV_RV32:
		return xlen == 32;
	case RISCV_RV64:
		return xlen == 64;
	/* RV32 has shift amounts of five bits: bit 25 set is reserved there. */
	case RISCV_SHIFT:
		return xlen == 64 || !(word >> 25 & 1);
	/*
	 * Both source registers are the same one: aliases such as fmv.d, which is fsgnj.d
	 * with rs1 = rs2.
	 */
	case RISCV_SAME:
		return (word >> 15 & 31) == (word >> 20 & 31);
	default:
		return true;
	}
}

const struct riscv_insn *riscv_group(uint32_t word)
{
	return &insns[first[word >> 2 & 31][word >> 12 & 7]];
}

const struct riscv_insn *riscv_decode(uint32_t word, unsigned xlen)
{
	const struct riscv_insn *insn;

	if ((word & 3) != 3) {
		uint16_t half = (uint16_t)word;

		word = riscv_expand(half, xlen);
		if (!word)
			return riscv_alone(half);
	}
	insn = riscv_group(word);
	/*
	 * A group ends where the opcode changes. Lines of a following group with the same
	 * opcode are tried, too, but their masks contain another funct3.
	 */
	for (; !((insn->match ^ word) & RISCV_OPCODE); insn++)
		if ((word & insn->mask) == insn->match &&
		    when_holds(insn->when, word, xlen))
			return insn;
	return NULL;
}

const char *riscv_class_name(enum riscv_class class)
{
	static const char *const names[] = {
#define CLASS(id, name) name,
#include "isa/riscv_class.def"
	};

	return names[class];
}

const char *riscv_extension_name(enum riscv_extension extension)
{
	static const char *const names[] = {
#define EXTENSION(id, name) name,
#include "isa/riscv_class.def"
	};

	return names[extension];
}

const char *riscv_precision(const struct riscv_insn *insn)
{
	static const char *const formats[] = { "single", "double", "half", "quad" };
	static const char *const widths[8] = {
		[1] = "half", [2] = "single", [3] = "double", [4] = "quad"
	};

	if (insn->class == RISCV_FP_LOAD || insn->class == RISCV_FP_STORE)
		return widths[insn->match >> 12 & 7];
	if (insn->class < RISCV_FP_ADD || insn->class > RISCV_FP_MOVE)
		return NULL;
	return insn->match == FCVT_BF16_S ? "bfloat16" : formats[insn->match >> 25 & 3];
}
