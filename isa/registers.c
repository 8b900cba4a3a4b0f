// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A number is an index: integer registers from 0 on, those of FP from 32 on, flags and
 * control registers from 64 and vectors from 96 on. Most names follow a rule (a letter and a
 * number), so a name is looked up by comparing it with the names of all numbers, and then
 * with what the rules make.
 *
 * Example: riscv64's 10 is "a0"; "x10" is the same, by the rule that x is followed by a
 * number below 32. Number 42 is "fa0", and "f10". Vectors of 256 bits have two numbers each:
 * 96 is "v0", its low half, and 129 is "v0[1]".
 */
#include "isa/registers.h"

#include <stdlib.h>
#include <string.h>

#include "isa/riscv_registers.h"

enum isa { RISCV, AARCH64, X86_64, OTHER };

static enum isa isa_of(const char *name)
{
	if (!strcmp(name, "riscv64") || !strcmp(name, "riscv32"))
		return RISCV;
	if (!strcmp(name, "aarch64"))
		return AARCH64;
	return !strcmp(name, "x86_64") ? X86_64 : OTHER;
}

/* Names that are a letter and a number. */
#define EIGHT(name, a, b, c, d, e, f, g, h) \
	name a, name b, name c, name d, name e, name f, name g, name h
#define TO_7(name) EIGHT(name, "0", "1", "2", "3", "4", "5", "6", "7")
#define TO_15(name) TO_7(name), EIGHT(name, "8", "9", "10", "11", "12", "13", "14", "15")
#define TO_23(name) \
	TO_15(name), EIGHT(name, "16", "17", "18", "19", "20", "21", "22", "23")
#define TO_31(name) \
	TO_23(name), EIGHT(name, "24", "25", "26", "27", "28", "29", "30", "31")

static const char *const aarch64_names[] = {
	TO_23("x"),
	"x24",
	"x25",
	"x26",
	"x27",
	"x28",
	"x29",
	"x30",
	"sp",
	TO_31("v"),
	[REGISTER_NZCV] = "nzcv",
	"fpcr",
	"fpsr",
	[REGISTER_P0] = TO_15("p"),
	"ffr",
};

static const char *const x86_64_names[] = {
	"rax",
	"rbx",
	"rcx",
	"rdx",
	"rsi",
	"rdi",
	"rbp",
	"rsp",
	"r8",
	"r9",
	"r10",
	"r11",
	"r12",
	"r13",
	"r14",
	"r15",
	[REGISTERS_FIRST_FP] = TO_15("xmm"),
	[REGISTER_FCTRL] = "fctrl",
	"fstat",
	"mxcsr",
	[REGISTER_ST0] = TO_7("st"),
};

/* Parts 1 to 15 of a register; part 0 has its number. */
#define PARTS(name)                                                                   \
	NULL, name "[1]", name "[2]", name "[3]", name "[4]", name "[5]", name "[6]", \
		name "[7]", name "[8]", name "[9]", name "[10]", name "[11]",         \
		name "[12]", name "[13]", name "[14]", name "[15]"
#define PARTS_OF_8(name, a, b, c, d, e, f, g, h)                                   \
	PARTS(name a), PARTS(name b), PARTS(name c), PARTS(name d), PARTS(name e), \
		PARTS(name f), PARTS(name g), PARTS(name h)
#define PARTS_OF_16(name)                                         \
	PARTS_OF_8(name, "0", "1", "2", "3", "4", "5", "6", "7"), \
		PARTS_OF_8(name, "8", "9", "10", "11", "12", "13", "14", "15")
#define PARTS_OF_32(name)                                                         \
	PARTS_OF_16(name),                                                        \
		PARTS_OF_8(name, "16", "17", "18", "19", "20", "21", "22", "23"), \
		PARTS_OF_8(name, "24", "25", "26", "27", "28", "29", "30", "31")

static const char *const riscv_parts[] = { PARTS_OF_32("v") };
static const char *const aarch64_parts[] = {
	PARTS_OF_32("z"),
	PARTS_OF_16("p"),
	PARTS("ffr"),
};

/* The CSRs, from REGISTERS_FIRST_CSR on. */
static const struct {
	const char *name;
	uint16_t csr;
} csrs[] = {
	{ "fflags", 0x001 },  { "frm", 0x002 },	     { "vxsat", 0x009 },
	{ "vxrm", 0x00a },    { "vstart", 0x008 },   { "vl", 0xc20 },
	{ "vtype", 0xc21 },   { "sstatus", 0x100 },  { "sie", 0x104 },
	{ "stvec", 0x105 },   { "sscratch", 0x140 }, { "sepc", 0x141 },
	{ "scause", 0x142 },  { "stval", 0x143 },    { "sip", 0x144 },
	{ "satp", 0x180 },    { "mhartid", 0xf14 },  { "mstatus", 0x300 },
	{ "medeleg", 0x302 }, { "mideleg", 0x303 },  { "mie", 0x304 },
	{ "mtvec", 0x305 },   { "mscratch", 0x340 }, { "mepc", 0x341 },
	{ "mcause", 0x342 },  { "mtval", 0x343 },    { "mip", 0x344 },
};
_Static_assert(sizeof(csrs) / sizeof(*csrs) == REGISTER_MIP + 1 - REGISTERS_FIRST_CSR,
	       "each CSR has a number");

static const char *riscv_name(unsigned number)
{
	if (number < REGISTERS_FIRST_FP)
		return riscv_register_name(RISCV_X, number);
	if (number < REGISTERS_FIRST_CSR)
		return riscv_register_name(RISCV_F, number - REGISTERS_FIRST_FP);
	if (number <= REGISTER_MIP)
		return csrs[number - REGISTERS_FIRST_CSR].name;
	if (number >= REGISTERS_FIRST_VECTOR && number < REGISTERS_FIRST_PART)
		return riscv_register_name(RISCV_V, number - REGISTERS_FIRST_VECTOR);
	return NULL;
}

