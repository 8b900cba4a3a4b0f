/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an executed instruction looks like in a listing. To add a format, write
 * export/NAME.c with a struct insn_format, declare it here, and add it to formats[] in
 * cli/cmd-insns.c, to the man page and to the completion.
 *
 * All of a line but its ordinal depends on nothing but the instruction and the stream,
 * so print() is called once for each instruction of the program and its text kept.
 */
#ifndef EXPORT_INSN_FORMAT_H
#define EXPORT_INSN_FORMAT_H

#include <stdint.h>
#include <stdio.h>

struct insn {
	uint64_t address;
	unsigned address_digits; /* hexadecimal ones of an address: 16 or 8 */
	const uint8_t *code;	 /* [bytes], in the order of memory */
	unsigned bytes;
	const char *disas;  /* in QEMU's words; "" when not known */
	const char *symbol; /* NULL when not known */
	const char *module; /* name of the file it is from, NULL when not known */
	uint64_t offset; /* in bytes, from the symbol, or without one from the module */
	unsigned vcpu;
};

struct insn_format {
	const char *name;
	const char *header;	    /* the first line of a listing, or NULL */
	const char *before_ordinal; /* a line begins with this and the ordinal; or NULL */
	unsigned ordinal_width;	    /* of the ordinal, blanks on its left */
	/* Prints the line, or its rest after the ordinal, with its newline. */
	void (*print)(FILE *out, const struct insn *insn);
};

/* The instruction as a number, as RISC-V manuals write it; bytes beyond 8 are left out. */
static inline uint64_t insn_opcode(const struct insn *insn)
{
	uint64_t opcode = 0;

	for (unsigned i = insn->bytes < 8 ? insn->bytes : 8; i--;)
		opcode = opcode << 8 | insn->code[i];
	return opcode;
}

/* Its hexadecimal digits. */
static inline int insn_digits(const struct insn *insn)
{
	return (insn->bytes < 8 ? (int)insn->bytes : 8) * 2;
}

extern const struct insn_format insn_csv, insn_execlog, insn_jsonl, insn_qemu, insn_spike,
	insn_text;

#endif
