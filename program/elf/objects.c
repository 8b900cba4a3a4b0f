// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The variables of a file: its symbols of type OBJECT that have a size. Thread-local ones
 * have another type and are left out, because their values are offsets, not addresses.
 *
 * A mapping begins at a page boundary, which may be before its segment. Example: a
 * segment of code at offset 0x1740 and address 0x11740 is mapped from offset 0x1000 on:
 * that byte's address is 0x11000. So an offset belongs to a segment from the start of its
 * first page on.
 */
#include "program/elf/objects.h"

#include <unistd.h>

#include "program/elf/search.h"
#include "program/elf/table.h"

enum { PAGE = 4096 };

struct taking {
	bool (*take)(void *cookie, const struct elf_object *object);
	void *cookie;
};

/*
 * Hands out the segments, and finds the address of `file_off` in the first one that holds
 * it. The subtraction may wrap; the sum is then right again.
 */
static bool take_segments(const struct taking *taking, Elf *elf, uint64_t file_off,
			  uint64_t *vaddr)
{
	bool found = false;
	GElf_Phdr phdr;
	size_t n;

	if (elf_getphdrnum(elf, &n) != 0 || n > INT32_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct elf_object object = { .name = NULL };

		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		object.start = phdr.p_vaddr;
		object.end = phdr.p_vaddr + phdr.p_memsz;
		if (object.end > object.start && !taking->take(taking->cookie, &object))
			return false;
		if (!found && file_off >= (phdr.p_offset & ~(uint64_t)(PAGE - 1)) &&
		    file_off < phdr.p_offset + phdr.p_filesz) {
			*vaddr = phdr.p_vaddr - phdr.p_offset + file_off;
			found = true;
		}
	}
	return found;
}

static bool take_symbols(const struct taking *taking, const struct elf_table *table)
{
	GElf_Sym sym;

	for (uint32_t i = 1; i < table->n; i++) {
		struct elf_object object;

		if (!gelf_getsym(table->data, (int)i, &sym) || !sym.st_size ||
		    sym.st_shndx == SHN_UNDEF || GELF_ST_TYPE(sym.st_info) != STT_OBJECT)
			continue;
		object.name = elf_table_name(table, &sym);
		object.start = sym.st_value;
		object.end = sym.st_value + sym.st_size;
		if (object.name && *object.name && object.end > object.start &&
		    !taking->take(taking->cookie, &object))
			return false;
	}
	return true;
}

/*
 * The order is that of program/elf/symbols.c: .symtab, that of the debug file, .dynsym.
 */
static bool take_all(const struct taking *taking, Elf *elf, int file_fd, const char *path,
		     const char *build_id)
{
	struct elf_table table;
	Elf *debug = NULL;
	int fd = -1;
	bool found = elf_table_find(&table, elf, SHT_SYMTAB), good;

	if (!found) {
		fd = elf_search_debug(file_fd, path, build_id);
		debug = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
		found = elf_table_find(&table, debug, SHT_SYMTAB) ||
			elf_table_find(&table, elf, SHT_DYNSYM);
	}
	good = !found || take_symbols(taking, &table);
	elf_end(debug);
	if (fd >= 0)
		close(fd);
	return good;
}

bool elf_objects_each(int fd, const char *path, const char *build_id, uint64_t file_off,
		      uint64_t *vaddr,
		      bool (*take)(void *cookie, const struct elf_object *object),
		      void *cookie)
{
	const struct taking taking = { take, cookie };
	Elf *elf;
	bool good;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	good = elf && elf_kind(elf) == ELF_K_ELF &&
	       take_segments(&taking, elf, file_off, vaddr) &&
	       take_all(&taking, elf, fd, path, build_id);
	elf_end(elf);
	return good;
}
