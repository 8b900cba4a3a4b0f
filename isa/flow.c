// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RISC-V's control flow comes from three opcodes, because whole files are searched for calls: it
 * says what the classes of the table of instructions (riscv.def) say. AArch64's comes from the
 * bits of its groups of branches: the disassembler does not know those that sign or authenticate
 * pointers, such as "retaa". For the other ISAs it comes from the mnemonic in the disassembly: a
 * handful of prefixes replaces a table of all instructions. The last operand, if it is an address,
 * is the target.
 *
 * Example: "jne 0x401020" begins with x86's "j", so it is a branch to 0x401020. "jmp
 * *%rax" has no address: an indirect jump. ARM writes pc in many ways: "pop {r4, pc}" and
 * "bx lr" return, "ldr pc, [r3]" is an indirect jump (arm_pc()).
 */
#include "isa/flow.h"

#include <stdlib.h>
#include <string.h>

#include "isa/riscv.h"
#include "isa/riscv_fields.h"
#include "isa/x86.h"

static struct flow flow_to(enum flow_kind kind, uint64_t target)
{
	return (struct flow){ .kind = kind, .has_target = true, .target = target };
}

static uint64_t target_of(uint64_t address, int32_t distance, unsigned xlen)
{
	uint64_t target = address + (uint64_t)(int64_t)distance;

	return xlen == 32 ? (uint32_t)target : target;
}

/* ---- RISC-V -------------------------------------------------------------- */

enum { OPCODE_BRANCH = 0x63, OPCODE_JALR = 0x67, OPCODE_JAL = 0x6f };

/* ra and t0 */
static bool is_link(unsigned reg)
{
	return reg == 1 || reg == 5;
}

/* jalr with a link register, or without one. */
static struct flow flow_through(unsigned rs, bool links)
{
	enum flow_kind kind = links	  ? FLOW_CALL_INDIRECT :
			      is_link(rs) ? FLOW_RETURN :
					    FLOW_INDIRECT;

	return (struct flow){ .kind = kind };
}

static struct flow flow_long(uint32_t word, unsigned xlen, uint64_t address)
{
	unsigned rd = riscv_field(word, 7, 5), rs = riscv_field(word, 15, 5);
	unsigned funct = riscv_field(word, 12, 3);

	switch (word & 0x7f) {
	case OPCODE_BRANCH:
		if (funct == 2 || funct == 3)
			break;
		return flow_to(FLOW_BRANCH,
			       target_of(address, riscv_distance_b(word), xlen));
	case OPCODE_JAL:
		return flow_to(is_link(rd) ? FLOW_CALL : FLOW_JUMP,
			       target_of(address, riscv_distance_j(word), xlen));
	case OPCODE_JALR:
		if (funct)
			break;
		return flow_through(rs, is_link(rd));
	}
	return (struct flow){ .kind = FLOW_ON };
}

/*
 * An instruction of 2 bytes: c.jal of RV32, c.j, c.beqz, c.bnez; c.jr and c.jalr, which are c.mv and
 * c.add without a second register.
 */
static struct flow flow_short(uint32_t word, unsigned xlen, uint64_t address)
{
	unsigned high = word >> 13 & 7, rs = riscv_field(word, 7, 5);

	if ((word & 3) == 2 && high == 4 && !riscv_field(word, 2, 5) && rs)
		return flow_through(rs, word >> 12 & 1);
	if ((word & 3) == 1 && high >= 6)
		return flow_to(FLOW_BRANCH,
			       target_of(address, riscv_distance_cb(word), xlen));
	if ((word & 3) == 1 && (high == 5 || (high == 1 && xlen == 32)))
		return flow_to(high == 5 ? FLOW_JUMP : FLOW_CALL,
			       target_of(address, riscv_distance_cj(word), xlen));
	return (struct flow){ .kind = FLOW_ON };
}

struct flow flow_riscv(uint32_t word, unsigned xlen, uint64_t address)
{
	return (word & 3) == 3 ? flow_long(word, xlen, address) :
				 flow_short(word, xlen, address);
}

