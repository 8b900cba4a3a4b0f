// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a recording needs of a kernel's ELF file: a few addresses of symbols, and the BTF.
 * Each address is looked up once for each recording, so each lookup is a linear search of
 * the table as it is in the file, and nothing is sorted or copied.
 *
 * Example: Debian's linux-image-*-dbg has a vmlinux with a symbol table of 150,000
 * entries and a section .BTF of 4 MB.
 */
#include "program/elf/kernel.h"

#include <string.h>

#include "program/elf/section.h"

static void find_btf(struct elf_kernel *kernel, Elf *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *section = elf_section_find(elf, ".BTF", &shdr);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

	kernel->btf = data ? data->d_buf : NULL;
	kernel->btf_bytes = data ? data->d_size : 0;
}

/*
 * Without a symbol table the file is still open: its BTF may be wanted. `table.n` of 0
 * says so.
 */
bool elf_kernel_open(struct elf_kernel *kernel, int fd)
{
	Elf *elf;

	*kernel = (struct elf_kernel){ .btf = NULL };
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return false;
	}
	find_btf(kernel, elf);
	if (!elf_table_find(&kernel->table, elf, SHT_SYMTAB))
		kernel->table.n = 0;
	kernel->table.elf = elf;
	return true;
}

void elf_kernel_close(struct elf_kernel *kernel)
{
	elf_end(kernel->table.elf);
}

uint64_t elf_kernel_symbol(const struct elf_kernel *kernel, const char *name)
{
	GElf_Sym sym;

	for (uint32_t i = 1; i < kernel->table.n; i++) {
		const char *its_own = gelf_getsym(kernel->table.data, (int)i, &sym) ?
					      elf_table_name(&kernel->table, &sym) :
					      NULL;

		if (its_own && !strcmp(its_own, name))
			return sym.st_value;
	}
	return 0;
}
