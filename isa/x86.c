// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads an x86 instruction in the same steps as QEMU's translator: prefixes and opcode
 * byte by byte, then the ModRM byte, SIB byte, displacement and immediates. Only the
 * lengths matter, and these follow from a letter for each opcode. No instruction is a
 * prefix of another one, so it is always clear whether bytes are missing.
 *
 * Example: b8 01 00 (mov eax, imm32, cut). Opcode b8 has the letter v: an immediate of 4
 * bytes. Two are there, so the next read needs 4 bytes that are not all there: the answer
 * is 4.
 */
#include "isa/x86.h"

#include <string.h>

/*
 * What follows an opcode, by letter:
 *	-	nothing			m	ModRM with SIB and displacement
 *	b, w	one byte, two bytes	z	two or four bytes, by operand size
 *	v	z, eight with REX.W	a	an address
 *	e	two bytes, then one	f	z, then two bytes
 *	B, Z	m, then b or z		3, 4	m, then b or z if ModRM's reg field is 0
 *	s, t	only after certain prefixes: see take_rest()
 */
static const char one_byte[] = "mmmmbz--mmmmbz--"
			       "mmmmbz--mmmmbz--"
			       "mmmmbz--mmmmbz--"
			       "mmmmbz--mmmmbz--"
			       "----------------"
			       "----------------"
			       "--mm----zZbB----"
			       "bbbbbbbbbbbbbbbb"
			       "BZBBmmmmmmmmmmmm"
			       "----------f-----"
			       "aaaa----bz------"
			       "bbbbbbbbvvvvvvvv"
			       "BBw-mmBZe-w--b--"
			       "mmmmbb--mmmmmmmm"
			       "bbbbbbbbzzfb----"
			       "------34------mm";

/* After 0x0f. Moves to and from control registers ignore ModRM's mode, so they take b. */
static const char two_bytes[] = "mmmm---------m-B"
				"mmmmmmmmmmmmmmmm"
				"bbbb----mmmmmmmm"
				"----------------"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"BBBBmmm-sm--mmmm"
				"zzzzzzzzzzzzzzzz"
				"mmmmmmmmmmmmmmmm"
				"---mBm-----mBmmm"
				"mmmmmmmmt-Bmmmmm"
				"mmBmBBBm--------"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmm-";

/* Opcodes of one_byte that 64-bit code does not have. */
static const uint8_t narrow_only[] = { 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f,
				       0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x62,
				       0x82, 0x9a, 0xce, 0xd4, 0xd5, 0xd6, 0xea };

struct insn {
	const uint8_t *at, *end;
	unsigned wants; /* bytes that are missing; once set, nothing more is read */
	bool wide, repeat, repeat_not, operand, address, rex_w;
};

/* Reads n bytes and returns the last; 0, and sets wants, when they are not all there. */
static uint8_t take(struct insn *insn, unsigned n)
{
	if (insn->wants)
		return 0;
	if ((size_t)(insn->end - insn->at) < n) {
		insn->wants = n;
		return 0;
	}
	insn->at += n;
	return insn->at[-1];
}

/* True when `byte` is a prefix; notes those that change lengths. */
static bool take_prefix(struct insn *insn, uint8_t byte)
{
	switch (byte) {
	case 0xf2:
	case 0xf3:
		/* The last of F2 and F3 counts. */
		insn->repeat = byte == 0xf3;
		insn->repeat_not = byte == 0xf2;
		return true;
	case 0x66:
		return insn->operand = true;
	case 0x67:
		return insn->address = true;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0xf0:
		return true;
	case 0x40 ... 0x4f:
		/* In 32-bit code these are inc and dec, not prefixes. */
		insn->rex_w = insn->wide && (byte & 8);
		return insn->wide;
	default:
		return false;
	}
}

/*
 * 0f 38 and 0f 3a lead to further maps. All opcodes of the first have ModRM only, all of
 * the second an immediate byte after it.
 */
static char escape_letter(struct insn *insn)
{
	uint8_t opcode = take(insn, 1);

	if (opcode != 0x38 && opcode != 0x3a)
		return two_bytes[opcode];
	take(insn, 1);
	return opcode == 0x38 ? 'm' : 'B';
}

/*
 * VEX: c5 has one byte of payload and implies map 0f; c4 has two, with the map in the
 * first.
 */
