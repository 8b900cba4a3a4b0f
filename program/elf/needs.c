// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the dynamic loader reads: the path in PT_INTERP, and in the section of dynamic
 * entries DT_NEEDED, DT_RUNPATH and DT_RPATH (System V ABI, chapter 5). With these
 * `waymark record` finds the files of a program before it runs.
 *
 * Example: bin/app for riscv64 has the interpreter /lib/ld-linux-riscv64-lp64d.so.1, no
 * run path, and needs libm.so.6 and libc.so.6.
 *
 * libelf checks offsets against the file. It does not check that a string ends before its
 * section does, so every copy here is bounded.
 */
#include "program/elf/needs.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"

enum { LIBRARIES_MAX = 4096, PATH_BYTES_MAX = 4096 };

static void read_interpreter(struct elf_needs *needs, Elf *elf)
{
	GElf_Phdr phdr;
	Elf_Data *data;
	size_t n;

	if (elf_getphdrnum(elf, &n) != 0 || n > INT32_MAX)
		return;
	for (size_t i = 0; i < n && !needs->interpreter; i++) {
		/* A path that is longer than the kernel allows is not one. */
		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_INTERP ||
		    !phdr.p_filesz || phdr.p_filesz > PATH_BYTES_MAX)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset, phdr.p_filesz,
					    ELF_T_BYTE);
		if (data && data->d_buf)
			/*
			 * d_size is at most p_filesz, so a path without its NUL is
			 * bounded as well.
			 */
			needs->interpreter = strndup(data->d_buf, data->d_size);
	}
}

/* A copy of the entry's string; without memory it is left out. */
static void take_entry(struct elf_needs *needs, const GElf_Dyn *entry, const char *text)
{
	char *copy = text ? strndup(text, PATH_BYTES_MAX) : NULL;

	/* More libraries than LIBRARIES_MAX are left out. */
	if (copy && entry->d_tag == DT_NEEDED && needs->n < LIBRARIES_MAX &&
	    APPEND(needs->libraries, needs->n, copy))
		return;
	/* DT_RUNPATH replaces DT_RPATH where a file has both. */
	if (copy && (entry->d_tag == DT_RUNPATH ||
		     (entry->d_tag == DT_RPATH && !needs->run_path))) {
		free(needs->run_path);
		needs->run_path = copy;
		return;
	}
	free(copy);
}

static void read_dynamic(struct elf_needs *needs, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	GElf_Dyn entry;

	/* The first such section is the only one that the loader would use. */
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &shdr) && shdr.sh_type == SHT_DYNAMIC) {
			Elf_Data *data = elf_getdata(section, NULL);

			for (int i = 0; data && gelf_getdyn(data, i, &entry) &&
					entry.d_tag != DT_NULL;
			     i++)
				if (entry.d_tag == DT_NEEDED ||
				    entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH)
					/*
					 * The strings are in the section that sh_link
					 * names.
					 */
					take_entry(needs, &entry,
						   elf_strptr(elf, shdr.sh_link,
							      entry.d_un.d_val));
			return;
		}
}

bool elf_needs_read(struct elf_needs *needs, int fd)
{
	GElf_Ehdr header;
	bool good;
	Elf *elf;

	*needs = (struct elf_needs){ .interpreter = NULL };
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL); /* never mapped: see program/elf/file.c */
	good = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header);
	if (good) {
		needs->machine = header.e_machine;
		needs->class = header.e_ident[EI_CLASS];
		read_interpreter(needs, elf);
		read_dynamic(needs, elf);
	}
	elf_end(elf);
	return good;
}

void elf_needs_fini(struct elf_needs *needs)
{
	for (size_t i = 0; i < needs->n; i++)
		free(needs->libraries[i]);
	free(needs->libraries);
	free(needs->interpreter);
	free(needs->run_path);
}
