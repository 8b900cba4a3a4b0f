// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of an instruction, as QEMU's disassembler prints it, or as it should.
 *
 *	jal                     ra,34                   # 0x10022
 *	^0                      ^24                     ^48
 *
 * The mnemonic is padded with spaces to OPERANDS even when nothing follows; a target is
 * at TARGET. A line's `text` in riscv.def has a letter for each operand; other characters
 * are copied. Writing is not checked: TEXT_MAX is well above what any line can need.
 *
 * QEMU's errors are part of a dialect (enum riscv_dialect): readers must print what QEMU
 * prints, so that its logs and a trace can be compared. RISCV_RIGHT is the manual's text.
 */
#include "isa/riscv.h"
#include "isa/riscv_registers.h"

#include <string.h>

#include "isa/riscv_fields.h"

#define OPERANDS 24
#define TARGET 48
#define TEXT_MAX 160

struct text {
	char *at;
	uint32_t word;
	enum riscv_dialect dialect;
	uint64_t address, target;
	bool has_target;
	char start[TEXT_MAX];
};

/* 5 and 6 are reserved; 7 means that the register fcsr has the mode. */
static const char rounding_names[8][4] = { "rne", "rtz", "rdn", "rup",
					   "rmm", "inv", "inv", "dyn" };

/* By an atomic's bits aq and rl: QEMU's suffix, and the ISA manual's. */
static const char order_names[2][4][8] = { { "", ".rl", ".aq", ".aq.rl" },
					   { "", ".rl", ".aq", ".aqrl" } };

static const struct csr {
	uint16_t number;
	uint8_t count, n, dialect; /* from this one on */
	const char *name, *suffix;
} csrs[] = {
#define CSR(number, name) { number, 0, 0, 0, name, "" },
#define CSR_10(number, name) { number, 0, 0, RISCV_QEMU_10, name, "" },
#define CSR_RIGHT(number, name) { number, 0, 0, RISCV_RIGHT, name, "" },
#define CSRS(number, count, name, n, suffix) { number, count, n, 0, name, suffix },
#include "isa/riscv_csr.def"
};

/* ---- writing ------------------------------------------------------------- */

static void put(struct text *text, const char *string)
{
	while (*string)
		*text->at++ = *string++;
}

static void put_hex(struct text *text, uint64_t value, unsigned digits_min)
{
	/* As "%#x" does, but 0 is "0x0". */
	unsigned digits = 1;

	while (digits < 16 && value >> 4 * digits)
		digits++;
	if (digits < digits_min)
		digits = digits_min;
	put(text, "0x");
	while (digits-- > 0)
		*text->at++ = "0123456789abcdef"[value >> 4 * digits & 15];
}

static void put_decimal(struct text *text, int32_t value)
{
	char digits[12], *from = digits + sizeof(digits);
	/* Unsigned, because -INT32_MIN does not fit an int32_t. */
	uint32_t rest = value < 0 ? 0 - (uint32_t)value : (uint32_t)value;

	do
		*--from = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--from = '-';
	memcpy(text->at, from, (size_t)(digits + sizeof(digits) - from));
	text->at += digits + sizeof(digits) - from;
}

/* A column that is passed already gets no space. */
static void put_spaces(struct text *text, unsigned column)
{
	while (text->at < text->start + column)
		*text->at++ = ' ';
}

/* ---- operands: of a field of the word, or of all of it ------------------- */

static void put_x(struct text *text, uint32_t number)
{
	put(text, riscv_register_name(RISCV_X, number));
}

static void put_f(struct text *text, uint32_t number)
{
	put(text, riscv_register_name(RISCV_F, number));
}

static void put_v(struct text *text, uint32_t number)
{
	put(text, riscv_register_name(RISCV_V, number));
}

/* Bit vm of vector instructions: 0 means that v0 has the mask. */
static void put_mask(struct text *text, uint32_t unmasked)
{
	put(text, unmasked ? "" : ",v0.t");
}

/* The register is not in the word: it is always the same. */
static void put_v0(struct text *text, uint32_t none)
{
	(void)none;
	put(text, "v0");
}