static char vex_letter(struct insn *insn, uint8_t byte)
{
	uint8_t map = byte == 0xc5 ? 1 : take(insn, 1) & 0x1f;

	take(insn, 1);
	if (map == 1)
		return escape_letter(insn);
	if (map != 2 && map != 3)
		return '-';
	take(insn, 1);
	return map == 2 ? 'm' : 'B';
}

/* 0xc4 and 0xc5 begin VEX, except in 32-bit code before a memory operand: les, lds. */
static bool is_vex(struct insn *insn)
{
	return insn->wide || insn->at == insn->end || (*insn->at & 0xc0) == 0xc0;
}

static char one_byte_letter(const struct insn *insn, uint8_t opcode)
{
	for (size_t i = 0; insn->wide && i < sizeof(narrow_only); i++)
		if (narrow_only[i] == opcode)
			return '-';
	return one_byte[opcode];
}

/* Reads prefixes and opcode; returns the letter of what follows. */
static char take_opcode(struct insn *insn)
{
	uint8_t byte;

	/*
	 * QEMU accepts any number of prefixes up to 15 bytes; here the end of the bytes
	 * bounds the loop.
	 */
	do
		byte = take(insn, 1);
	while (!insn->wants && take_prefix(insn, byte));
	if (insn->wants)
		return '-';
	if (byte == 0x0f)
		return escape_letter(insn);
	if ((byte == 0xc4 || byte == 0xc5) && is_vex(insn))
		return vex_letter(insn, byte);
	return one_byte_letter(insn, byte);
}

/* Reads ModRM, SIB and displacement; returns ModRM's reg field. */
static unsigned take_modrm(struct insn *insn)
{
	uint8_t modrm = take(insn, 1), mode = modrm >> 6, base = modrm & 7;
	bool narrow = insn->address && !insn->wide;

	/* A register: nothing follows. */
	if (mode == 3)
		return modrm >> 3 & 7;
	/* A SIB byte; its base field takes the place of ModRM's. */
	if (!narrow && base == 4)
		base = take(insn, 1) & 7;
	if (mode == 1)
		take(insn, 1);
	/*
	 * In mode 0, base 5 (6 with 16-bit addresses) means a displacement without a base
	 * register. Mode 1 never gets here.
	 */
	else if (mode == 2 || base == (narrow ? 6 : 5))
		take(insn, narrow ? 2 : 4);
	return modrm >> 3 & 7;
}

/* Reads what follows the opcode, by its letter. */
static void take_rest(struct insn *insn, char letter)
{
	/* REX.W overrides the 66 prefix. */
	unsigned z = insn->operand && !insn->rex_w ? 2 : 4;

	switch (letter) {
	case 'm':
		take_modrm(insn);
		break;
	case 'b':
		take(insn, 1);
		break;
	case 'w':
		take(insn, 2);
		break;
	case 'z':
		take(insn, z);
		break;
	case 'v':
		take(insn, insn->rex_w ? 8 : z);
		break;
	case 'a':
		take(insn, (insn->wide ? 8 : 4) >> insn->address);
		break;
	case 'e':
	case 'f':
		take(insn, letter == 'e' ? 2 : z);
		take(insn, letter == 'e' ? 1 : 2);
		break;
	case 'B':
	case 'Z':
		take_modrm(insn);
		take(insn, letter == 'B' ? 1 : z);
		break;
	case '3':
	case '4':
		if (take_modrm(insn) == 0)
			take(insn, letter == '3' ? 1 : z);
		break;
	case 's':
		if (!insn->operand && !insn->repeat_not)
			break;
		take_modrm(insn);
		take(insn, 2);
		break;
	case 't':
		if (insn->repeat)
			take_modrm(insn);
		break;
	}
}

unsigned x86_wants(const uint8_t *code, size_t bytes, bool wide)
{
	struct insn insn = { .at = code, .end = code + bytes, .wide = wide };
	char letter = take_opcode(&insn);

	take_rest(&insn, letter);
	return insn.wants;
}

const char *x86_mnemonic(const char *text)
{
	static const char *const prefixes[] = { "lock",	 "rep",	  "repe", "repz",
						"repne", "repnz", "bnd",  "notrack" };
	size_t length = strcspn(text, " \t");

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (text[length] && strlen(prefixes[i]) == length &&
		    !strncmp(text, prefixes[i], length))
			return text + length + 1;
	return text;
}
