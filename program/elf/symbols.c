// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads an ELF file's loadable segments and the names of its code.
 *
 * Names come from the best table there is: .symtab of the file, else .symtab of its debug
 * file, else .dynsym, which lists only what other files may call, and with it the
 * functions that Go's runtime lists (program/elf/golang.h), those of the unwind tables
 * (program/elf/unwind.h), of which one is known by its code (program/elf/resolver.h), and those
 * that are called (program/elf/targets.h). Stubs are named in addition (program/elf/plt.h).
 *
 * Example: at 0x1200 there are `_IO_puts` (global), `puts` (weak) and a label `.Lend`.
 * Their worths are 3, 4 and none; `.Lend` names nothing, so `_IO_puts` is the name.
 *
 * Invariant: files are as hostile as traces, so no count is trusted that libelf has not
 * checked against the file.
 */
#include "program/elf/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/elf/golang.h"
#include "program/elf/names.h"
#include "program/elf/plt.h"
#include "program/elf/resolver.h"
#include "program/elf/search.h"
#include "program/elf/table.h"
#include "program/elf/targets.h"
#include "program/elf/unwind.h"

/* Not ..._MMAP: a file that shrinks under a mapping kills the process. */
static Elf *begin(int fd)
{
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);

	if (!elf || elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

/* ---- segments ------------------------------------------------------------ */

static bool read_segments(struct symtab *symtab, Elf *elf)
{
	GElf_Phdr phdr;
	size_t n;

	/* libelf takes an int. */
	if (elf_getphdrnum(elf, &n) != 0 || n == 0 || n > INT32_MAX)
		return false;
	symtab->segments = calloc(n, sizeof(*symtab->segments));
	if (!symtab->segments)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		symtab->segments[symtab->n_segments++] = (struct symtab_segment){
			phdr.p_offset,
			phdr.p_filesz,
			phdr.p_vaddr,
			phdr.p_flags & PF_X,
		};
	}
	return true;
}

/* ---- symbols ------------------------------------------------------------- */

static bool is_function(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/*
 * Whether the symbol is a name for code. Hand-written assembly often gives neither type
 * nor size, so other symbols count when their section is executable.
 */
static bool names_code(const GElf_Sym *sym, const GElf_Shdr *section)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return is_function(sym) || ((type == STT_NOTYPE || type == STT_OBJECT) &&
				    section->sh_flags & SHF_EXECINSTR);
}

/*
 * The order of names at one address, the lowest first. Bit 4: functions before labels.
 * Bits 1 and 2: global, weak, local (1 to 3). Bit 0: names without a leading underscore,
 * which are those that users wrote. A stub's name has worth 0 and so comes before all
 * (program/elf/plt.h).
 */
enum { LOCAL_ORDER = 3 };

static uint8_t worth_of(const GElf_Sym *sym, bool label, const char *text)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);
	unsigned order = bind == STB_GLOBAL ? 1 : bind == STB_WEAK ? 2 : LOCAL_ORDER;

	return (uint8_t)(label << 4 | order << 1 | (text[0] == '_'));
}

/*
 * Where a name without a size ends at the latest. QEMU moves the addresses of the sections of a
 * vDSO, too, and leaves those of .symtab, which begin at 0 as the file does.
 */
static uint64_t end_of_section(const GElf_Shdr *section, uint64_t start)
{
	uint64_t from = start < section->sh_addr ? section->sh_offset : section->sh_addr;

	return from + section->sh_size;
}

static bool add_symbol(struct names *names, const struct elf_table *table,
		       const GElf_Sym *sym)
{
	Elf_Scn *section = elf_getscn(table->elf, sym->st_shndx);
	const char *text = elf_table_name(table, sym);
	bool label = !is_function(sym);
	uint64_t start = sym->st_value;
	GElf_Shdr shdr;

	/* A symbol without a section is defined in another file. */
	if (sym->st_shndx == SHN_UNDEF || !gelf_getshdr(section, &shdr) ||
	    !names_code(sym, &shdr) || names_nothing(text))
		return true;
	if (table->machine == EM_ARM && !label)
		start &= ~UINT64_C(1); /* it says that the code is Thumb */
	return names_add(names,
			 &(struct name){
				 .start = start,
				 .end = start + sym->st_size,
				 .limit = end_of_section(&shdr, start),
				 .worth = worth_of(sym, label, text),
				 .label = label,
				 .chooser = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC,
			 },
			 text, "");
}