static const char *listed(const char *const *names, size_t bytes, unsigned number)
{
	return number < bytes / sizeof(*names) ? names[number] : NULL;
}

static const char *part_name(enum isa isa, unsigned number)
{
	switch (isa) {
	case RISCV:
		return listed(riscv_parts, sizeof(riscv_parts), number);
	case AARCH64:
		return listed(aarch64_parts, sizeof(aarch64_parts), number);
	default:
		return NULL;
	}
}

const char *register_name(const char *isa, unsigned number)
{
	if (number >= REGISTERS_FIRST_PART)
		return part_name(isa_of(isa), number - REGISTERS_FIRST_PART);
	switch (isa_of(isa)) {
	case RISCV:
		return riscv_name(number);
	case AARCH64:
		return listed(aarch64_names, sizeof(aarch64_names), number);
	case X86_64:
		return listed(x86_64_names, sizeof(x86_64_names), number);
	default:
		return NULL;
	}
}

/* Other names of a register, and those that a letter and a number make. */
static const struct alias {
	enum isa isa;
	const char *name; /* or the letter */
	unsigned count;	  /* of numbers after the letter; 0: it is the whole name */
	unsigned number;  /* the register, or the first one */
} aliases[] = {
	{ RISCV, "fp", 0, 8 },	  { RISCV, "x", 32, 0 },    { RISCV, "f", 32, 32 },
	{ AARCH64, "fp", 0, 29 }, { AARCH64, "lr", 0, 30 },
};

/* The number that `text` is, all of it, without signs; -1: it is none. */
static long decimal(const char *text)
{
	char *end;
	long number;

	if (*text < '0' || *text > '9' || (*text == '0' && text[1]))
		return -1;
	number = strtol(text, &end, 10);
	return *end ? -1 : number;
}

static int by_alias(enum isa isa, const char *name)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++) {
		const struct alias *alias = &aliases[i];
		size_t letters = strlen(alias->name);
		long number;

		if (alias->isa != isa || strncmp(name, alias->name, letters) != 0)
			continue;
		number = alias->count ? decimal(name + letters) : name[letters] ? -1 : 0;
		if (number >= 0 && (!alias->count || number < (long)alias->count))
			return (int)(alias->number + (unsigned)number);
	}
	return -1;
}

int register_number(const char *isa, const char *name)
{
	for (unsigned i = 0; i < REGISTERS_MAX; i++) {
		const char *own = register_name(isa, i);

		if (own && !strcmp(own, name))
			return (int)i;
	}
	return by_alias(isa_of(isa), name);
}

unsigned register_csr(unsigned number)
{
	return csrs[number - REGISTERS_FIRST_CSR].csr;
}

int register_returned(const char *isa)
{
	static const int numbers[] = {
		[RISCV] = 10, [AARCH64] = 0, [X86_64] = 0, [OTHER] = -1
	};

	return numbers[isa_of(isa)];
}

unsigned register_words(const char *isa, unsigned number)
{
	bool is_vector = number >= REGISTERS_FIRST_VECTOR ||
			 (number >= REGISTERS_FIRST_FP && number < REGISTERS_FIRST_CSR &&
			  isa_of(isa) != RISCV);

	return is_vector ? 2 : 1;
}

unsigned register_whole(const char *isa, unsigned number, unsigned *part)
{
	unsigned owner = (number - REGISTERS_FIRST_PART) / REGISTER_PARTS;

	*part = number < REGISTERS_FIRST_PART ? 0 : number % REGISTER_PARTS;
	if (number < REGISTERS_FIRST_PART)
		return number;
	if (owner >= 32) /* after the vectors */
		return owner - 32 + REGISTER_P0;
	return owner +
	       (isa_of(isa) == RISCV ? REGISTERS_FIRST_VECTOR : REGISTERS_FIRST_FP);
}

bool register_is_compared(const char *isa, unsigned number)
{
	return isa_of(isa) != RISCV || number >= REGISTERS_FIRST_CSR;
}

bool register_is_privileged(const char *isa, unsigned number)
{
	return isa_of(isa) == RISCV && number >= REGISTERS_FIRST_PRIVILEGED &&
	       number <= REGISTER_MIP;
}

const char *register_list(const char *isa)
{
	static const char *const lists[] = {
		[RISCV] =
			"zero, ra, sp, gp, tp, t0 to t6, s0 to s11, a0 to a7, ft0 to "
			"ft11, fs0 to fs11, fa0 to fa7, or x0 to x31, f0 to f31; fflags, "
			"frm, vxsat, vxrm, vstart, vl, vtype, v0 to v31, and of "
			"longer vectors v0[1] to v31[15]; of a whole machine sstatus, "
			"satp, scause, mstatus, mcause and others",
		[AARCH64] = "x0 to x30, sp, fp, lr, nzcv, v0 to v31, fpcr, fpsr, p0 to "
			    "p15, ffr, and of SVE's vectors z0[1] to z31[15]",
		[X86_64] = "rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8 to r15, xmm0 to "
			   "xmm15, mxcsr, st0 to st7, fctrl, fstat (QEMU does not "
			   "show flags, nor what is above 128 bits)",
	};

	return isa_of(isa) == OTHER ? NULL : lists[isa_of(isa)];
}

const char *register_omitted(const char *isa)
{
	static const char *const omitted[] = {
		[AARCH64] = "za and zt0 of SME",
		[X86_64] = "flags and the upper halves of ymm0 to ymm15",
		[OTHER] = NULL,
	};

	return omitted[isa_of(isa)];
}
