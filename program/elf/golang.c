// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of a stripped Go program. Its runtime prints stacks and walks them for its garbage
 * collector, so the program keeps a table of all its functions, .gopclntab, also when it is
 * stripped. The table is described in Go's source, src/runtime/symtab.go (struct pcHeader). Of
 * it this is read, numbers being little-endian and words as long as a pointer:
 *
 *	header: magic u32, 0 u16, unit u8, word u8, then words: functions, files, text,
 *		names, cu, paths, pctab, entries
 *	at `entries`: functions * (start u32, detail u32), end u32
 *	at `entries` + detail: start u32, name u32
 *	at `names` + name: text, NUL
 *
 * Starts count from `text`, which is an address. A function ends where the next one starts. In a
 * position-independent program the loader sets `text`, and newer releases have 0 there: then
 * .text is where Go's code begins, if the program is entered at one of Go's functions,
 * _rt0_ARCH_OS. Otherwise C code may come first, and nothing is known.
 *
 * Example: text is 0x11000, an entry has the start 0x761f8 and a detail with the name 0x5e01:
 * at 0x871f8 is _rt0_riscv64_linux.
 *
 * Invariant: starts ascend. The table of another release, or a damaged one, is read up to
 * the first entry that breaks this or leads out of the section.
 */
#include "program/elf/golang.h"

#include <string.h>

#include "base/buf.h"
#include "program/elf/section.h"

enum {
	WORDS = 8,
	FUNCTIONS = 0,
	TEXT = 2,
	NAMES = 3,
	ENTRIES = 7,
	NAME_BYTES_MAX = 1 << 14
};

/* By the magic: Go 1.18 and Go 1.20, of which these parts are equal. */
#define MAGIC_1_18 UINT32_C(0xfffffff0)
#define MAGIC_1_20 UINT32_C(0xfffffff1)

struct table {
	struct names *names;
	struct span all;
	uint64_t word[WORDS];
};

/* The table from a byte on; failed when it has no such byte. */
static struct span from(const struct table *table, uint64_t off)
{
	struct span span = table->all;

	if (off <= span_left(&span))
		span.at += off;
	else
		span.failed = true;
	return span;
}

static bool read_header(struct table *table)
{
	struct span span = table->all;
	uint32_t magic = span_u32(&span);
	uint8_t word_bytes;

	span_bytes(&span, 3);
	word_bytes = span_u8(&span);
	for (size_t i = 0; i < WORDS; i++)
		table->word[i] = word_bytes == 8 ? span_u64(&span) : span_u32(&span);
	return !span.failed && (magic == MAGIC_1_18 || magic == MAGIC_1_20) &&
	       (word_bytes == 4 || word_bytes == 8);
}

/* The name of a function; NULL when it leads out of the table, or is too long for one. */
static const char *name_of(const struct table *table, uint32_t detail)
{
	struct span span = from(table, table->word[ENTRIES] + detail);
	uint32_t name;
	size_t most;

	span_u32(&span);
	name = span_u32(&span);
	if (span.failed)
		return NULL;
	span = from(table, table->word[NAMES] + name);
	most = span_left(&span) < NAME_BYTES_MAX ? span_left(&span) : NAME_BYTES_MAX;
	return !span.failed && memchr(span.at, '\0', most) ? (const char *)span.at : NULL;
}

/* Whether the function at an address is where Go's programs are entered. */
static bool is_entered_at(const struct table *table, uint64_t address)
{
	struct span span = from(table, table->word[ENTRIES]);
	const char *name = NULL;

	for (uint64_t i = 0; i < table->word[FUNCTIONS] && !span.failed && !name; i++) {
		uint32_t start = span_u32(&span);
		uint32_t detail = span_u32(&span);

		if (address == table->word[TEXT] + start)
			name = name_of(table, detail);
	}
	return name && !strncmp(name, "_rt0_", 5);
}

/* Sets where starts count from; false: it is not known. */
static bool find_text(struct table *table, Elf *elf)
{
	uint64_t text = table->word[TEXT];
	GElf_Shdr shdr;
	GElf_Ehdr header;

	if (!elf_section_find(elf, ".text", &shdr) || !gelf_getehdr(elf, &header))
		return false;
	if (text >= shdr.sh_addr && text - shdr.sh_addr < shdr.sh_size)
		return true;
	table->word[TEXT] = shdr.sh_addr;
	return is_entered_at(table, header.e_entry);
}

/* In a position-independent program the table is among what the loader relocates. */
static Elf_Scn *find_table(Elf *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *section = elf_section_find(elf, ".gopclntab", &shdr);

	return section ? section : elf_section_find(elf, ".data.rel.ro.gopclntab", &shdr);
}

/*
 * By `worth` a symbol at the same address wins, and the unwind tables' names lose, which Go
 * programs have for what is written in C.
 */
static bool add(const struct table *table, const char *text, uint32_t start, uint32_t end)
{
	return names_add(table->names,
			 &(struct name){
				 .start = table->word[TEXT] + start,
				 .end = table->word[TEXT] + end,
				 .limit = table->word[TEXT] + start,
				 .worth = NAME_OF_CODE,
				 .label = true,
			 },
			 text, "");
}

/*
 * A name is added when the next one is known, where it ends. Entries that are mapping symbols
 * of C code lie inside the function before them.
 */
static bool read_entries(const struct table *table)
{
	struct span span = from(table, table->word[ENTRIES]);
	const char *text = NULL;
	uint32_t begin = 0;

	for (uint64_t i = 0; i <= table->word[FUNCTIONS]; i++) {
		bool last = i == table->word[FUNCTIONS];
		uint32_t start = span_u32(&span);
		const char *next = last ? "" : name_of(table, span_u32(&span));

		if (span.failed || start < begin || !next)
			break;
		if (!last && names_nothing(next))
			continue;
		if (text && !add(table, text, begin, start))
			return false;
		begin = start;
		text = next;
	}
	return true;
}

bool golang_read(struct names *names, Elf *elf)
{
	struct table table = { .names = names };
	Elf_Scn *section = find_table(elf);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

	if (!data || !data->d_buf)
		return true;
	table.all = span_of(data->d_buf, data->d_size);
	return !read_header(&table) || !find_text(&table, elf) || read_entries(&table);
}
