// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of a stripped file that its unwind tables do not have: many compilers write
 * none for C. Only the file is read, not what ran of it, so that a function has the same
 * name and extent in every run.
 *
 *	0x10500: jal ra, 0x10640		0x10640 begins a function
 *	0x10630: ret
 *	0x10632: addi sp,sp,-32			so does 0x10632, if no branch leads there
 *
 * Code is read from the start of each section, instruction by instruction. Data among code
 * may look like a call: its target must lie in code, too, and what is still wrong divides a
 * function in two. A function that is only called by its address, and has no prologue, is
 * part of the one before it.
 *
 * Invariant: addresses are virtual ones of the file, and of a section with code.
 */
#include "program/elf/targets.h"

#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/append.h"
#include "isa/flow.h"
#include "isa/x86.h"

/*
 * Far more than files have; a damaged one may have any number of sections over the same
 * bytes.
 */
enum { CODE_BYTES_MAX = 256 << 20, NAMES_MAX = 1 << 22, ARRAYS_MAX = 8 };

/* What is known of bytes of code, each a set with a bit for each of them. */
enum set {
	STARTS, /* of functions */
	JUMPS,	/* where jumps lead */
	PROLOGUES,
	NAMED, /* starts of functions with a name */
	SETS,
};

/* A section with code. */
struct code {
	const uint8_t *bytes;
	uint64_t start, end;
	uint8_t *sets[SETS];
};

struct targets {
	Elf *elf;
	uint16_t machine;
	unsigned xlen;
	struct code *codes; /* [n_codes] */
	size_t n_codes;
	struct {
		uint64_t start, end;
	} arrays[ARRAYS_MAX]; /* [n_arrays] of addresses of constructors, destructors */
	unsigned n_arrays;
};

static const struct code *code_at(const struct targets *targets, uint64_t address)
{
	for (size_t i = 0; i < targets->n_codes; i++)
		if (address >= targets->codes[i].start && address < targets->codes[i].end)
			return &targets->codes[i];
	return NULL;
}

static bool has(const struct code *code, enum set set, size_t at)
{
	return code->sets[set][at / 8] >> at % 8 & 1;
}

/*
 * Adds an address to a set, if it is in code. On ARM its lowest bit says that the code is
 * Thumb.
 */
static void add(const struct targets *targets, enum set set, uint64_t address)
{
	const struct code *code;

	if (targets->machine == EM_ARM)
		address &= ~UINT64_C(1);
	code = code_at(targets, address);
	if (code)
		code->sets[set][(address - code->start) / 8] |=
			(uint8_t)(1 << (address - code->start) % 8);
}

