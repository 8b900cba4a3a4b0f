// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/calls.h"

#include <string.h>

#include "elf/table.h"

/*
 * How linkers lay out the code for such calls: entry k goes through slot k of a table of
 * addresses, which relocations fill.
 */
static const struct plt {
	uint16_t machine;
	const char *section;
	uint32_t head, entry; /* bytes */
} plts[] = {
	{ EM_RISCV, ".plt", 32, 16 },	  { EM_AARCH64, ".plt", 32, 16 },
	{ EM_AARCH64, ".plt", 32, 24 },	  { EM_ARM, ".plt", 20, 12 },
	{ EM_X86_64, ".plt.sec", 0, 16 }, { EM_386, ".plt.sec", 0, 16 },
	{ EM_X86_64, ".plt", 16, 16 },	  { EM_386, ".plt", 16, 16 },
};

/* The section of that name; its header in *shdr. */
static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *section = NULL;
	const char *its_own;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings) != 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, shdr))
			continue;
		its_own = elf_strptr(elf, strings, shdr->sh_name);
		if (its_own && !strcmp(its_own, name))
			return section;
	}
	return NULL;
}

/* The relocations that fill the slots, and the symbols they name. */
struct calls {
	Elf_Data *data;
	bool with_addends;
	int n;
	uint64_t first_slot;
	uint32_t slot_bytes;
	struct elf_table symbols;
};

static bool get_relocation(const struct calls *calls, int index, GElf_Rela *rela)
{
	GElf_Rel rel;

	if (calls->with_addends)
		return gelf_getrela(calls->data, index, rela);
	if (!gelf_getrel(calls->data, index, &rel))
		return false;
	*rela = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	return true;
}

static bool find_first_slot(struct calls *calls)
{
	GElf_Rela rela;

	calls->first_slot = UINT64_MAX;
	for (int i = 0; i < calls->n; i++) {
		if (!get_relocation(calls, i, &rela))
			return false;
		if (rela.r_offset < calls->first_slot)
			calls->first_slot = rela.r_offset;
	}
	return calls->n > 0;
}

static bool find_calls(struct calls *calls, Elf *elf)
{
	Elf_Scn *section, *symbols;
	GElf_Shdr shdr, symbols_shdr;
	size_t size;

	section = find_section(elf, ".rela.plt", &shdr);
	if (!section)
		section = find_section(elf, ".rel.plt", &shdr);
	if (!section || (shdr.sh_type != SHT_RELA && shdr.sh_type != SHT_REL))
		return false;
	calls->with_addends = shdr.sh_type == SHT_RELA;
	calls->slot_bytes = gelf_getclass(elf) == ELFCLASS64 ? 8 : 4;
	size = gelf_fsize(elf, calls->with_addends ? ELF_T_RELA : ELF_T_REL, 1,
			  EV_CURRENT);
	calls->data = elf_getdata(section, NULL);
	if (!calls->data || !size || calls->data->d_size / size > ELF_ENTRIES_MAX)
		return false;
	calls->n = (int)(calls->data->d_size / size);
	symbols = elf_getscn(elf, shdr.sh_link);
	return gelf_getshdr(symbols, &symbols_shdr) &&
	       symbols_shdr.sh_type == SHT_DYNSYM &&
	       elf_table_use(&calls->symbols, elf, symbols, &symbols_shdr) &&
	       find_first_slot(calls);
}

static const char *called(const struct calls *calls, const GElf_Rela *rela)
{
	uint64_t symbol = GELF_R_SYM(rela->r_info);
	GElf_Sym sym;

	if (!symbol || symbol > INT32_MAX ||
	    !gelf_getsym(calls->symbols.data, (int)symbol, &sym))
		return NULL;
	return elf_table_name(&calls->symbols, &sym);
}

static bool add_call(struct names *names, const struct calls *calls,
		     const struct plt *plt, uint64_t address, const GElf_Rela *rela)
{
	uint64_t index = (rela->r_offset - calls->first_slot) / calls->slot_bytes;
	uint64_t start = address + plt->head + index * plt->entry;
	const char *text = called(calls, rela);

	return names_nothing(text) || index >= (uint64_t)calls->n ||
	       names_add(names,
			 &(struct name){ .start = start, .end = start + plt->entry },
			 text, "@plt");
}

bool calls_read(struct names *names, Elf *elf)
{
	const struct plt *plt = plts, *end = plts + sizeof(plts) / sizeof(*plts);
	struct calls calls;
	GElf_Rela rela;
	GElf_Shdr shdr;

	if (!find_calls(&calls, elf))
		return true;
	while (plt < end && (plt->machine != calls.symbols.machine ||
			     !find_section(elf, plt->section, &shdr) ||
			     shdr.sh_size != plt->head + (uint64_t)calls.n * plt->entry))
		plt++;
	for (int i = 0; plt < end && i < calls.n; i++)
		if (get_relocation(&calls, i, &rela) &&
		    !add_call(names, &calls, plt, shdr.sh_addr, &rela))
			return false;
	return true;
}
