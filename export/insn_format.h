/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an executed instruction looks like in a listing. How to add a format:
 * export/format.h.
 *
 * All of a line but its ordinal depends on nothing but the instruction and the stream,
 * so print() is called once for each instruction of the program and its text kept.
 */
#ifndef EXPORT_INSN_FORMAT_H
#define EXPORT_INSN_FORMAT_H

#include "export/line_format.h"

#include <stdint.h>
#include <stdio.h>

struct insn {
	uint64_t address;
	unsigned address_digits; /* hexadecimal ones of an address: 16 or 8 */
	unsigned log_digits;	 /* the same in the log of this QEMU, at least */
	unsigned log_width;	 /* of the field for its code there */
	const uint8_t *code;	 /* [bytes], in the order of memory */
	unsigned bytes;
	unsigned unit;	   /* bytes of the numbers its code is made of; divides `bytes` */
	const char *disas; /* "" when not known */
	const char *symbol; /* NULL when not known */
	const char *module; /* name of the file it is from, NULL when not known */
	uint64_t offset; /* in bytes, from the symbol, or without one from the module */
	unsigned vcpu;
	const char *source; /* path of its source file; NULL: not known, or not asked for */
	uint32_t source_line;
};

struct insn_format {
	struct line_format line; /* first: cli/list/cmd-insns.c knows it by this */
	bool in_qemus_words;	 /* `disas` is QEMU's to the byte, its slips included */
	/* Prints the line, or its rest after the ordinal, with its newline. */
	void (*print)(FILE *out, const struct insn *insn);
};

/*
 * The instruction as a number, as RISC-V manuals write it; bytes beyond 8 are left out.
 */
static inline uint64_t insn_opcode(const struct insn *insn)
{
	uint64_t opcode = 0;

	for (unsigned i = insn->bytes < 8 ? insn->bytes : 8; i--;)
		opcode = opcode << 8 | insn->code[i];
	return opcode;
}

#define INSN_CODE_TEXT 48

/*
 * Its code as hexadecimal digits, all of it: a number for each unit, `gap` between them.
 * Returns `text`.
 */
static inline const char *insn_code(const struct insn *insn, const char *gap,
				    char text[INSN_CODE_TEXT])
{
	char *to = text;

	*to = 0;
	for (unsigned at = 0; at < insn->bytes; at += insn->unit) {
		to += sprintf(to, "%s", at ? gap : "");
		for (unsigned i = insn->unit; i--;)
			to += sprintf(to, "%02x", insn->code[at + i]);
	}
	return text;
}

extern const struct insn_format insn_csv, insn_execlog, insn_jsonl, insn_qemu, insn_spike,
	insn_text;

#endif
