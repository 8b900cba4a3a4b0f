/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a RISC-V instruction is, its text exactly as QEMU prints it, and the right text.
 *
 * Everything here is a function of constant tables: no allocation, no state, no set-up,
 * any number of threads. A word is the instruction's bytes, little-endian; when it is one
 * of 16 bits (its bits 1..0 are not 3) the upper half is ignored. xlen is 32 or 64.
 */
#ifndef ISA_RISCV_H
#define ISA_RISCV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum riscv_class {
#define CLASS(id, name) RISCV_##id,
#include "isa/riscv_class.def"
	RISCV_CLASSES
};

enum riscv_extension {
#define EXTENSION(id, name) RISCV_EXT_##id,
#include "isa/riscv_class.def"
	RISCV_EXTENSIONS
};

/* A condition that match and mask cannot express. */
enum riscv_when {
	RISCV_ANY,
	RISCV_RV32,
	RISCV_RV64,
	RISCV_SHIFT, /* any; on RV32 the shift is below 32 */
	RISCV_SAME,  /* any; rs1 and rs2 are the same register */
};

/*
 * Whose text is wanted. QEMU's text of some instructions differs between its versions,
 * and some of it is wrong.
 */
enum riscv_dialect {
	RISCV_NO_TEXT,	   /* a version that was never compared: no text is known */
	RISCV_QEMU_7,	   /* 7.2 */
	RISCV_QEMU_10,	   /* 10.0 to 11.1, running their default CPU */
	RISCV_QEMU_10_CPU, /* the same, running a CPU that the user chose */
	RISCV_RIGHT,	   /* the ISA manual's operands, whatever QEMU prints */
};

/* The dialect of a version, "7.2.22". */
enum riscv_dialect riscv_dialect(const char *qemu_version);

/* A line of riscv.def, which explains its fields. */
struct riscv_insn {
	uint32_t match, mask;
	const char *name;  /* the mnemonic, an alias's included: "mv" */
	const char *text;  /* NULL: QEMU prints something else, ask it */
	const char *right; /* NULL: as `text` */
	uint8_t when, extension, class;
};

/*
 * The instruction of a word; for a 16-bit word the 32-bit instruction that it stands for,
 * if any. NULL: unknown. The result is a constant of the program.
 */
const struct riscv_insn *riscv_decode(uint32_t word, unsigned xlen);
#define RISCV_OPCODE 0x7fu   /* of a word: which bits have it */
#define RISCV_FUNCT3 0x7000u /* the same */
/*
 * The first line to try for a 32-bit word. The others follow it, while they have the same
 * opcode.
 */
const struct riscv_insn *riscv_group(uint32_t word);
/*
 * The 16-bit instruction that stands for no 32-bit one; NULL: it is not such. Ask this
 * first where QEMU's text begins with "cm.": with Zcmp these instructions have the words
 * of c.fsdsp.
 */
const struct riscv_insn *riscv_alone(uint16_t word);

/* The 32-bit word that a 16-bit one stands for; 0: none. */
uint32_t riscv_expand(uint16_t word, unsigned xlen);
/* The extension that has a 16-bit word for it: C or Zcb; RISCV_EXTENSIONS: none. */
enum riscv_extension riscv_compressed(uint16_t word, unsigned xlen);

/*
 * Whether a known word's meaning depends on the CPU's extensions: with Zfinx, FP
 * instructions use integer registers; with Zcmp, words of c.fsdsp are other instructions.
 */
bool riscv_depends(uint32_t word, unsigned xlen);
/* Whether riscv_text() knows the word's text; it is then equal to QEMU's. */
bool riscv_knows(uint32_t word, unsigned xlen, enum riscv_dialect dialect);
/* Whether it knows all 32-bit words with this one's opcode and funct3. */
bool riscv_knows_all(uint32_t word, unsigned xlen, enum riscv_dialect dialect);

/*
 * Writes the text of the word at `address`: what QEMU prints after the hexadecimal word
 * and the spaces that follow it. It is cut to size - 1 bytes and terminated, if size is
 * not 0. Returns the length of all of it, 0 when it is not known.
 */
int riscv_text(uint32_t word, unsigned xlen, enum riscv_dialect dialect, uint64_t address,
	       char *text, size_t size);

/* "FP add", "Zbb", "double": constants of the program. */
const char *riscv_class_name(enum riscv_class class);
const char *riscv_extension_name(enum riscv_extension extension);
/*
 * What a scalar FP instruction computes, loads or stores, or converts to; NULL: not FP.
 */
const char *riscv_precision(const struct riscv_insn *insn);

#endif
