// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names for the stubs of the procedure linkage table, which have no symbols of their own:
 * "puts@plt".
 *
 * A stub loads an address from a slot of the global offset table and jumps there. Its
 * instructions name the slot, and the relocation that fills the slot names the function:
 *
 *	.plt    0x1030: auipc t3, 2; ld t3, -32(t3); jalr t1, t3	slot 0x3010
 *	.rela   offset 0x3010, R_RISCV_JUMP_SLOT, symbol puts		so 0x1030 is puts@plt
 *
 * So nothing depends on how a linker lays the table out, or in which order slots and
 * relocations come. What is before the first stub of ".plt" is its header, by which a stub's
 * first call comes to the dynamic linker: "_dl_runtime_resolve@plt". A slot with an IRELATIVE
 * relocation is filled by a function of the program itself (an ifunc resolver), whose symbol
 * has the name of what it chooses: "memcpy".
 */
#include "program/elf/plt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/bisect.h"
#include "program/elf/stub.h"
#include "program/elf/table.h"

struct slot {
	uint64_t address;
	const char
		*text; /* of the symbol; NULL: it is that of the function at `resolver` */
	uint64_t resolver; /* of an ifunc: address of its resolver */
};

struct plt {
	Elf *elf;
	size_t strings; /* index of the section of the sections' names */
	struct stub_kind kind;
	struct slot *slots; /* [n] by address */
	size_t n;
	uint32_t *order; /* [names] indexes of names, by start and worth */
};

/* ---- slots --------------------------------------------------------------- */

/* REL keeps the addend in the place that is relocated, RELA beside it. */
static bool get_relocation(Elf_Data *data, bool with_addends, int index, GElf_Rela *rela)
{
	GElf_Rel rel;

	if (with_addends)
		return gelf_getrela(data, index, rela);
	if (!gelf_getrel(data, index, &rel))
		return false;
	*rela = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	return true;
}

/* Four bytes that the file has for an address; 0: it has none. */
static uint32_t word_at(Elf *elf, uint64_t address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	uint8_t word[4];

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		/*
		 * Sections that are not loaded have no address, and NOBITS has no bytes
		 * in the file.
		 */
		if (!gelf_getshdr(section, &shdr) || !(shdr.sh_flags & SHF_ALLOC) ||
		    shdr.sh_type == SHT_NOBITS || address < shdr.sh_addr ||
		    address - shdr.sh_addr >= shdr.sh_size)
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || data->d_size < sizeof(word) ||
		    address - shdr.sh_addr > data->d_size - sizeof(word))
			return 0;
		memcpy(word, (const uint8_t *)data->d_buf + (address - shdr.sh_addr),
		       sizeof(word));
		return word[0] | word[1] << 8 | word[2] << 16 | (uint32_t)word[3] << 24;
	}
	return 0;
}

/* Keeps a relocation by which its slot gets a function's address. False: no memory. */
static bool add_slot(struct plt *plt, const struct elf_table *symbols,
		     const GElf_Rela *rela, bool with_addends)
{
	uint64_t number = GELF_R_SYM(rela->r_info);
	struct slot slot = { .address = rela->r_offset };
	GElf_Sym sym;

	/* Symbol 0 is no symbol: the addend alone decides. */
	if (number && number <= INT32_MAX && symbols->data &&
	    gelf_getsym(symbols->data, (int)number, &sym))
		slot.text = elf_table_name(symbols, &sym);
	else if (GELF_R_TYPE(rela->r_info) == plt->kind.irelative)
		slot.resolver = with_addends ? (uint64_t)rela->r_addend :
					       word_at(plt->elf, rela->r_offset);
	/* A slot without either is filled with data, and no stub calls it. */
	if (names_nothing(slot.text) && !slot.resolver)
		return true;
	return APPEND(plt->slots, plt->n, slot);
}