/* Little-endian, as code of all of these machines is; sizes are checked by the callers. */
static uint32_t get_u16(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t get_u32(const uint8_t *at)
{
	return get_u16(at) | get_u16(at + 2) << 16;
}

/* ---- RISC-V -------------------------------------------------------------- */

static bool may_jump(uint32_t word)
{
	if ((word & 3) == 3)
		return (word & 0x7f) == 0x63 || (word & 0x7f) == 0x67 ||
		       (word & 0x7f) == 0x6f;
	/* c.jal, c.j, c.beqz, c.bnez; c.jr and c.jalr. */
	return (word & 3) == 1 ? (word >> 13 & 7) == 1 || (word >> 13 & 7) >= 5 :
	       (word & 3) == 2 ? (word >> 13 & 7) == 4 :
				 false;
}

/* addi sp,sp,-N; c.addi sp,-N; c.addi16sp sp,-N */
static bool is_prologue(uint32_t word)
{
	if ((word & 3) == 3)
		return (word & 0x800fffff) == 0x80010113;
	return (word & 0xff83) == 0x1101 || (word & 0xff83) == 0x7101;
}

/* nop, c.nop, and the zeros that fill up to the next function. */
static bool is_filling(uint32_t word)
{
	return word == 0x13 || (word & 0xffff) == 1 || !(word & 0xffff);
}

/* auipc ra, high; jalr ra, low(ra): a call that the linker did not make shorter. */
struct far_call {
	uint32_t reg; /* that auipc wrote; 0: the last instruction was no auipc */
	uint64_t base;
};

static void take_far_call(const struct targets *targets, struct far_call *call,
			  uint32_t word, uint64_t pc)
{
	uint32_t rd = word >> 7 & 31;
	bool is_link = rd == 1 || rd == 5;

	if (call->reg && (word & 0x707f) == 0x67 && is_link &&
	    (word >> 15 & 31) == call->reg)
		add(targets, STARTS,
		    call->base + (uint64_t)(int64_t)((int32_t)word >> 20));
	call->reg = 0;
	if ((word & 0x7f) != 0x17)
		return;
	call->reg = rd;
	call->base = pc + (uint64_t)(int64_t)(int32_t)(word & 0xfffff000);
}

/* Whether nothing runs on to the next instruction. */
static bool read_flow(const struct targets *targets, uint32_t word, uint64_t pc)
{
	struct flow flow = flow_riscv(word, targets->xlen, pc);

	if (flow.has_target)
		add(targets, flow.kind == FLOW_CALL ? STARTS : JUMPS, flow.target);
	return flow.kind == FLOW_JUMP || flow.kind == FLOW_RETURN ||
	       flow.kind == FLOW_INDIRECT;
}

static void read_riscv(const struct targets *targets, const struct code *code)
{
	size_t bytes = code->end - code->start, length;
	struct far_call call = { .reg = 0 };
	bool ended = true;

	for (size_t at = 0; at + 2 <= bytes; at += length) {
		uint32_t word = get_u16(code->bytes + at);

		length = (word & 3) == 3 ? 4 : 2;
		if (length > bytes - at)
			return;
		if (length == 4)
			word = get_u32(code->bytes + at);
		if (ended && is_prologue(word))
			add(targets, PROLOGUES, code->start + at);
		take_far_call(targets, &call, word, code->start + at);
		if (may_jump(word))
			ended = read_flow(targets, word, code->start + at);
		else
			ended &= is_filling(word);
	}
}

/* ---- other machines ------------------------------------------------------ */

/* bl */
static void read_aarch64(const struct targets *targets, const struct code *code)
{
	size_t bytes = code->end - code->start;

	for (size_t at = 0; at + 4 <= bytes; at += 4) {
		uint32_t word = get_u32(code->bytes + at);

		if ((word & 0xfc000000) == 0x94000000)
			add(targets, STARTS,
			    code->start + at +
				    (uint64_t)(int64_t)((int32_t)(word << 6) >> 4));
	}
}

/* Where a call in ARM code leads: bl; or blx, to Thumb code, with one bit more of distance. */
static bool arm_target(const struct code *code, size_t at, uint64_t *target)
{
	uint32_t word = get_u32(code->bytes + at);

	*target = (uint32_t)(code->start + at + 8 +
			     (uint64_t)(int64_t)((int32_t)(word << 8) >> 6));
	if (word >> 25 == 0x7d)
		*target += word >> 23 & 2;
	return word >> 25 == 0x7d || (word & 0x0f000000) == 0x0b000000;
}

/* The distance of bl and blx of Thumb: S, I1 and I2, which J1 and J2 hide, and the rest. */
static int32_t thumb_distance(uint32_t first, uint32_t second)
{
	uint32_t sign = first >> 10 & 1;
	uint32_t high = ~(second >> 13 ^ sign) & 1, low = ~(second >> 11 ^ sign) & 1;
	uint32_t all = sign << 24 | high << 23 | low << 22 | (first & 0x3ff) << 12 |
		       (second & 0x7ff) << 1;

	return (int32_t)(all << 7) >> 7;
}

/* The same in Thumb code; blx goes to words of ARM code. */
static bool thumb_target(const struct code *code, size_t at, uint64_t *target)
{
	uint32_t first = get_u16(code->bytes + at);
	uint32_t second = get_u16(code->bytes + at + 2);
	bool is_blx = (second & 0xd001) == 0xc000;

	*target = (uint32_t)(code->start + at + 4 +
			     (uint64_t)(int64_t)thumb_distance(first, second));
	if (is_blx)
		*target &= ~UINT64_C(3);
	return (first & 0xf800) == 0xf000 && (is_blx || (second & 0xd000) == 0xd000);
}

/* How many calls the code has that lead to code, with `set` to be added to STARTS. */
static size_t read_arm(const struct targets *targets, const struct code *code, bool thumb,
		       bool set)
{
	size_t bytes = code->end - code->start, length, n = 0;
	uint64_t target;

	for (size_t at = 0; at + 4 <= bytes; at += length) {
		length = thumb && get_u16(code->bytes + at) < 0xe800 ? 2 : 4;
		if (!(thumb ? thumb_target : arm_target)(code, at, &target) ||
		    !code_at(targets, target))
			continue;
		n++;
		if (set)
			add(targets, STARTS, target);
	}
	return n;
}

/*
 * A section is ARM code or Thumb code as a rule, and does not say which. Read as the other
 * one, hardly any word is a call with a target in code.
 */
static void read_arm_or_thumb(const struct targets *targets, const struct code *code)
{
	bool thumb = read_arm(targets, code, true, false) >
		     read_arm(targets, code, false, false);

	read_arm(targets, code, thumb, true);
}

/* The bytes of an x86 instruction; beyond `bytes` when it does not end there. */
static size_t x86_length(const struct targets *targets, const uint8_t *insn, size_t bytes)
{
	size_t length = 0;
	unsigned more;

	while (length < bytes &&
	       (more = x86_wants(insn, length, targets->machine == EM_X86_64)))
		length += more;
	return length;
}

/*
 * call. Code for any address has calls of the next instruction, which take their own
 * address.
 */
static void read_x86(const struct targets *targets, const struct code *code)
{
	size_t bytes = code->end - code->start, length;

	for (size_t at = 0; at < bytes; at += length) {
		const uint8_t *insn = code->bytes + at;

		length = x86_length(targets, insn, bytes - at);
		if (length > bytes - at)
			return;
		if (*insn == 0xe8 && length == 5 && get_u32(insn + 1))
			add(targets, STARTS,
			    code->start + at + 5 +
				    (uint64_t)(int64_t)(int32_t)get_u32(insn + 1));
	}
}

/*
 * Functions of .ARM.exidx, each with the distance from there to its code in 31 bits (EHABI
 * 32, 5). This machine has it instead of .eh_frame.
 */
static void read_exidx(const struct targets *targets, Elf_Scn *section,
		       const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_rawdata(section, NULL);

	if (!data || !data->d_buf)
		return;
	for (size_t at = 0; at + 8 <= data->d_size; at += 8) {
		uint32_t word = get_u32((const uint8_t *)data->d_buf + at);

		add(targets, STARTS,
		    (uint32_t)(shdr->sh_addr + at +
			       (uint64_t)(int64_t)((int32_t)(word << 1) >> 1)));
	}
}

/* ---- between functions --------------------------------------------------- */

/* nop with any prefixes, nop with operands, int3. */
static bool is_x86_filling(const uint8_t *insn, size_t length)
{
	while (length > 1 && (*insn == 0x66 || *insn == 0x2e)) {
		insn++;
		length--;
	}
	return *insn == 0x90 || *insn == 0xcc ||
	       (length > 1 && insn[0] == 0x0f && insn[1] == 0x1f);
}

/* The bytes of what fills code[bytes] up; 0: an instruction that does something. */
static size_t filling(const struct targets *targets, const uint8_t *code, size_t bytes)
{
	size_t length;

	switch (targets->machine) {
	case EM_RISCV:
		if (bytes < 2 || !is_filling(bytes < 4 ? get_u16(code) : get_u32(code)))
			return 0;
		return (get_u16(code) & 3) == 3 ? 4 : 2;
	case EM_AARCH64:
		return bytes >= 4 && (get_u32(code) == 0xd503201f || !get_u32(code)) ? 4 :
										       0;
	case EM_X86_64:
	case EM_386:
		length = x86_length(targets, code, bytes);
		return bytes && length <= bytes && is_x86_filling(code, length) ? length :
										  0;
	default:
		return 0;
	}
}

/*
 * Where a function ends whose size is known, another one may begin: otherwise code up to the
 * next one would be without a name.
 */
static void take_rest(const struct targets *targets, const struct name *name)
{
	const struct code *code = code_at(targets, name->end);
	size_t at, bytes, length;

	if (name->end <= name->start || !code)
		return;
	at = name->end - code->start;
	bytes = code->end - code->start;
	while ((length = filling(targets, code->bytes + at, bytes - at)))
		at += length;
	add(targets, STARTS, code->start + at);
}

/* ---- the file ------------------------------------------------------------ */

static void read_code(const struct targets *targets, const struct code *code)
{
	add(targets, STARTS, code->start);
	if (targets->machine == EM_RISCV)
		read_riscv(targets, code);
	else if (targets->machine == EM_AARCH64)
		read_aarch64(targets, code);
	else if (targets->machine == EM_ARM)
		read_arm_or_thumb(targets, code);
	else if (targets->machine == EM_X86_64 || targets->machine == EM_386)
		read_x86(targets, code);
}

static bool add_code(struct targets *targets, const Elf_Data *data, uint64_t start)
{
	struct code code = { data->d_buf, start, start + data->d_size, { NULL } };
	uint8_t *sets = calloc(SETS, data->d_size / 8 + 1);

	for (unsigned i = 0; sets && i < SETS; i++)
		code.sets[i] = sets + i * (data->d_size / 8 + 1);
	if (sets && APPEND(targets->codes, targets->n_codes, code))
		return true;
	free(sets);
	return false;
}

/*
 * Notes the sections with code, which must be known before the first target is looked at.
 * False: no memory.
 */
static bool find_codes(struct targets *targets)
{
	size_t left = CODE_BYTES_MAX;
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(targets->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &shdr) || shdr.sh_type != SHT_PROGBITS ||
		    !(shdr.sh_flags & SHF_EXECINSTR))
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || !data->d_size || data->d_size > left ||
		    shdr.sh_addr > UINT64_MAX - data->d_size)
			continue;
		if (!add_code(targets, data, shdr.sh_addr))
			return false;
		left -= data->d_size;
	}
	return true;
}

