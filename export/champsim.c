// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ChampSim's binary trace: a record of 64 bytes for each instruction, little-endian.
 *
 *	offset	bytes
 *	0	8	address
 *	8	1	1: a branch
 *	9	1	1: it was taken
 *	10	2	registers written
 *	12	4	registers read
 *	16	16	two addresses stored to
 *	32	32	four addresses loaded from
 *
 * Unused slots are 0; what does not fit is left out. ChampSim tells the kinds of branches by
 * three register numbers of its own, the stack pointer, the flags and the instruction
 * pointer. RISC-V has no such operands, so they are added here as an x86 instruction of
 * that kind has them: a call reads and writes the stack pointer. The guest's own
 * registers have other numbers: x0 to x31 from 64, f from 96, v from 128; x0 is none. On
 * other ISAs only ChampSim's own are there.
 *
 * Example: `bne a0, a1, ...` reads 26, 74 and 75, and writes 26.
 */
#include "export/mem_format.h"

#include <string.h>

#include "base/buf.h"
#include "isa/riscv_registers.h"

enum {
	STACK_POINTER = 6,
	FLAGS = 25,
	INSN_POINTER = 26,
	FIRST_OWN = 64,
	WRITTEN_MAX = 2,
	READ_MAX = 4,
	RECORD_BYTES = 64,
};

struct record {
	uint8_t written[WRITTEN_MAX], read[READ_MAX];
	uint64_t stores[WRITTEN_MAX], loads[READ_MAX];
};

/* A number into the first free one of n slots. */
static void add(uint8_t *slots, unsigned n, uint8_t number)
{
	for (unsigned i = 0; i < n; i++) {
		if (slots[i] == number)
			return;
		if (!slots[i]) {
			slots[i] = number;
			return;
		}
	}
}

static void add_set(uint8_t *slots, unsigned n, const uint32_t set[RISCV_FILES])
{
	for (unsigned file = 0; file < RISCV_FILES; file++) {
		/* x0 is no register. */
		uint32_t left = file == RISCV_X ? set[file] & ~1u : set[file];

		for (; left; left &= left - 1)
			add(slots, n,
			    (uint8_t)(FIRST_OWN + 32 * file +
				      (unsigned)__builtin_ctz(left)));
	}
}

/* What ChampSim knows each kind of branch by; it comes first, because slots are few. */
static void add_flow(struct record *record, enum flow_kind kind)
{
	if (kind == FLOW_ON)
		return;
	add(record->written, WRITTEN_MAX, INSN_POINTER);
	if (kind != FLOW_RETURN && kind != FLOW_INDIRECT)
		add(record->read, READ_MAX, INSN_POINTER);
	if (kind == FLOW_CALL || kind == FLOW_CALL_INDIRECT || kind == FLOW_RETURN) {
		add(record->written, WRITTEN_MAX, STACK_POINTER);
		add(record->read, READ_MAX, STACK_POINTER);
	}
}

/*
 * A branch without a register operand reads the flags, an indirect jump or call any
 * register: ChampSim would take it for another kind.
 */
static void complete_flow(struct record *record, enum flow_kind kind)
{
	bool has_own = false;

	for (unsigned i = 0; i < READ_MAX; i++)
		has_own |= record->read[i] >= FIRST_OWN;
	if (has_own)
		return;
	if (kind == FLOW_BRANCH)
		add(record->read, READ_MAX, FLAGS);
	if (kind == FLOW_INDIRECT || kind == FLOW_CALL_INDIRECT)
		add(record->read, READ_MAX, FIRST_OWN);
}

static void add_registers(struct record *record, const struct mem_insn *insn,
			  enum flow_kind kind)
{
	struct riscv_registers registers;

	add_flow(record, kind);
	if (insn->xlen) {
		riscv_registers((uint32_t)insn->opcode, insn->xlen, &registers);
		add_set(record->written, WRITTEN_MAX, registers.written);
		add_set(record->read, READ_MAX, registers.read);
	}
	complete_flow(record, kind);
}

static void add_accesses(struct record *record, const struct mem_insn *insn)
{
	unsigned stores = 0, loads = 0;

	for (size_t i = 0; i < insn->n; i++) {
		const struct wm_access *access = &insn->accesses[i];

		if (access->kind == WM_ACCESS_STORE && stores < WRITTEN_MAX)
			record->stores[stores++] = access->address;
		else if (access->kind == WM_ACCESS_LOAD && loads < READ_MAX)
			record->loads[loads++] = access->address;
	}
}

/* Of a branch that the recording ends with it is not known: not taken. */
static bool is_taken(const struct mem_insn *insn, enum flow_kind kind)
{
	if (kind != FLOW_BRANCH)
		return kind != FLOW_ON;
	return insn->next && insn->next != insn->address + insn->bytes;
}

/* ARM's calls and returns whose condition is false are like any other instruction. */
static enum flow_kind kind_of(const struct mem_insn *insn)
{
	bool goes_on = insn->flow.conditional &&
		       insn->next == insn->address + insn->bytes;

	return goes_on ? FLOW_ON : insn->flow.kind;
}

static void print(FILE *out, const struct mem_insn *insn)
{
	struct record record = { 0 };
	uint8_t bytes[RECORD_BYTES] = { 0 };
	enum flow_kind kind = kind_of(insn);

	add_registers(&record, insn, kind);
	add_accesses(&record, insn);
	put_u64(bytes, insn->address);
	bytes[8] = kind != FLOW_ON;
	bytes[9] = is_taken(insn, kind);
	memcpy(bytes + 10, record.written, WRITTEN_MAX);
	memcpy(bytes + 12, record.read, READ_MAX);
	for (unsigned i = 0; i < WRITTEN_MAX; i++)
		put_u64(bytes + 16 + 8 * i, record.stores[i]);
	for (unsigned i = 0; i < READ_MAX; i++)
		put_u64(bytes + 32 + 8 * i, record.loads[i]);
	fwrite(bytes, sizeof(bytes), 1, out);
}

const struct mem_format mem_champsim = {
	.format = { "champsim", FORMAT_MEM, "champsimtrace", "binary, for ChampSim",
		    "--mem", .binary = true },
	.wants_flow = true,
	.print = print,
};