/* The relocations of a section. What libelf cannot read is left out. */
static bool add_slots(struct plt *plt, Elf_Scn *section, const GElf_Shdr *shdr)
{
	bool with_addends = shdr->sh_type == SHT_RELA;
	size_t size = gelf_fsize(plt->elf, with_addends ? ELF_T_RELA : ELF_T_REL, 1,
				 EV_CURRENT);
	Elf_Data *data = elf_getdata(section, NULL);
	struct elf_table symbols = { .data = NULL };
	Elf_Scn *linked = elf_getscn(plt->elf, shdr->sh_link);
	GElf_Shdr linked_shdr;
	GElf_Rela rela;

	/* A damaged size would make endless relocations. */
	if (!data || !size || data->d_size / size > ELF_ENTRIES_MAX)
		return true;
	/* Only names of the dynamic table can be those of other files. */
	if (gelf_getshdr(linked, &linked_shdr) && linked_shdr.sh_type == SHT_DYNSYM &&
	    !elf_table_use(&symbols, plt->elf, linked, &linked_shdr))
		symbols.data = NULL;
	for (int i = 0; i < (int)(data->d_size / size); i++)
		if (get_relocation(data, with_addends, i, &rela) &&
		    !add_slot(plt, &symbols, &rela, with_addends))
			return false;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static bool read_slots(struct plt *plt)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(plt->elf, section)))
		/* Relocations that are not loaded are for the linker. */
		if (gelf_getshdr(section, &shdr) && (shdr.sh_flags & SHF_ALLOC) &&
		    (shdr.sh_type == SHT_RELA || shdr.sh_type == SHT_REL) &&
		    !add_slots(plt, section, &shdr))
			return false;
	if (plt->n)
		qsort(plt->slots, plt->n, sizeof(*plt->slots), by_address);
	return true;
}

static const struct slot *find_slot(const struct plt *plt, uint64_t address)
{
	size_t at = BISECT(plt->n, i, plt->slots[i].address < address);

	return at < plt->n && plt->slots[at].address == address ? &plt->slots[at] : NULL;
}

/* ---- names of resolvers -------------------------------------------------- */

static int by_start_and_worth(const void *a, const void *b, void *cookie)
{
	const struct names *names = cookie;
	const struct name *x = &names->all[*(const uint32_t *)a];
	const struct name *y = &names->all[*(const uint32_t *)b];

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->worth != y->worth)
		return x->worth < y->worth ? -1 : 1;
	return strcmp((const char *)names->texts.data + x->text,
		      (const char *)names->texts.data + y->text);
}

/* Sorts indexes, not names: names_add() goes on appending while stubs are named. */
static bool order_names(struct plt *plt, struct names *names)
{
	plt->order = calloc((size_t)names->n + 1, sizeof(*plt->order));
	if (!plt->order)
		return false;
	for (uint32_t i = 0; i < names->n; i++)
		plt->order[i] = i;
	if (names->n)
		qsort_r(plt->order, names->n, sizeof(*plt->order), by_start_and_worth,
			names);
	return true;
}

/*
 * The name of the function at an address, or "*ABS*+0x1234" as objdump prints it; the
 * caller's to free(). Only the first `n` names are searched, which order[] covers: those
 * of stubs come later.
 */
static char *name_resolver(const struct plt *plt, const struct names *names, uint32_t n,
			   uint64_t address)
{
	/* The first of several names at the address has the lowest worth. */
	uint32_t at = (uint32_t)BISECT(n, i, names->all[plt->order[i]].start < address);
	char *text;

	if (at < n && names->all[plt->order[at]].start == address)
		return strdup((const char *)names->texts.data +
			      names->all[plt->order[at]].text);
	return asprintf(&text, "*ABS*+0x%llx", (unsigned long long)address) < 0 ? NULL :
										  text;
}

/* ---- stubs --------------------------------------------------------------- */

/* A section of stubs, and the names so far. */
struct section {
	const struct plt *plt;
	const uint8_t *code; /* [bytes] */
	size_t bytes;
	uint64_t address;
	bool lazy; /* it may begin with what all its stubs share */
	struct names *names;
	uint32_t n_names; /* before there were any of stubs */
};

