// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A linker that leaves out a function sets its addresses in the DWARF to 0, and the function's
 * lines then are at 0 up to its size. In a file that can be loaded anywhere real code follows
 * soon: the lines of a left-out function of 2 KiB are also those of _start and main.
 *
 * libdw sorts the rows of a unit by address, and then nothing tells which function a row is
 * of. So before it reads them, the operand 0 of each DW_LNE_set_address is replaced by an
 * address that is in no segment.
 *
 * Example: "00 09 02 0000000000000000" becomes "00 09 02 fefefefefefefefe". The addresses that
 * follow are relative to it.
 *
 * Invariant: no byte outside of a unit is read or written, whatever the file states.
 */
#include "program/elf/left_out.h"

#include <dwarf.h>
#include <gelf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { NOWHERE = 0xfe }; /* each byte of the address: above programs, below kernels */

/* A part of the table. */
struct bytes {
	uint8_t *at, *end;
	bool big_endian;
};

bool left_out_is_at_zero(Elf *elf)
{
	Elf_Scn *section = NULL;
	bool has_code = false;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &shdr) || !(shdr.sh_flags & SHF_EXECINSTR))
			continue;
		if (!shdr.sh_addr)
			return false;
		has_code = true;
	}
	return has_code;
}

/* ---- bytes ----------------------------------------------------------------- */

/* Reads a number of n bytes. Bytes behind the end count as 0. */
static uint64_t get(struct bytes *bytes, unsigned n)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < n && bytes->at < bytes->end; i++, bytes->at++)
		number |= (uint64_t)*bytes->at << 8 * (bytes->big_endian ? n - 1 - i : i);
	return number;
}

static void skip(struct bytes *bytes, uint64_t n)
{
	uint64_t left = (uint64_t)(bytes->end - bytes->at);

	bytes->at += n < left ? n : left;
}

/* A number in LEB128; bits beyond the 64th are lost. */
static uint64_t get_leb(struct bytes *bytes)
{
	uint64_t number = 0;
	unsigned shift = 0;
	uint8_t byte = 0x80;

	for (; byte & 0x80 && bytes->at < bytes->end; shift += 7) {
		byte = *bytes->at++;
		if (shift < 64)
			number |= (uint64_t)(byte & 0x7f) << shift;
	}
	return number;
}

/* ---- units ----------------------------------------------------------------- */

/* At the length of an extended operation (DWARF 5, 6.2.5.3). */
static void move_extended(struct bytes *program)
{
	static const uint8_t zeros[8];
	uint64_t length = get_leb(program);
	uint64_t left = (uint64_t)(program->end - program->at);

	if (length > 1 && length <= left && length - 1 <= sizeof(zeros) &&
	    *program->at == DW_LNE_set_address &&
	    !memcmp(program->at + 1, zeros, length - 1))
		memset(program->at + 1, NOWHERE, length - 1);
	skip(program, length);
}

/* lengths[base - 1]: how many LEB128 numbers follow each standard operation. */
static void move_program(struct bytes *program, const uint8_t *lengths, unsigned base)
{
	while (program->at < program->end) {
		unsigned operation = *program->at++;

		if (operation >= base)
			continue;
		if (!operation)
			move_extended(program);
		else if (operation == DW_LNS_fixed_advance_pc)
			skip(program, 2);
		else
			for (unsigned n = lengths[operation - 1]; n; n--)
				get_leb(program);
	}
}

/* A unit behind its length (DWARF 5, 6.2.4); `wide`: bytes of an offset. */
static void move_unit(struct bytes unit, unsigned wide)
{
	unsigned version = (unsigned)get(&unit, 2), base;
	struct bytes program;
	uint64_t header;

	if (version < 2 || version > 5)
		return;
	skip(&unit, version >= 5 ? 2 : 0); /* sizes of addresses and segments */
	header = get(&unit, wide);
	program = unit;
	skip(&program, header);
	/* Sizes of instructions, two or three bytes, and line_base and line_range. */
	skip(&unit, version >= 4 ? 5 : 4);
	base = (unsigned)get(&unit, 1);
	if (base && base - 1 <= (size_t)(unit.end - unit.at))
		move_program(&program, unit.at, base);
}

static void move_all(struct bytes table)
{
	while (table.at < table.end) {
		uint64_t length = get(&table, 4);
		unsigned wide = length == UINT32_MAX ? 8 : 4;
		struct bytes unit;

		length = wide == 8 ? get(&table, 8) : length;
		unit = table;
		skip(&table, length);
		unit.end = table.at;
		move_unit(unit, wide);
	}
}

void left_out_move_lines(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr header;
	GElf_Shdr shdr;
	size_t names;

	if (!gelf_getehdr(elf, &header) || elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &shdr) ?
					   elf_strptr(elf, names, shdr.sh_name) :
					   NULL;
		/* libdw has the same bytes, and has unpacked them. */
		Elf_Data *data = name && (!strcmp(name, ".debug_line") ||
					  !strcmp(name, ".zdebug_line")) ?
					 elf_getdata(section, NULL) :
					 NULL;

		if (data && data->d_buf)
			move_all((struct bytes){
				data->d_buf, (uint8_t *)data->d_buf + data->d_size,
				header.e_ident[EI_DATA] == ELFDATA2MSB });
	}
}