static void put_unsigned(struct text *text, uint32_t value)
{
	put_decimal(text, (int32_t)value);
}

/* Six bits: the upper one is apart, in bit 26. */
static void put_vector_shift(struct text *text, uint32_t word)
{
	put_unsigned(text, riscv_field(word, 26, 1) << 5 | riscv_field(word, 15, 5));
}

static void put_signed5(struct text *text, uint32_t value)
{
	/* Sign extension of five bits: 16 to 31 become -16 to -1. */
	put_decimal(text, (int32_t)(value ^ 16) - 16);
}

static void put_type_i(struct text *text, uint32_t word)
{
	/* The immediate ends at bit 31, so the shift extends its sign. */
	put_decimal(text, (int32_t)word >> 20);
}

static void put_type_s(struct text *text, uint32_t word)
{
	/* A product, because a left shift of a negative number is undefined. */
	put_decimal(text, ((int32_t)word >> 25) * 32 + (int32_t)riscv_field(word, 7, 5));
}

static void put_type_u(struct text *text, uint32_t word)
{
	put_decimal(text, (int32_t)(word & 0xfffff000));
}

/* The field itself, as a signed number of 20 bits: 0xfffff is -1. */
static void put_upper(struct text *text, uint32_t word)
{
	put_decimal(text, (int32_t)word >> 12);
}

static void set_target(struct text *text, int32_t distance)
{
	/* Through 64 bits with a sign, because a distance may be negative. */
	text->target = text->address + (uint64_t)(int64_t)distance;
	text->has_target = true;
}

static void put_distance(struct text *text, int32_t distance)
{
	put_decimal(text, distance);
	set_target(text, distance);
}

static void put_type_b(struct text *text, uint32_t word)
{
	put_distance(text, riscv_distance_b(word));
}

static void put_type_j(struct text *text, uint32_t word)
{
	put_distance(text, riscv_distance_j(word));
}

static void put_type_u_target(struct text *text, uint32_t word)
{
	put_distance(text, (int32_t)(word & 0xfffff000));
}

static void put_upper_target(struct text *text, uint32_t word)
{
	put_upper(text, word);
	set_target(text, (int32_t)(word & 0xfffff000));
}

static void put_rounding(struct text *text, uint32_t mode)
{
	put(text, rounding_names[mode]);
}

/* Bit 3 is i, input from devices; bit 0 is w, writes to memory. */
static void put_fence_set(struct text *text, uint32_t set)
{
	for (unsigned i = 0; i < 4; i++)
		if (set & 8 >> i)
			*text->at++ = "iorw"[i];
}

static void put_csr(struct text *text, uint32_t number)
{
	for (unsigned i = 0; i < sizeof(csrs) / sizeof(*csrs); i++) {
		const struct csr *csr = &csrs[i];

		/*
		 * Unsigned: a number below the row's wraps to a large one and fails as
		 * well. A count of 0 is a row for one register.
		 */
		if (number - csr->number >= (csr->count ? csr->count : 1u) ||
		    csr->dialect > text->dialect)
			continue;
		put(text, csr->name);
		if (csr->count)
			put_unsigned(text, csr->n + number - csr->number);
		put(text, csr->suffix);
		return;
	}
	/* A CSR's number has 12 bits: three digits. */
	put_hex(text, number, 3);
}

static bool vtype_is_reserved(uint32_t vtype)
{
	return vtype >> 8 || vtype & 0x20 || (vtype & 7) == 4;
}

/*
 * Bits 7, 6: mask, tail agnostic; 5..3: log2 of the element's bytes; 2..0: log2 of lmul.
 * QEMU prints text for reserved values, too.
 */
