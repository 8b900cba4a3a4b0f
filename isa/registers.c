// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A number is an index: integer registers from 0 on, those of FP from 32 on, and of RISC-V
 * CSRs from 64 and vectors from 96 on. Most names follow a rule (a letter and a number), so
 * a name is looked up by comparing it with the names of all numbers, and then with what the
 * rules make.
 *
 * Example: riscv64's 10 is "a0"; "x10" is the same, by the rule that x is followed by a
 * number below 32. Number 42 is "fa0", and "f10".
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

static const char *const aarch64_names[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",  "v0",
	"v1",  "v2",  "v3",  "v4",  "v5",  "v6",  "v7",	 "v8",	"v9",  "v10", "v11",
	"v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
	"v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
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
	[REGISTERS_FIRST_FP] = "xmm0",
	"xmm1",
	"xmm2",
	"xmm3",
	"xmm4",
	"xmm5",
	"xmm6",
	"xmm7",
	"xmm8",
	"xmm9",
	"xmm10",
	"xmm11",
	"xmm12",
	"xmm13",
	"xmm14",
	"xmm15",
};

static const char *const csr_names[] = { "fflags", "frm", "vxsat", "vxrm",
					 "vstart", "vl",  "vtype" };

static const char *riscv_name(unsigned number)
{
	if (number < REGISTERS_FIRST_FP)
		return riscv_register_name(RISCV_X, number);
	if (number < REGISTERS_FIRST_CSR)
		return riscv_register_name(RISCV_F, number - REGISTERS_FIRST_FP);
	if (number <= REGISTER_VTYPE)
		return csr_names[number - REGISTERS_FIRST_CSR];
	if (number >= REGISTERS_FIRST_VECTOR && number < REGISTERS_MAX)
		return riscv_register_name(RISCV_V, number - REGISTERS_FIRST_VECTOR);
	return NULL;
}

static const char *listed(const char *const *names, size_t bytes, unsigned number)
{
	return number < bytes / sizeof(*names) ? names[number] : NULL;
}

const char *register_name(const char *isa, unsigned number)
{
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
	static const uint16_t csrs[] = { 0x001, 0x002, 0x009, 0x00a, 0x008, 0xc20, 0xc21 };

	return csrs[number - REGISTERS_FIRST_CSR];
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
	unsigned first = isa_of(isa) == RISCV ? REGISTERS_FIRST_VECTOR :
						REGISTERS_FIRST_FP;

	return number < first ? 1 : 2;
}

bool register_is_compared(const char *isa, unsigned number)
{
	return isa_of(isa) != RISCV || number >= REGISTERS_FIRST_CSR;
}

const char *register_list(const char *isa)
{
	static const char *const lists[] = {
		[RISCV] =
			"zero, ra, sp, gp, tp, t0 to t6, s0 to s11, a0 to a7, ft0 to "
			"ft11, fs0 to fs11, fa0 to fa7, or x0 to x31, f0 to f31; fflags, "
			"frm, vxsat, vxrm, vstart, vl, vtype, v0 to v31",
		[AARCH64] = "x0 to x30, sp, fp, lr, v0 to v31",
		[X86_64] = "rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8 to r15, xmm0 to "
			   "xmm15",
	};

	return isa_of(isa) == OTHER ? NULL : lists[isa_of(isa)];
}