/* ---- AArch64 ------------------------------------------------------------- */

/* `bits` bits of a word from `first` on: a distance in instructions, with its sign. */
static uint64_t target_in(uint32_t word, unsigned first, unsigned bits, uint64_t address)
{
	int32_t distance = (int32_t)(word << (32 - first - bits)) >> (32 - bits);

	return address + (uint64_t)(int64_t)distance * 4;
}

/*
 * br, blr and ret, bits 21 and 22, also those that authenticate the address first. Those
 * with bit 23 are eret and drps, which only a kernel executes.
 */
static enum flow_kind through_register(uint32_t word)
{
	static const enum flow_kind kinds[] = { FLOW_INDIRECT, FLOW_CALL_INDIRECT,
						FLOW_RETURN, FLOW_ON };

	return word & 1 << 23 ? FLOW_ON : kinds[word >> 21 & 3];
}

struct flow flow_aarch64(uint32_t word, uint64_t address)
{
	static const struct {
		uint32_t mask, match;
		enum flow_kind kind;
		unsigned first, bits; /* of the distance */
	} groups[] = {
		{ 0xfc000000, 0x14000000, FLOW_JUMP, 0, 26 },	/* b */
		{ 0xfc000000, 0x94000000, FLOW_CALL, 0, 26 },	/* bl */
		{ 0xff000000, 0x54000000, FLOW_BRANCH, 5, 19 }, /* b.eq, bc.eq */
		{ 0x7e000000, 0x34000000, FLOW_BRANCH, 5, 19 }, /* cbz, cbnz */
		{ 0x7e000000, 0x36000000, FLOW_BRANCH, 5, 14 }, /* tbz, tbnz */
		{ 0x7e000000, 0x74000000, FLOW_BRANCH, 5, 9 },	/* cbgt and its like */
	};

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if ((word & groups[i].mask) == groups[i].match)
			return flow_to(groups[i].kind,
				       target_in(word, groups[i].first, groups[i].bits,
						 address));
	if (word >> 25 == 0xd6 >> 1)
		return (struct flow){ .kind = through_register(word) };
	return (struct flow){ .kind = FLOW_ON };
}

/* ---- by text ------------------------------------------------------------- */

struct mnemonic {
	const char *start; /* with '$' at its end: the whole mnemonic */
	enum flow_kind kind;
};

static const struct mnemonic x86[] = {
	/*
	 * Order is precedence: "jmp" must come before "j", which takes all conditional
	 * jumps. Prefixes also match suffixed forms ("callq", "retq").
	 */
	{ "call", FLOW_CALL },	 { "jmp", FLOW_JUMP },	 { "j", FLOW_BRANCH },
	{ "loop", FLOW_BRANCH }, { "ret", FLOW_RETURN }, { NULL, FLOW_ON },
};

/* With "cs" and "cc" as the disassembler writes them. */
#define CONDITIONS(M) \
	M(eq)         \
	M(ne) M(hs) M(lo) M(mi) M(pl) M(vs) M(vc) M(hi) M(ls) M(ge) M(lt) M(gt) M(le)