/* Constructors, where the file has their addresses itself: the words of a section. */
static void read_words(struct targets *targets, Elf_Scn *section, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_rawdata(section, NULL);
	size_t step = targets->xlen / 8;

	if (targets->n_arrays < ARRAYS_MAX) {
		targets->arrays[targets->n_arrays].start = shdr->sh_addr;
		targets->arrays[targets->n_arrays++].end = shdr->sh_addr + shdr->sh_size;
	}
	if (!data || !data->d_buf)
		return;
	for (size_t at = 0; at + step <= data->d_size; at += step) {
		const uint8_t *word = (const uint8_t *)data->d_buf + at;
		uint64_t address = get_u32(word);

		if (step == 8)
			address |= (uint64_t)get_u32(word + 4) << 32;
		add(targets, STARTS, address);
	}
}

/* Whether an address is that of a word with a constructor or destructor. */
static bool is_constructor(const struct targets *targets, uint64_t address)
{
	for (unsigned i = 0; i < targets->n_arrays; i++)
		if (address >= targets->arrays[i].start &&
		    address < targets->arrays[i].end)
			return true;
	return false;
}

/*
 * The same of a file that is loaded anywhere: relocations fill the words in, and have no
 * symbol.
 */
static void read_relocations(const struct targets *targets, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
		if (!GELF_R_SYM(rela.r_info) &&
		    code_at(targets, (uint64_t)rela.r_addend) &&
		    is_constructor(targets, rela.r_offset))
			add(targets, STARTS, (uint64_t)rela.r_addend);
}

