// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of a stripped file. It keeps the table by which exceptions unwind the stack,
 * .eh_frame, and that has an entry (FDE) for each function: where it begins, and how long
 * it is. How these numbers are encoded is in the entry that several FDEs share (CIE): in
 * practice as 32-bit distances from where they stand, on every machine that is recorded.
 * Other encodings are skipped.
 *
 * Example: an FDE at 0x20010 has the words -0x5d60 and 0x44: 0x44 bytes from 0x1a2b0 on
 * are sub_1a2b0.
 *
 * libdw checks that entries lie in the section; their content is checked here.
 */
#include "program/elf/unwind.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>

#include "program/elf/section.h"

enum {
	RELATIVE = DW_EH_PE_pcrel | DW_EH_PE_sdata4, /* the encoding that is read */
	PAIR_BYTES = 8,
};

static int32_t get_s32(const uint8_t *at)
{
	return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
			 (uint32_t)at[3] << 24);
}

/* Bytes of a pointer in that encoding; 0: not known. */
static size_t pointer_bytes(uint8_t encoding)
{
	switch (encoding & 7) {
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	case DW_EH_PE_udata8:
		return 8;
	default:
		return 0;
	}
}

/* How places are written in the entries of a CIE; DW_EH_PE_omit: not known. */
static uint8_t encoding_of(const Dwarf_CIE *cie)
{
	const uint8_t *at = cie->augmentation_data;
	const uint8_t *end = at + cie->augmentation_data_size;
	const char *what = cie->augmentation;

	/* "zPLR": a handler with its encoding, that of the data of handlers, and ours. */
	if (*what++ != 'z')
		return DW_EH_PE_omit;
	for (; *what && *what != 'R' && at < end; what++) {
		if (*what == 'P') {
			size_t bytes = pointer_bytes(*at);

			if (!bytes || (size_t)(end - at) <= bytes)
				return DW_EH_PE_omit;
			at += bytes;
		}
		at++;
	}
	return *what == 'R' && at < end ? *at : DW_EH_PE_omit;
}

struct table {
	struct names *names;
	Elf *elf;
	Elf_Data *data;
	uint64_t address;
	/* Of the CIE that was looked up last. */
	Dwarf_Off cie;
	uint8_t encoding;
};

/* Most FDEs of a file share one CIE, so the last one is kept. */
static uint8_t find_encoding(struct table *table, Dwarf_Off cie)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;
	const char *ident = elf_getident(table->elf, NULL);

	if (table->encoding != DW_EH_PE_omit && table->cie == cie)
		return table->encoding;
	table->cie = cie;
	table->encoding = DW_EH_PE_omit;
	if (ident &&
	    !dwarf_next_cfi((const unsigned char *)ident, table->data, true, cie, &next,
			    &entry) &&
	    dwarf_cfi_cie_p(&entry))
		table->encoding = encoding_of(&entry.cie);
	return table->encoding;
}

/*
 * Adds a function as a label with a size: it counts only where no symbol reaches. By
 * `worth` a symbol at the same address wins, and a guess loses. Its start is relative to the
 * place of the number itself, hence `off`.
 */
static bool add(struct table *table, const Dwarf_FDE *fde)
{
	uint64_t off = (uint64_t)(fde->start - (const uint8_t *)table->data->d_buf),
		 start;
	char text[32];

	if (fde->end - fde->start < PAIR_BYTES ||
	    find_encoding(table, fde->CIE_pointer) != RELATIVE)
		return true;
	start = table->address + off + (uint64_t)(int64_t)get_s32(fde->start);
	snprintf(text, sizeof(text), "sub_%" PRIx64, start);
	return names_add(table->names,
			 &(struct name){
				 .start = start,
				 .end = start + (uint32_t)get_s32(fde->start + 4),
				 .limit = start,
				 .worth = NAME_OF_UNWIND,
				 .label = true,
			 },
			 text, "");
}

/*
 * dwarf_next_cfi() returns 1 at the end of the section. `next > at` makes the loop finite
 * in a malformed one.
 */
bool unwind_read(struct names *names, Elf *elf)
{
	struct table table = { .names = names, .elf = elf, .encoding = DW_EH_PE_omit };
	const char *ident = elf_getident(elf, NULL);
	Dwarf_Off at = 0, next;
	Dwarf_CFI_Entry entry;
	GElf_Shdr shdr;
	Elf_Scn *section = elf_section_find(elf, ".eh_frame", &shdr);
	int ret;

	table.data = section ? elf_getdata(section, NULL) : NULL;
	if (!ident || !table.data || !table.data->d_buf)
		return true;
	table.address = shdr.sh_addr;
	/* A malformed entry is skipped as long as the begin of the next one is known. */
	for (; (ret = dwarf_next_cfi((const unsigned char *)ident, table.data, true, at,
				     &next, &entry)) != 1 &&
	       next > at && next != (Dwarf_Off)-1;
	     at = next)
		if (!ret && !dwarf_cfi_cie_p(&entry) && !add(&table, &entry.fde))
			return false;
	return true;
}
