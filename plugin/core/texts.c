// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Most texts are never sent: a reader of the trace makes the same text from the
 * instruction's bytes (isa/riscv_text.c, or capstone). What is left are instructions of
 * RISC-V whose text depends on QEMU's version or on the CPU's extensions, and guest ISAs
 * that no reader can disassemble. Whether QEMU must be asked is decided without asking
 * it, by a table (isa/riscv_known.h); after asking, the reader's text is made and
 * compared.
 *
 * Example: under QEMU 10.2 with the default CPU, `addi a0,a0,1` is in the table and costs
 * a look-up; `cm.push {ra},-16` is not: QEMU disassembles it once, and the text goes to
 * the collector with the instruction's two bytes as its key.
 */
#include "plugin/core/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/arena.h"
#include "format/text.h"
#include "isa/riscv_known.h"
#include "plugin/core/dialect.h"
#include "plugin/core/link.h"

enum { TEXT_BYTES = 256 };

static unsigned xlen;		  /* of a RISC-V guest: 32 or 64; 0 for the others */
static enum riscv_dialect reader; /* what readers of the trace take texts to be in */
static struct riscv_known known;
static struct interner sent; /* instructions whose text was looked at */

void texts_init(const char *target_name, const char *qemu_version)
{
	if (!strncmp(target_name, "riscv", 5))
		xlen = target_name[5] == '3' ? 32 : 64;
	if (!xlen)
		return;
	reader = riscv_dialect(qemu_version);
	riscv_known_init(&known, xlen, dialect_here(qemu_version));
}

/* QEMU's RISC-V disassembler puts the instruction's word before its text: the text. */
static const char *after_word(const char *disas, const uint8_t *code, uint8_t size)
{
	char word[2 * INSN_BYTES_MAX + 2], *to = word;

	/*
	 * The word is printed in hexadecimal from its most significant byte, which is the
	 * last in memory.
	 */
	for (unsigned i = size; i-- > 0;)
		to += sprintf(to, "%02x", code[i]);
	*to++ = ' ';
	if (strncmp(disas, word, (size_t)(to - word)))
		return disas;
	disas += to - word;
	return disas + strspn(disas, " ");
}

/* Behind an instruction of 2 bytes there is more code, or a file's number. */
static uint32_t word_of(const uint8_t *code)
{
	return code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;
}

/* Whether a reader makes the same text from the instruction alone. */
static bool reader_has(const char *text, uint64_t address, const uint8_t *code)
{
	char own[TEXT_BYTES];

	return xlen &&
	       riscv_text(word_of(code), xlen, reader, address, own, sizeof(own)) &&
	       !strcmp(own, text);
}

/*
 * Sends the text of an instruction, unless it is what a reader takes it to be anyway. On
 * RISC-V the same word has the same text at every address, except for the address QEMU
 * appends; elsewhere the text is kept by address.
 */
static void send_text(const struct qemu_plugin_insn *insn, uint64_t address,
		      const uint8_t *code, uint8_t size)
{
	char *disas = qemu_plugin_insn_disas(insn);
	uint8_t flagged = size | (xlen ? 0 : TEXT_AT_ADDRESS), length[VARINT32_MAX];
	char text[TEXT_BYTES];
	struct message_part parts[] = {
		{ &flagged, 1 }, { &address, xlen ? 0 : sizeof(address) },
		{ code, size },	 { length, 0 },
		{ text, 0 },
	};

	snprintf(text, sizeof(text), "%s", disas ? after_word(disas, code, size) : "");
	free(disas);
	if (reader_has(text, address, code))
		return;
	if (xlen)
		text_make_relative(text, sizeof(text), address);
	parts[4].bytes = strlen(text);
	parts[3].bytes = (size_t)(put_varint(length, parts[4].bytes) - length);
	link_send(MESSAGE_TEXT, parts, 5);
}

/* Whether it is known without asking that a reader makes the same text as QEMU. */
static bool has_own_text(const uint8_t *code)
{
	return xlen && riscv_known(&known, word_of(code));
}

/*
 * Sends the texts that only QEMU knows, once for each word (or address). Asking QEMU
 * costs 4 us each, but is rarely needed.
 */
void texts_send(const struct qemu_plugin_tb *tb, const struct tb_code *tb_code)
{
	const uint8_t *code = tb_code->code;

	if (tb_code_has_plain_text(tb_code))
		return;
	for (uint32_t i = 0; i < tb_code->insns; code += tb_code->sizes[i++]) {
		const struct qemu_plugin_insn *insn;
		uint64_t address;
		bool fresh;

		if (!tb_code->sizes[i] || has_own_text(code))
			continue;
		insn = qemu_plugin_tb_get_insn(tb, tb_code->first + i);
		address = qemu_plugin_insn_vaddr(insn);
		/*
		 * Interned before the text is made, so an instruction whose text a reader
		 * knows is not asked for again either.
		 */
		intern(&sent, xlen ? 0 : address, code, tb_code->sizes[i], &fresh);
		if (fresh)
			send_text(insn, address, code, tb_code->sizes[i]);
	}
}
