// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes what is needed from an ELF file and closes it: the loadable segments, and the
 * symbols of code sorted by address. A symbol is a range. One without a size runs to
 * the next symbol; ranges may nest, so each remembers the one around it, and a search
 * goes outwards from the last symbol that starts at or before the address.
 *
 * Functions count for more than labels: of several names for an address the best one
 * stays, and a label inside a function is dropped. Files are as hostile as traces, so
 * nothing here believes a count that libelf has not checked against the file.
 */
#include "program/symtab.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

enum {
	NO_OUTER = UINT32_MAX,
	SYMBOLS_MAX = 1 << 26,
	NAME_MAX_BYTES = 1 << 16,
	NAMES_MAX_BYTES = 1 << 29, /* symbols may all point into one endless name */
};

struct range {
	uint64_t start, end; /* virtual addresses of the file */
	uint64_t limit;	     /* end of the section */
	uint32_t outer;	     /* the index of the range around this one */
	uint8_t worth;	     /* of the name; less is better: see worth_of() */
	bool label;
	char *name;
};

struct segment {
	uint64_t file_off, bytes, vaddr;
	bool code;
};

struct symtab {
	struct range *ranges; /* sorted by start, which no two share */
	uint32_t n, room;
	size_t names_bytes;
	struct segment *segments;
	size_t segments_n;
};

/* ---- reading ------------------------------------------------------------------ */

static bool read_segments(struct symtab *symtab, Elf *elf)
{
	size_t n;
	GElf_Phdr phdr;

	if (elf_getphdrnum(elf, &n) != 0 || n == 0 || n > INT32_MAX)
		return false;
	symtab->segments = calloc(n, sizeof(*symtab->segments));
	if (!symtab->segments)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		symtab->segments[symtab->segments_n++] = (struct segment){
			phdr.p_offset,
			phdr.p_filesz,
			phdr.p_vaddr,
			phdr.p_flags & PF_X,
		};
	}
	return true;
}

/* The symbols of a table, and the sections they lie in. */
struct source {
	Elf *elf;
	Elf_Data *data;
	size_t strings; /* index of the section of names */
	uint32_t n;
};

/* The first section of `type` becomes the source. */
static bool find_table(struct source *source, uint32_t type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(source->elf, section))) {
		size_t size = gelf_fsize(source->elf, ELF_T_SYM, 1, EV_CURRENT);

		if (!gelf_getshdr(section, &shdr) || shdr.sh_type != type)
			continue;
		source->data = elf_getdata(section, NULL);
		if (!source->data || !size || source->data->d_size / size > SYMBOLS_MAX)
			return false;
		source->n = (uint32_t)(source->data->d_size / size);
		source->strings = shdr.sh_link;
		return source->n > 1; /* the first is always empty */
	}
	return false;
}

/* Mapping symbols mark code ($x, $xrv64gc) and data ($d): they name nothing. */
static bool names_nothing(const char *name)
{
	return !name || !*name ||
	       (name[0] == '$' && name[1] && strchr("xdat", name[1])) ||
	       !strncmp(name, ".L", 2);
}

/* Is the symbol a name for code? */
static bool names_code(const GElf_Sym *sym, const GElf_Shdr *section)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
	case STT_OBJECT:
		return section->sh_flags & SHF_EXECINSTR;
	default:
		return false;
	}
}

/* Functions before labels; global, weak, local; names for users before internal ones. */
static uint8_t worth_of(const GElf_Sym *sym, bool label, const char *name)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);
	unsigned order = bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;

	return (uint8_t)(label << 4 | order << 1 | (name[0] == '_'));
}

static struct range *new_range(struct symtab *symtab)
{
	if (symtab->n == symtab->room) {
		uint32_t room = symtab->room * 2 + 256;
		void *ranges = realloc(symtab->ranges, room * sizeof(*symtab->ranges));

		if (!ranges)
			return NULL;
		symtab->ranges = ranges;
		symtab->room = room;
	}
	return &symtab->ranges[symtab->n];
}

static bool add_symbol(struct symtab *symtab, const struct source *source,
		       const GElf_Sym *sym)
{
	Elf_Scn *section = elf_getscn(source->elf, sym->st_shndx);
	const char *name = elf_strptr(source->elf, source->strings, sym->st_name);
	unsigned type = GELF_ST_TYPE(sym->st_info);
	struct range *range;
	GElf_Shdr shdr;

	if (sym->st_shndx == SHN_UNDEF || !gelf_getshdr(section, &shdr) ||
	    !names_code(sym, &shdr) || names_nothing(name))
		return true;
	range = new_range(symtab);
	if (!range)
		return false;
	range->label = type != STT_FUNC && type != STT_GNU_IFUNC;
	range->worth = worth_of(sym, range->label, name);
	range->start = sym->st_value;
	range->end = sym->st_value + sym->st_size;
	range->limit = shdr.sh_addr + shdr.sh_size;
	range->name = strndup(name, NAME_MAX_BYTES);
	if (!range->name)
		return false;
	symtab->n++;
	symtab->names_bytes += strlen(range->name);
	return symtab->names_bytes < NAMES_MAX_BYTES;
}