/* What is known of functions besides the code; relocations come last. */
static void read_sections(struct targets *targets)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(targets->elf, section))) {
		if (!gelf_getshdr(section, &shdr))
			continue;
		if (shdr.sh_type == SHT_INIT_ARRAY || shdr.sh_type == SHT_FINI_ARRAY)
			read_words(targets, section, &shdr);
		else if (targets->machine == EM_ARM && shdr.sh_type == SHT_ARM_EXIDX)
			read_exidx(targets, section, &shdr);
	}
	while ((section = elf_nextscn(targets->elf, section)))
		if (gelf_getshdr(section, &shdr) && shdr.sh_type == SHT_RELA)
			read_relocations(targets, section);
}

/* ---- names --------------------------------------------------------------- */

/* Whether none begins at byte `at`, a multiple of 8, and the seven after it. */
static bool none_begin(const struct code *code, size_t at)
{
	return !(code->sets[STARTS][at / 8] | code->sets[PROLOGUES][at / 8]);
}

/*
 * A prologue that a jump leads to is one that the compiler moved behind an early return, so
 * it begins no function.
 */
static bool begins(const struct code *code, size_t at)
{
	if (has(code, NAMED, at))
		return false;
	return has(code, STARTS, at) ||
	       (has(code, PROLOGUES, at) && !has(code, JUMPS, at));
}

static bool add_guess(const struct code *code, size_t at, struct names *names)
{
	struct name name = {
		.start = code->start + at,
		.end = code->start + at,
		.limit = code->end,
		.worth = NAME_OF_GUESS,
		.label = true,
		.guess = true,
	};
	char text[32];

	snprintf(text, sizeof(text), "sub_%" PRIx64, name.start);
	return names_add(names, &name, text, "");
}

static bool name_all(const struct code *code, struct names *names)
{
	size_t bytes = code->end - code->start;

	for (size_t at = 0; at < bytes && names->n < NAMES_MAX; at++) {
		if (at % 8 == 0 && none_begin(code, at))
			at += 7;
		else if (begins(code, at) && !add_guess(code, at, names))
			return false;
	}
	return true;
}

static void read_all(struct targets *targets, const struct names *names, uint64_t entry)
{
	add(targets, STARTS, entry);
	for (size_t i = 0; i < targets->n_codes; i++)
		read_code(targets, &targets->codes[i]);
	read_sections(targets);
	for (uint32_t i = 0; i < names->n; i++) {
		take_rest(targets, &names->all[i]);
		add(targets, NAMED, names->all[i].start);
	}
}

bool targets_read(struct names *names, Elf *elf)
{
	struct targets targets = { .elf = elf };
	GElf_Ehdr ehdr;
	bool good;

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return true;
	targets.machine = ehdr.e_machine;
	targets.xlen = ehdr.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
	good = find_codes(&targets);
	if (good)
		read_all(&targets, names, ehdr.e_entry);
	for (size_t i = 0; i < targets.n_codes; i++) {
		good = good && name_all(&targets.codes[i], names);
		free(targets.codes[i].sets[0]);
	}
	free(targets.codes);
	return good;
}