static void put_vtype(struct text *text, uint32_t vtype)
{
	static const char *const lmul[8] = { ",m1",  ",m2",  ",m4",
					     ",m8",  "", /* reserved, not known */
					     ",mf8", ",mf4", ",mf2" };

	if (text->dialect == RISCV_RIGHT && vtype_is_reserved(vtype)) {
		put_unsigned(text, vtype);
		return;
	}
	/* Example: 0xd0 is e32, m1, ta, ma. */
	*text->at++ = 'e';
	put_decimal(text, 8 << riscv_field(vtype, 3, 3));
	put(text, lmul[vtype & 7]);
	put(text, vtype & 0x40 ? ",ta" : ",tu");
	put(text, vtype & 0x80 ? ",ma" : ",mu");
}

/* The letters of `text` in riscv.def, and where in the word their fields are. */
static const struct operand {
	void (*put)(struct text *text, uint32_t value);
	uint8_t from, bits;
} operands[128] = {
	['d'] = { put_x, 7, 5 },
	['s'] = { put_x, 15, 5 },
	['t'] = { put_x, 20, 5 },
	['D'] = { put_f, 7, 5 },
	['S'] = { put_f, 15, 5 },
	['T'] = { put_f, 20, 5 },
	['R'] = { put_f, 27, 5 },
	['v'] = { put_v, 7, 5 },
	['w'] = { put_v, 15, 5 },
	['x'] = { put_v, 20, 5 },
	['k'] = { put_mask, 25, 1 },
	['M'] = { put_v0, 0, 32 },
	['i'] = { put_type_i, 0, 32 },
	['o'] = { put_type_s, 0, 32 },
	['b'] = { put_type_b, 0, 32 },
	['j'] = { put_type_j, 0, 32 },
	['u'] = { put_type_u, 0, 32 },
	['a'] = { put_type_u_target, 0, 32 },
	['U'] = { put_upper, 0, 32 },
	['A'] = { put_upper_target, 0, 32 },
	['l'] = { put_unsigned, 12, 20 },
	['h'] = { put_unsigned, 20, 6 },
	['r'] = { put_unsigned, 20, 4 },
	['y'] = { put_unsigned, 30, 2 },
	['z'] = { put_unsigned, 15, 5 },
	['n'] = { put_signed5, 15, 5 },
	['H'] = { put_vector_shift, 0, 32 },
	['m'] = { put_rounding, 12, 3 },
	['c'] = { put_csr, 20, 12 },
	['p'] = { put_fence_set, 24, 4 },
	['q'] = { put_fence_set, 20, 4 },
	['e'] = { put_vtype, 20, 11 },
	['E'] = { put_vtype, 20, 10 },
};

/* ---- the instruction ----------------------------------------------------- */

static void put_operand(struct text *text, char letter)
{
	const struct operand *operand = &operands[letter & 127];

	/* A character without an operand is copied: commas, parentheses. */
	if (operand->put)
		operand->put(text, riscv_field(text->word, operand->from, operand->bits));
	else
		*text->at++ = letter;
}

/* Whether extensions change the text: Zicfilp, or Zfinx for FP registers. */
static bool insn_depends(const struct riscv_insn *insn)
{
	const char *text = insn->text ? insn->text : insn->right;

	/* "DSTR" are the letters of FP registers. */
	return insn->extension == RISCV_EXT_ZICFILP || (text && strpbrk(text, "DSTR"));
}

bool riscv_depends(uint32_t word, unsigned xlen)
{
	const struct riscv_insn *insn = riscv_decode(word, xlen);

	return insn && insn_depends(insn);
}

/* A line's text in a dialect, which ends with a 0 or a '|'. NULL: unknown. */
static const char *find_text(const struct riscv_insn *insn, enum riscv_dialect dialect)
{
	const char *other;

	if (insn && insn->right && dialect == RISCV_RIGHT)
		return insn->right;
	if (!insn || !insn->text || dialect == RISCV_NO_TEXT)
		return NULL;
	if (dialect == RISCV_QEMU_10_CPU && insn_depends(insn))
		return NULL;
	/* A line may have two texts, "old|new": QEMU 7's, and that of 10 and later. */
	other = dialect == RISCV_QEMU_7 ? NULL : strchr(insn->text, '|');
	if (!other)
		return insn->text;
	/* "|?" marks text that QEMU 10 has and we do not know. */
	return other[1] == '?' ? NULL : other + 1;
}