static bool add_stub(struct section *section, const struct slot *slot, size_t begin,
		     size_t end)
{
	char *text = slot->text ? strdup(slot->text) :
				  name_resolver(section->plt, section->names,
						section->n_names, slot->resolver);
	bool good = text && names_add(section->names,
				      &(struct name){
					      .start = section->address + begin,
					      .end = section->address + end,
				      },
				      text, "@plt");

	free(text);
	return good;
}

/*
 * What comes before the first stub of ".plt": each stub's first call goes through it to the dynamic
 * linker's _dl_runtime_resolve(). Without a name it would be a function, and the caller.
 */
static bool add_header(const struct section *section, size_t end)
{
	return !end || !section->lazy ||
	       names_add(section->names,
			 &(struct name){ .start = section->address,
					 .end = section->address + end },
			 "_dl_runtime_resolve", "@plt");
}

/*
 * Names the stubs of a section. Each extends to the begin of the next; the last is as
 * long as the one before. A load from a slot without a name ends the stub before it, but
 * gets no name.
 */
static bool add_stubs(struct section *section)
{
	const struct slot *last = NULL, *slot;
	size_t begin = 0, length = section->bytes, at = 0, step;
	bool headed = false;
	struct stub stub;

	for (; at < section->bytes; at += step) {
		/* Where no stub is, one step further may be the next. */
		step = section->plt->kind.step;
		if (!stub_at(&section->plt->kind, section->code, section->bytes, at,
			     section->address, &stub))
			continue;
		step = stub.end - at;
		slot = find_slot(section->plt, stub.slot);
		/* A stub is named when the next one shows where it ends. */
		if (last && !add_stub(section, last, begin, stub.begin))
			return false;
		if (last)
			length = stub.begin - begin;
		if (slot && !headed && !add_header(section, stub.begin))
			return false;
		headed |= slot != NULL;
		last = slot;
		begin = stub.begin;
	}
	/* The last one must not extend beyond the section. */
	if (length > section->bytes - begin)
		length = section->bytes - begin;
	return !last || add_stub(section, last, begin, begin + length);
}

/* All linkers give these names; sections of other names are not searched. */
static bool is_of_stubs(const char *name)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got", ".iplt" };

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool read_stubs(const struct plt *plt, struct names *names, uint32_t n_names)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(plt->elf, scn))) {
		struct section section = { .plt = plt,
					   .names = names,
					   .n_names = n_names };
		const char *name = NULL;
		Elf_Data *data;

		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_PROGBITS)
			name = elf_strptr(plt->elf, plt->strings, shdr.sh_name);
		if (!is_of_stubs(name))
			continue;
		section.lazy = !strcmp(name, ".plt");
		data = elf_rawdata(scn, NULL);
		/* A section without bytes in the file has no stubs. */
		if (!data || !data->d_buf)
			continue;
		section.code = data->d_buf;
		section.bytes = data->d_size;
		section.address = shdr.sh_addr;
		if (!add_stubs(&section))
			return false;
	}
	return true;
}

/* Where the addresses of position-independent stubs are counted from, on i386. */
static uint64_t find_got(Elf *elf, size_t strings)
{
	Elf_Scn *section = NULL;
	uint64_t got = 0;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &shdr))
			continue;
		name = elf_strptr(elf, strings, shdr.sh_name);
		if (name && !strcmp(name, ".got.plt"))
			return shdr.sh_addr;
		if (name && !strcmp(name, ".got"))
			got = shdr.sh_addr;
	}
	return got;
}

bool plt_read(struct names *names, Elf *elf)
{
	struct plt plt = { .elf = elf };
	GElf_Ehdr header;
	bool good;

	/* Of a machine whose stubs are not known, nothing is named. */
	if (!gelf_getehdr(elf, &header) || elf_getshdrstrndx(elf, &plt.strings) != 0 ||
	    !stub_kind(&plt.kind, header.e_machine))
		return true;
	plt.kind.got = find_got(elf, plt.strings);
	good = read_slots(&plt) && order_names(&plt, names) &&
	       read_stubs(&plt, names, names->n);
	free(plt.slots);
	free(plt.order);
	return good;
}