#define BRANCH_IF(condition) \
	{ "b" #condition "$", FLOW_BRANCH }, { "b" #condition ".w$", FLOW_BRANCH },
#define CALL_IF(condition) { "bl" #condition "$", FLOW_CALL },
static const struct mnemonic arm[] = {
	/* Conditional branches first, with Thumb's wide forms ("beq.w"). */
	CONDITIONS(BRANCH_IF) CONDITIONS(CALL_IF){ "bl$", FLOW_CALL },
	{ "blx", FLOW_CALL },
	{ "b$", FLOW_JUMP },
	{ "b.w$", FLOW_JUMP },
	{ "bx$", FLOW_JUMP },
	{ "cbz$", FLOW_BRANCH },
	{ "cbnz$", FLOW_BRANCH },
	{ "tbb$", FLOW_JUMP },
	{ "tbh$", FLOW_JUMP },
	{ NULL, FLOW_ON },
};

static bool starts(const char *text, size_t word, const char *start)
{
	size_t length = strcspn(start, "$");

	return length <= word && !strncmp(text, start, length) &&
	       (!start[length] || length == word);
}

static enum flow_kind find(const struct mnemonic *row, const char *text)
{
	size_t word = strcspn(text, " \t");

	while (row->start && !starts(text, word, row->start))
		row++;
	return row->kind;
}

/* The address in the last operand; on x86 a "*" means that it is read from there. */
static bool read_target(const char *text, uint64_t *target)
{
	const char *last = strrchr(text, ' ');
	char *end;

	if (!last || strchr(text, '*'))
		return false;
	/* ARM's disassembly writes immediates with '#'. */
	last += 1 + (last[1] == '#');
	if (strncmp(last, "0x", 2) != 0)
		return false;
	*target = strtoull(last, &end, 16);
	/* An address must be the whole operand: "0x10(%rax)" is a displacement. */
	return !*end;
}

/*
 * Whether an instruction of ARM that puts something into pc does so on a condition. What has
 * the name of a condition at its end and none is no harm: it always jumps.
 */
static bool has_condition(const char *text)
{
#define NAME_OF(condition) #condition,
	static const char *const conditions[] = { CONDITIONS(NAME_OF) };
	size_t word = strcspn(text, " \t.");

	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++)
		if (word > 2 && !strncmp(text + word - 2, conditions[i], 2))
			return true;
	return false;
}

/* On ARM, any instruction that puts lr or its saved value into pc is a return. */
static enum flow_kind arm_pc(const char *text)
{
	const char *operands = text + strcspn(text, " \t");

	operands += strspn(operands, " \t");
	/* They read pc: "push {fp, ip, lr, pc}". */
	if (!strncmp(text, "push", 4) || !strncmp(text, "st", 2))
		return FLOW_ON;
	if (!strcmp(operands, "lr") && !strncmp(text, "bx", 2))
		return FLOW_RETURN;
	if (!strncmp(operands, "pc, lr", 6) || strstr(operands, "pc}") ||
	    (!strncmp(text, "ldr", 3) && !strncmp(operands, "pc, [sp]", 8)))
		return FLOW_RETURN;
	/* Any other write to pc (add, mov, ldr) is an indirect jump. */
	return strncmp(operands, "pc, ", 4) ? FLOW_ON : FLOW_INDIRECT;
}

bool flow_machine(const char *target, enum flow_machine *machine)
{
	static const struct {
		const char *target;
		enum flow_machine machine;
	} machines[] = {
		{ "aarch64", FLOW_AARCH64 },
		{ "arm", FLOW_ARM },
		{ "x86_64", FLOW_X86 },
		{ "i386", FLOW_X86 },
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (!strcmp(target, machines[i].target)) {
			*machine = machines[i].machine;
			return true;
		}
	return false;
}

struct flow flow_text(enum flow_machine machine, const char *text)
{
	static const struct mnemonic *const tables[] = { x86, arm };
	struct flow flow;

	if (machine == FLOW_X86)
		text = x86_mnemonic(text);
	flow = (struct flow){ .kind = find(tables[machine], text) };
	/* Calls and conditional branches follow from the mnemonic, even "blx lr". */
	if (machine == FLOW_ARM && flow.kind != FLOW_CALL && flow.kind != FLOW_BRANCH) {
		enum flow_kind other = arm_pc(text);

		if (other != FLOW_ON)
			flow.kind = other;
	}
	flow.conditional = machine == FLOW_ARM && flow.kind != FLOW_ON &&
			   flow.kind != FLOW_BRANCH && has_condition(text);
	if (flow.kind == FLOW_ON || flow.kind == FLOW_RETURN)
		return flow;
	flow.has_target = read_target(text, &flow.target);
	/*
	 * One row per mnemonic suffices: the operand distinguishes direct from indirect.
	 */
	if (!flow.has_target && flow.kind == FLOW_JUMP)
		flow.kind = FLOW_INDIRECT;
	if (!flow.has_target && flow.kind == FLOW_CALL)
		flow.kind = FLOW_CALL_INDIRECT;
	return flow;
}
