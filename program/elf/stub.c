// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the stubs of a procedure linkage table look like, for each machine. Those of the
 * GNU linker and of LLVM's begin with the same load. Before it there may be a landing pad
 * (endbr64, bti), and what follows it does not matter. So only the load is matched: its
 * opcode and registers by a mask; its offset gives the slot.
 *
 *	riscv64: 00002e17 fe0e3e03 at 0x1030	auipc t3, 0x2; ld t3, -32(t3)
 *	slot = 0x1030 + 0x2000 - 32 = 0x3010
 *
 * Code that only looks like a stub does no harm: its slot has no relocation, so it gets
 * no name.
 */
#include "program/elf/stub.h"

#include <elf.h>
#include <string.h>

/*
 * `step` is the alignment of a stub's instructions: 1 on x86, where they begin at any
 * byte.
 */
bool stub_kind(struct stub_kind *kind, uint16_t machine)
{
	static const struct stub_kind kinds[] = {
		{ .machine = EM_RISCV, .irelative = R_RISCV_IRELATIVE, .step = 4 },
		{ .machine = EM_AARCH64, .irelative = R_AARCH64_IRELATIVE, .step = 4 },
		{ .machine = EM_ARM, .irelative = R_ARM_IRELATIVE, .step = 4 },
		{ .machine = EM_X86_64, .irelative = R_X86_64_IRELATIVE, .step = 1 },
		{ .machine = EM_386, .irelative = R_386_IRELATIVE, .step = 1 },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].machine == machine) {
			*kind = kinds[i];
			return true;
		}
	return false;
}

/* Four bytes of code: instructions are little-endian on all of these machines. */
static uint32_t word(const uint8_t *code)
{
	return code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;
}

/* auipc t3, high; l[wd] t3, low(t3) */
static bool riscv(const uint8_t *code, uint64_t pc, struct stub *stub)
{
	uint32_t high = word(code), load = word(code + 4);

	/* 0xe17 is auipc with rd t3; 0xe3e03 is ld and 0xe2e03 lw, with rd and rs1 t3. */
	if ((high & 0xfff) != 0xe17 ||
	    ((load & 0xfffff) != 0xe3e03 && (load & 0xfffff) != 0xe2e03))
		return false;
	stub->slot = pc + (uint64_t)(int64_t)(int32_t)(high & 0xfffff000) +
		     (uint64_t)(int64_t)((int32_t)load >> 20);
	return true;
}

/* adrp x16, page; ldr x17, [x16, offset] */
static bool aarch64(const uint8_t *code, uint64_t pc, struct stub *stub)
{
	uint32_t adrp = word(code), load = word(code + 4);
	uint64_t pages;

	/* The fixed bits of adrp x16 and of ldr x17, [x16]. */
	if ((adrp & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
		return false;
	pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	/* The page offset is a signed number of 21 bits. */
	if (pages & 1 << 20)
		pages |= ~UINT64_C(0) << 21;
	stub->slot = (pc & ~UINT64_C(0xfff)) + (pages << 12) + (load >> 10 & 0xfff) * 8;
	return true;
}

/* The constant of an ARM instruction: eight bits, rotated. */
static uint32_t rotated(uint32_t insn)
{
	uint32_t value = insn & 0xff, by = (insn >> 8 & 15) * 2;

	return by ? value >> by | value << (32 - by) : value;
}

/* add ip, pc, high; add ip, ip, middle; ldr pc, [ip, low]! */
static bool arm(const uint8_t *code, uint64_t pc, struct stub *stub)
{
	uint32_t first = word(code), second = word(code + 4), load = word(code + 8);

	if ((first & 0xfffff000) != 0xe28fc000 || (second & 0xfffff000) != 0xe28cc000 ||
	    (load & 0xfffff000) != 0xe5bcf000)
		return false;
	/* The program counter reads as 8 bytes further on ARM. */
	stub->slot =
		(uint32_t)(pc + 8 + rotated(first) + rotated(second) + (load & 0xfff));
	return true;
}

/* jmp *slot */
static bool x86(const struct stub_kind *kind, const uint8_t *code, uint64_t pc,
		struct stub *stub)
{
	uint32_t value;

	/*
	 * ff 25 is a jump through an address; ff a3 is one relative to ebx, on i386 only.
	 */
	if (code[0] != 0xff || (code[1] != 0x25 && code[1] != 0xa3))
		return false;
	value = word(code + 2);
	if (kind->machine == EM_X86_64)
		stub->slot = pc + 6 + (uint64_t)(int64_t)(int32_t)value;
	else
		stub->slot = (uint32_t)(code[1] == 0x25 ? value : kind->got + value);
	return kind->machine == EM_386 || code[1] == 0x25;
}

/* Where the stub begins: at the landing pad before the load, if there is one. */
static size_t find_begin(const struct stub_kind *kind, const uint8_t *code, size_t at)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t endbr32[] = { 0xf3, 0x0f, 0x1e, 0xfb };
	static const uint8_t bti[] = { 0x5f, 0x24, 0x03, 0xd5 };
	static const uint8_t from_thumb[] = { 0x78, 0x47 }; /* bx pc, and two bytes */
	const uint8_t *mark = kind->machine == EM_X86_64 ? endbr64 :
			      kind->machine == EM_386	 ? endbr32 :
							   bti;

	if (kind->step == 1 && at && code[at - 1] == 0xf2) /* bnd */
		at--;
	if (at < sizeof(bti))
		return at;
	if (kind->machine == EM_ARM)
		return memcmp(code + at - 4, from_thumb, 2) == 0 ? at - 4 : at;
	return memcmp(code + at - sizeof(bti), mark, sizeof(bti)) == 0 ?
		       at - sizeof(bti) :
		       at;
}

/* `length` is that of the load: what must be in the section to compare it. */
bool stub_at(const struct stub_kind *kind, const uint8_t *code, size_t bytes, size_t at,
	     uint64_t address, struct stub *stub)
{
	size_t length = kind->step == 1 ? 6 : kind->machine == EM_ARM ? 12 : 8;
	uint64_t pc = address + at;
	bool is_one = false;

	if (at > bytes || bytes - at < length)
		return false;
	code += at;
	if (kind->machine == EM_RISCV)
		is_one = riscv(code, pc, stub);
	else if (kind->machine == EM_AARCH64)
		is_one = aarch64(code, pc, stub);
	else if (kind->machine == EM_ARM)
		is_one = arm(code, pc, stub);
	else
		is_one = x86(kind, code, pc, stub);
	stub->begin = find_begin(kind, code - at, at);
	stub->end = at + length;
	return is_one;
}
