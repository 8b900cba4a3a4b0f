// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads an x86 instruction in the pieces QEMU's translator reads it in: prefixes and
 * opcode byte by byte, then the ModRM byte, SIB byte, displacement and immediates. Only
 * how much is read matters here, and that follows from a letter for each opcode.
 *
 * No instruction is the beginning of another one, so a whole one is never taken for a
 * part, nor a part for a whole one.
 */
#include "isa/x86.h"

/*
 * What follows an opcode: - nothing, m ModRM, b one byte, w two, z two or four by the
 * operand's size, v as z but eight for 64 bits, a an address, e two bytes and one, f as z
 * and two bytes; B and Z as b and z after a ModRM; 3 and 4 a ModRM, for its first
 * kind also b or z; s and t only after certain prefixes.
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

/* After 0x0f. A move to or from a control register ignores what its ModRM says of memory. */
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

/* Of one_byte, what 64-bit code does not have. */
static const uint8_t narrow_only[] = { 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f,
				       0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x62,
				       0x82, 0x9a, 0xce, 0xd4, 0xd5, 0xd6, 0xea };

struct insn {
	const uint8_t *at, *end;
	unsigned wants; /* once set, nothing more is read */
	bool wide, repeat, repeat_not, operand, address, rex_w;
};

/* The last of the next n bytes; 0 when they are not all there. */
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

/* True when `byte` is a prefix; notes what matters of it. */
static bool take_prefix(struct insn *insn, uint8_t byte)
{
	switch (byte) {
	case 0xf2:
	case 0xf3:
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
		insn->rex_w = insn->wide && (byte & 8);
		return insn->wide;
	default:
		return false;
	}
}

static char escape_form(struct insn *insn)
{
	uint8_t opcode = take(insn, 1);

	if (opcode != 0x38 && opcode != 0x3a)
		return two_bytes[opcode];
	take(insn, 1);
	return opcode == 0x38 ? 'm' : 'B';
}

static char vex_form(struct insn *insn, uint8_t byte)
{
	uint8_t map = byte == 0xc5 ? 1 : take(insn, 1) & 0x1f;

	take(insn, 1);
	if (map == 1)
		return escape_form(insn);
	if (map != 2 && map != 3)
		return '-';
	take(insn, 1);
	return map == 2 ? 'm' : 'B';
}

/* After a first byte of 0xc4 or 0xc5, which is VEX unless it is an old instruction. */
static bool is_vex(struct insn *insn)
{
	return insn->wide || insn->at == insn->end || (*insn->at & 0xc0) == 0xc0;
}

static char one_byte_form(const struct insn *insn, uint8_t opcode)
{
	for (size_t i = 0; insn->wide && i < sizeof(narrow_only); i++)
		if (narrow_only[i] == opcode)
			return '-';
	return one_byte[opcode];
}

/* Reads prefixes and opcode; the letter of what follows. */
static char take_opcode(struct insn *insn)
{
	uint8_t byte;

	do
		byte = take(insn, 1);
	while (!insn->wants && take_prefix(insn, byte));
	if (insn->wants)
		return '-';
	if (byte == 0x0f)
		return escape_form(insn);
	if ((byte == 0xc4 || byte == 0xc5) && is_vex(insn))
		return vex_form(insn, byte);
	return one_byte_form(insn, byte);
}

/* ModRM, SIB and displacement; the ModRM's middle field. */
static unsigned take_modrm(struct insn *insn)
{
	uint8_t modrm = take(insn, 1), mode = modrm >> 6, base = modrm & 7;
	bool narrow = insn->address && !insn->wide;

	if (mode == 3)
		return modrm >> 3 & 7;
	if (!narrow && base == 4)
		base = take(insn, 1) & 7;
	if (mode == 1)
		take(insn, 1);
	else if (mode == 2 || base == (narrow ? 6 : 5))
		take(insn, narrow ? 2 : 4);
	return modrm >> 3 & 7;
}

/* What follows the opcode, by its letter. */
static void take_rest(struct insn *insn, char form)
{
	unsigned z = insn->operand && !insn->rex_w ? 2 : 4;

	switch (form) {
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
		take(insn, form == 'e' ? 2 : z);
		take(insn, form == 'e' ? 1 : 2);
		break;
	case 'B':
	case 'Z':
		take_modrm(insn);
		take(insn, form == 'B' ? 1 : z);
		break;
	case '3':
	case '4':
		if (take_modrm(insn) == 0)
			take(insn, form == '3' ? 1 : z);
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
	char form = take_opcode(&insn);

	take_rest(&insn, form);
	return insn.wants;
}
