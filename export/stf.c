// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * STF, the Simulation Trace Format of RISC-V performance models, version 1.5. A record is a
 * byte that says what it is, and its fields, little-endian and without gaps:
 *
 *	1	identifier	"STF"
 *	2	version		major:32 minor:32
 *	3	comment		bytes:32 text
 *	4	ISA		16; 1 is RISC-V
 *	5	encoding	16; 1 is RV32, 2 is RV64
 *	6	generator	8, major:8 minor:8 minor:8, bytes:16 text; 1 is QEMU
 *	7	features	64
 *	9	PC		64; of the first instruction, and where control did not come from
 *				the one before
 *	19	end of the header
 *	31	target		64; of a branch that was taken, or a jump
 *	40	register	number:16, 3 (written) :4 and the file's kind:4, value:64
 *	60	access		address:64 bytes:16 attributes:16 1 (load) or 2 (store) :8
 *	61	data		64; after each access, 0 where it is not known
 *	240	instruction	32; it ends what belongs to the instruction
 *	241	the same	16
 *
 * The records of an instruction are in the order of these numbers. The program counter is
 * not told: it runs on behind an instruction, or is the target. So a signal's handler, to
 * which no instruction leads, begins with a record of the PC.
 */
#include "export/mem_format.h"

#include <string.h>

#include "base/buf.h"

enum record {
	IDENTIFIER = 1,
	VERSION = 2,
	COMMENT = 3,
	ISA = 4,
	ENCODING = 5,
	GENERATOR = 6,
	FEATURES = 7,
	PC = 9,
	END_OF_HEADER = 19,
	TARGET = 31,
	REGISTER = 40,
	ACCESS = 60,
	DATA = 61,
	INSN32 = 240,
	INSN16 = 241,
};
enum { MAJOR = 1, MINOR = 5, RISCV = 1, RV32 = 1, RV64 = 2, QEMU = 1 };
enum { HAS_OPERANDS = 1 << 2, HAS_RV64 = 1 << 5, HAS_EVENT64 = 1 << 19 };
enum { WRITTEN = 3 << 4, INTEGER = 1, FLOATING_POINT = 2, CSR = 4, LOAD = 1, STORE = 2 };
/* Of data of an access. */
enum { PIECE = 8 };

/* ---- fields ----------------------------------------------------------------------------- */

/* The low `bytes` bytes of a number, in one call of stdio: there are several for each instruction. */
static void put_number(FILE *out, uint64_t value, unsigned bytes)
{
	uint8_t text[8];

	put_u64(text, value);
	fwrite_unlocked(text, 1, bytes, out);
}

static void put_record(FILE *out, enum record record, uint64_t value, unsigned bytes)
{
	uint8_t text[1 + 8] = { (uint8_t)record };

	put_u64(text + 1, value);
	fwrite_unlocked(text, 1, 1 + bytes, out);
}

static void put_text(FILE *out, const char *text, unsigned bytes_of_length)
{
	put_number(out, strlen(text), bytes_of_length);
	fputs(text, out);
}

/* ---- records ---------------------------------------------------------------------------- */

static void put_header(FILE *out, const struct mem_insn *insn)
{
	uint64_t features = insn->knows_written ? HAS_OPERANDS : 0;

	if (insn->xlen == 64)
		features |= HAS_RV64 | HAS_EVENT64;
	putc(IDENTIFIER, out);
	fputs("STF", out);
	put_record(out, VERSION, MAJOR, 4);
	put_number(out, MINOR, 4);
	putc(COMMENT, out);
	put_text(out,
		 !insn->knows_accesses ?
			 "control flow only: no memory accesses recorded" :
		 insn->knows_written ? "memory accesses and registers written" :
				       "memory accesses",
		 4);
	put_record(out, ISA, RISCV, 2);
	put_record(out, ENCODING, insn->xlen == 64 ? RV64 : RV32, 2);
	put_record(out, GENERATOR, QEMU, 1);
	put_number(out, 0, 3);
	put_text(out, "waymark " WAYMARK_VERSION, 2);
	put_record(out, FEATURES, features, 8);
	put_record(out, PC, insn->address, 8);
	putc(END_OF_HEADER, out);
}

/*
 * Whether the instruction itself led to what ran next. Readers take a jump without a target for
 * one that was not taken, so it has one also when it leads to the next instruction. Of a branch
 * that goes on there it is not known: it was not taken.
 */
static bool leads_there(const struct mem_insn *insn, bool goes_on)
{
	const struct flow *flow = &insn->flow;

	if (!insn->next || (goes_on && flow->kind == FLOW_BRANCH))
		return false;
	return flow->kind != FLOW_ON && (!flow->has_target || flow->target == insn->next);
}

static void put_register(FILE *out, const struct mem_register *written)
{
	unsigned number = written->number, file = INTEGER;

	if (number >= REGISTERS_FIRST_CSR) {
		number = register_csr(number);
		file = CSR;
	} else if (number >= REGISTERS_FIRST_FP) {
		number -= REGISTERS_FIRST_FP;
		file = FLOATING_POINT;
	}
	put_record(out, REGISTER, number, 2);
	put_number(out, WRITTEN | file, 1);
	put_number(out, written->data[0], 8);
}

/* Vectors are left out: their records need the length of a register, which is not recorded. */
static void put_registers(FILE *out, const struct mem_insn *insn)
{
	struct mem_register written;

	for (size_t i = 0; mem_written(insn, i, &written); i++)
		if (!mem_is_vector(&written))
			put_register(out, &written);
}

/*
 * A record of data has room for 8 bytes, so a larger access is several. Data that is not known
 * is 0 in the trace, too.
 */
static void put_access(FILE *out, const struct wm_access *access)
{
	for (unsigned at = 0; at < access->size; at += PIECE) {
		unsigned bytes = access->size - at < PIECE ? access->size - at : PIECE;

		put_record(out, ACCESS, access->address + at, 8);
		put_number(out, bytes, 2);
		put_number(out, 0, 2);
		put_number(out, access->kind == WM_ACCESS_STORE ? STORE : LOAD, 1);
		put_record(out, DATA, access->data[at / PIECE], 8);
	}
}

static void print(FILE *out, const struct mem_insn *insn)
{
	bool goes_on = !insn->next || insn->next == insn->address + insn->bytes;
	bool leads = leads_there(insn, goes_on);

	if (insn->first)
		put_header(out, insn);
	else if (insn->apart)
		put_record(out, PC, insn->address, 8);
	if (leads)
		put_record(out, TARGET, insn->next, 8);
	put_registers(out, insn);
	for (size_t i = 0; i < insn->n; i++)
		put_access(out, &insn->accesses[i]);
	put_record(out, insn->bytes == 2 ? INSN16 : INSN32, insn->opcode, insn->bytes);
	if (!goes_on && !leads)
		put_record(out, PC, insn->next, 8);
}

const struct mem_format mem_stf = {
	.format = { "stf", FORMAT_MEM, "stf",
		    "for performance models of RISC-V: Sparta, Olympia, binary",
		    .binary = true },
	.wants_flow = true,
	.riscv_only = true,
	.takes_path = true,
	.print = print,
};