/* Writes the name after a "="; returns what follows it. */
static const char *put_name(struct text *text, const char *name)
{
	/*
	 * "=NAME rest": a line whose mnemonic in QEMU differs from its name; '#' stands
	 * for a field of the word.
	 */
	for (; *name != ' '; name++)
		if (*name == '#')
			/*
			 * The field nf of vector loads and stores: the number of
			 * registers less one.
			 */
			put_unsigned(text, riscv_field(text->word, 29, 3) + 1);
		else
			*text->at++ = *name;
	return name + 1;
}

/* Writes the mnemonic; returns the rest of the line's text, the operands. */
static const char *put_mnemonic(struct text *text, const struct riscv_insn *insn,
				const char *rest)
{
	if (*rest == '=')
		return put_name(text, rest + 1);
	put(text, insn->name);
	/* '.' asks for the suffix of an atomic's ordering. */
	if (*rest != '.')
		return rest;
	put(text,
	    order_names[text->dialect == RISCV_RIGHT][riscv_field(text->word, 25, 2)]);
	return rest + 1;
}

static size_t put_insn(struct text *text, const struct riscv_insn *insn,
		       const char *insn_text)
{
	const char *letter = put_mnemonic(text, insn, insn_text);

	put_spaces(text, OPERANDS);
	while (*letter && *letter != '|')
		put_operand(text, *letter++);
	if (text->has_target) {
		put_spaces(text, TARGET);
		put(text, "# ");
		put_hex(text, text->target, 1);
	}
	return (size_t)(text->at - text->start);
}

/* For words of Zcb QEMU prints "illegal", or the 16-bit instruction. */
static const char *word_text(uint32_t word, unsigned xlen, enum riscv_dialect dialect)
{
	if ((word & 3) != 3 && dialect != RISCV_RIGHT &&
	    riscv_compressed((uint16_t)word, xlen) != RISCV_EXT_C)
		return NULL;
	return find_text(riscv_decode(word, xlen), dialect);
}

bool riscv_knows(uint32_t word, unsigned xlen, enum riscv_dialect dialect)
{
	return word_text(word, xlen, dialect) != NULL;
}

/*
 * Lines are tried in the order of riscv_decode(), until one takes all words that the
 * lines before it left. If each of these lines has a text, so does every word.
 */
bool riscv_knows_all(uint32_t word, unsigned xlen, enum riscv_dialect dialect)
{
	const uint32_t both = RISCV_OPCODE | RISCV_FUNCT3;
	enum riscv_when when = xlen == 64 ? RISCV_RV64 : RISCV_RV32;
	const struct riscv_insn *insn = riscv_group(word);

	for (; !((insn->match ^ word) & RISCV_OPCODE); insn++) {
		if ((insn->match ^ word) & insn->mask & both)
			continue; /* matches no word with this funct3 */
		if (!find_text(insn, dialect))
			return false;
		if (!(insn->mask & ~both) &&
		    (insn->when == RISCV_ANY || insn->when == when))
			return true; /* matches every word that is left */
	}
	return false;
}

int riscv_text(uint32_t word, unsigned xlen, enum riscv_dialect dialect, uint64_t address,
	       char *text, size_t size)
{
	const struct riscv_insn *insn = riscv_decode(word, xlen);
	const char *insn_text = word_text(word, xlen, dialect);
	struct text built;
	size_t length, kept;

	if (size > 0)
		*text = '\0';
	if (!insn_text)
		return 0;
	if ((word & 3) != 3)
		word = riscv_expand((uint16_t)word, xlen);
	/*
	 * Built in a buffer of its own and then cut, so that no function that writes must
	 * check for space.
	 */
	built.at = built.start;
	built.word = word;
	built.dialect = dialect;
	built.address = address;
	built.has_target = false;
	length = put_insn(&built, insn, insn_text);
	if (size > 0) {
		kept = length < size ? length : size - 1;
		memcpy(text, built.start, kept);
		text[kept] = '\0';
	}
	return (int)length;
}
