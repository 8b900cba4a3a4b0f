// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers are read from a word's format, not from its text: the text leaves some out
 * ("ret" reads ra) and with QEMU 7.2 has some wrong. riscv_registers.def lists the
 * formats with a letter for each field that is read or written; a word is looked up from
 * the first line on.
 *
 * Example: the format of R-type integer operations writes "d" and reads "st": bits 11..7,
 * 19..15 and 24..20, each a register x.
 */
#include "isa/riscv_registers.h"

#include "isa/riscv.h"

#include <stddef.h>

static const struct format {
	uint32_t match, mask;
	uint8_t when;
	char written[4], read[7];
} formats[] = {
#define FORMAT(match, mask, when, written, read) \
	{ match, mask, RISCV_##when, written, read },
#include "isa/riscv_registers.def"
};

/* The letters, and where in the word their fields are. */
static const struct operand {
	uint8_t file, from, count;
} operands[128] = {
	['d'] = { RISCV_X, 7, 1 },  ['s'] = { RISCV_X, 15, 1 },
	['t'] = { RISCV_X, 20, 1 }, ['D'] = { RISCV_F, 7, 1 },
	['S'] = { RISCV_F, 15, 1 }, ['T'] = { RISCV_F, 20, 1 },
	['R'] = { RISCV_F, 27, 1 }, ['v'] = { RISCV_V, 7, 1 },
	['w'] = { RISCV_V, 15, 1 }, ['x'] = { RISCV_V, 20, 1 },
	['p'] = { RISCV_X, 7, 2 },  ['q'] = { RISCV_X, 20, 2 },
};

static void add(uint32_t set[RISCV_FILES], const char *letters, uint32_t word)
{
	for (; *letters; letters++) {
		const struct operand *operand = &operands[*letters & 127];

		/* A masked vector instruction (vm = 0) reads v0. */
		if (*letters == 'k')
			set[RISCV_V] |= ~word >> 25 & 1;
		else
			/*
			 * A count of 2 is a register pair, of RV32's 64-bit operands. A
			 * shift beyond bit 31 drops the second register, which does not
			 * exist.
			 */
			set[operand->file] |= ((1u << operand->count) - 1)
					      << (word >> operand->from & 31);
	}
}

void riscv_registers(uint32_t word, unsigned xlen, struct riscv_registers *registers)
{
	*registers = (struct riscv_registers){ .read = { 0 } };
	if ((word & 3) != 3)
		word = riscv_expand((uint16_t)word, xlen);
	/* Formats are wider than instructions: an unknown word may match one. */
	if (!riscv_decode(word, xlen))
		return;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if ((word & formats[i].mask) == formats[i].match &&
		    (formats[i].when == RISCV_ANY || xlen == 32)) {
			add(registers->written, formats[i].written, word);
			add(registers->read, formats[i].read, word);
			return;
		}
}

const char *riscv_register_name(enum riscv_file file, unsigned number)
{
	static const char names[RISCV_FILES][32][5] = {
		{ "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
		  "a1",	  "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
		  "s6",	  "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6" },
		{ "ft0", "ft1", "ft2",	"ft3",	"ft4", "ft5", "ft6",  "ft7",
		  "fs0", "fs1", "fa0",	"fa1",	"fa2", "fa3", "fa4",  "fa5",
		  "fa6", "fa7", "fs2",	"fs3",	"fs4", "fs5", "fs6",  "fs7",
		  "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11" },
		{ "v0",	 "v1",	"v2",  "v3",  "v4",  "v5",  "v6",  "v7",
		  "v8",	 "v9",	"v10", "v11", "v12", "v13", "v14", "v15",
		  "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
		  "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31" },
	};

	return names[file][number & 31];
}