/* The file whose symbols are read, and its debug file. */
struct subject {
	Elf *elf;
	int debug_fd; /* -1: no debug file is needed, or there is none */
	Elf *debug;
};

static void open_debug(struct subject *subject, int fd, const char *path,
		       const char *build_id)
{
	subject->debug_fd = elf_search_debug(fd, path, build_id);
	subject->debug = begin(subject->debug_fd);
}

static bool read_symbols(struct names *names, struct subject *subject, int fd,
			 const char *path, const char *build_id)
{
	struct elf_table table;
	bool found = elf_table_find(&table, subject->elf, SHT_SYMTAB);
	GElf_Sym sym;

	if (!found) {
		open_debug(subject, fd, path, build_id);
		found = elf_table_find(&table, subject->debug, SHT_SYMTAB);
		/* What other files may call is not all: the rest gets names by its place. */
		if (!found && (!golang_read(names, subject->elf) ||
			       !unwind_read(names, subject->elf) ||
			       !resolver_read(names, subject->elf) ||
			       !targets_read(names, subject->elf)))
			return false;
		found = found || elf_table_find(&table, subject->elf, SHT_DYNSYM);
	}
	/* Entry 0 of every table of symbols is empty. */
	for (uint32_t i = 1; found && i < table.n; i++)
		if (gelf_getsym(table.data, (int)i, &sym) &&
		    !add_symbol(names, &table, &sym))
			return false;
	return true;
}

/* ---- all of it ----------------------------------------------------------- */

/* Segments and names; the latter in no order. */
static bool read_all(struct symtab *symtab, struct names *names, int fd, const char *path,
		     const char *build_id)
{
	struct subject subject = { .debug_fd = -1 };
	bool good;

	elf_version(EV_CURRENT);
	subject.elf = begin(fd);
	/* A file without any name is worth no table. */
	good = subject.elf && read_segments(symtab, subject.elf) &&
	       read_symbols(names, &subject, fd, path, build_id) &&
	       plt_read(names, subject.elf) && names->n;
	elf_end(subject.elf);
	elf_end(subject.debug);
	if (subject.debug_fd >= 0)
		close(subject.debug_fd);
	return good;
}

bool elf_symbols_read(struct symtab *symtab, int fd, const char *path,
		      const char *build_id)
{
	struct names names = { .texts = BUF_INIT };
	bool good;

	*symtab = SYMTAB_INIT;
	good = read_all(symtab, &names, fd, path, build_id) &&
	       names_finish(&names, symtab);
	names_fini(&names);
	if (!good)
		symtab_fini(symtab);
	return good;
}

/*
 * Hands out the names whose code is loaded from the file. Labels inside a function are
 * marked, not left out, because a user may ask for a label by name.
 */
static bool hand_out(const struct names *names, const struct symtab *symtab,
		     bool (*take)(void *cookie, const struct elf_symbol *symbol),
		     void *cookie)
{
	uint64_t reach = 0;

	for (uint32_t i = 0; i < names->n; i++) {
		const struct name *name = &names->all[i];
		struct elf_symbol symbol = {
			.name = (const char *)names->texts.data + name->text,
			.inside = name->label && name->start < reach,
			.local = (name->worth >> 1 & 3) == LOCAL_ORDER,
			.chooser = name->chooser,
		};

		if (!name->label && name->end > reach)
			reach = name->end;
		if (!symtab_file_off(symtab, name->start, &symbol.start))
			continue;
		symbol.end = symbol.start + (name->end - name->start);
		if (!take(cookie, &symbol))
			return false;
	}
	return true;
}

bool elf_symbols_each(int fd, const char *path, const char *build_id,
		      bool (*take)(void *cookie, const struct elf_symbol *symbol),
		      void *cookie)
{
	struct names names = { .texts = BUF_INIT };
	struct symtab segments = SYMTAB_INIT;
	bool good = read_all(&segments, &names, fd, path, build_id);

	if (good) {
		names_put_in_order(&names);
		good = hand_out(&names, &segments, take, cookie);
	}
	names_fini(&names);
	symtab_fini(&segments);
	return good;
}