static bool read_symbols(struct symtab *symtab, Elf *elf)
{
	struct source source = { .elf = elf };
	GElf_Sym sym;

	if (!find_table(&source, SHT_SYMTAB) && !find_table(&source, SHT_DYNSYM))
		return false;
	for (uint32_t i = 1; i < source.n; i++)
		if (gelf_getsym(source.data, (int)i, &sym) &&
		    !add_symbol(symtab, &source, &sym))
			return false;
	return symtab->n > 0;
}

/* ---- putting in order ----------------------------------------------------------- */

static int by_start_and_worth(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->worth != y->worth)
		return x->worth < y->worth ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Keeps the ranges for which `keep`, called in order, says so. */
static void filter(struct symtab *symtab,
		   bool (*keep)(const struct range *range, uint64_t *state))
{
	uint64_t state = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < symtab->n; i++) {
		if (keep(&symtab->ranges[i], &state))
			symtab->ranges[n++] = symtab->ranges[i];
		else
			free(symtab->ranges[i].name);
	}
	symtab->n = n;
}

/* The state is the last start, plus one. */
static bool first_of_start(const struct range *range, uint64_t *next)
{
	if (*next == range->start + 1)
		return false;
	*next = range->start + 1;
	return true;
}

/* The state is how far the functions reach. */
static bool not_inside_function(const struct range *range, uint64_t *reach)
{
	if (range->label)
		return range->start >= *reach;
	if (range->end > *reach)
		*reach = range->end;
	return true;
}

static void give_sizes(struct symtab *symtab)
{
	for (uint32_t i = 0; i < symtab->n; i++) {
		struct range *range = &symtab->ranges[i];

		if (range->end > range->start)
			continue;
		range->end = range->limit;
		if (i + 1 < symtab->n && range[1].start < range->end)
			range->end = range[1].start;
	}
}

static void nest(struct symtab *symtab)
{
	for (uint32_t i = 0; i < symtab->n; i++) {
		struct range *all = symtab->ranges;
		uint32_t outer = i ? i - 1 : NO_OUTER;

		while (outer != NO_OUTER && all[outer].end <= all[i].start)
			outer = all[outer].outer;
		all[i].outer = outer;
	}
}

static void put_in_order(struct symtab *symtab)
{
	qsort(symtab->ranges, symtab->n, sizeof(*symtab->ranges), by_start_and_worth);
	filter(symtab, first_of_start);
	give_sizes(symtab);
	filter(symtab, not_inside_function);
	nest(symtab);
}

struct symtab *symtab_new(int fd)
{
	struct symtab *symtab = calloc(1, sizeof(*symtab));
	Elf *elf;

	elf_version(EV_CURRENT);
	/* Not ..._MMAP: a file that shrinks under a mapping kills the process. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!symtab || !elf || elf_kind(elf) != ELF_K_ELF ||
	    !read_segments(symtab, elf) || !read_symbols(symtab, elf)) {
		symtab_free(symtab);
		symtab = NULL;
	} else {
		put_in_order(symtab);
	}
	elf_end(elf);
	return symtab;
}

void symtab_free(struct symtab *symtab)
{
	if (!symtab)
		return;
	for (uint32_t i = 0; i < symtab->n; i++)
		free(symtab->ranges[i].name);
	free(symtab->ranges);
	free(symtab->segments);
	free(symtab);
}

/* ---- finding ---------------------------------------------------------------------- */

/* Segments may share a page of the file, not its bytes; if they do, code goes first. */
static bool vaddr_of(const struct symtab *symtab, uint64_t file_off, uint64_t *vaddr)
{
	bool found = false;

	for (size_t i = 0; i < symtab->segments_n; i++) {
		const struct segment *segment = &symtab->segments[i];

		if (file_off - segment->file_off >= segment->bytes ||
		    (found && !segment->code))
			continue;
		*vaddr = segment->vaddr + (file_off - segment->file_off);
		found = true;
		if (segment->code)
			break;
	}
	return found;
}

/* How many ranges start at or before vaddr. */
static uint32_t starts_up_to(const struct symtab *symtab, uint64_t vaddr)
{
	uint32_t low = 0, high = symtab->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (symtab->ranges[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *symtab_find(const struct symtab *symtab, uint64_t file_off, uint64_t *offset)
{
	uint64_t vaddr = 0;
	uint32_t at;

	if (!vaddr_of(symtab, file_off, &vaddr))
		return NULL;
	at = starts_up_to(symtab, vaddr);
	at = at ? at - 1 : NO_OUTER;
	while (at != NO_OUTER && symtab->ranges[at].end <= vaddr)
		at = symtab->ranges[at].outer;
	if (at == NO_OUTER)
		return NULL;
	*offset = vaddr - symtab->ranges[at].start;
	return symtab->ranges[at].name;
}
