// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stub's first call leads to the dynamic linker, whose _dl_runtime_resolve() finds the function
 * and jumps there. Without that name the function that was called seems to be called by the
 * linker. Distributions strip the linker, so it is known by its code: how it makes the arguments
 * of _dl_fixup(), the link map and the relocation, from what the stub has left. glibc has that in
 * sysdeps/MACHINE/dl-trampoline.S; these instructions have been the same since 2.27 at least.
 *
 * Example: riscv64, where the stub leaves the link map in t0 and an offset in t1:
 *
 *	00131593	slli a1, t1, 1
 *	8516		mv   a0, t0
 *	959a		add  a1, a1, t1
 *
 * Variants that differ in how they save registers, or count calls (_dl_runtime_profile), have the
 * same instructions, and get the same name. ARM has no unwind tables of this kind; on i386 the
 * function is entered by a return, so it has its name, but its jump is not followed.
 */
#include "program/elf/resolver.h"

#include <gelf.h>
#include <string.h>

#include "program/elf/section.h"

enum { VARIANTS_MAX = 8 }; /* a damaged file could have as many as it has bytes */

struct signature {
	uint16_t machine;
	uint8_t bytes;
	const char *code;
};

static const struct signature *find_signature(uint16_t machine)
{
	static const struct signature signatures[] = {
		/* slli a1, t1, 1; mv a0, t0; add a1, a1, t1 */
		{ EM_RISCV, 8, "\x93\x15\x13\x00\x16\x85\x9a\x95" },
		/* sub x1, x1, x16; add x1, x1, x1, lsl #1; lsl x1, x1, #3 */
		{ EM_AARCH64, 12, "\x21\x00\x10\xcb\x21\x04\x01\x8b\x21\xf0\x7d\xd3" },
		/* mov 16(%rbx), %rsi; mov 8(%rbx), %rdi; call */
		{ EM_X86_64, 9, "\x48\x8b\x73\x10\x48\x8b\x7b\x08\xe8" },
		/* push %eax, %ecx, %edx; mov 16(%esp), %edx; mov 12(%esp), %eax; call */
		{ EM_386, 12, "\x50\x51\x52\x8b\x54\x24\x10\x8b\x44\x24\x0c\xe8" },
	};

	for (size_t i = 0; i < sizeof(signatures) / sizeof(*signatures); i++)
		if (signatures[i].machine == machine)
			return &signatures[i];
	return NULL;
}

/* Whether the file's soname is the dynamic linker's, such as ld-linux-riscv64-lp64d.so.1. */
static bool is_linker(Elf *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *section = elf_section_find(elf, ".dynamic", &shdr);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		const char *name;

		if (dyn.d_tag != DT_SONAME)
			continue;
		name = elf_strptr(elf, shdr.sh_link, dyn.d_un.d_val);
		return name && !strncmp(name, "ld-", 3);
	}
	return false;
}

/* Names the function of the first `n` names that has the address. */
static bool name_function(struct names *names, uint32_t n, uint64_t address)
{
	for (uint32_t i = 0; i < n; i++) {
		struct name name = names->all[i];

		if (address < name.start || address >= name.end)
			continue;
		/* A symbol at the same address wins, and the number as a name loses. */
		name.worth = NAME_OF_CODE;
		return names_add(names, &name, "_dl_runtime_resolve", "");
	}
	return true;
}

bool resolver_read(struct names *names, Elf *elf)
{
	GElf_Ehdr header;
	const struct signature *signature =
		gelf_getehdr(elf, &header) ? find_signature(header.e_machine) : NULL;
	GElf_Shdr shdr;
	Elf_Scn *section = signature && is_linker(elf) ?
				   elf_section_find(elf, ".text", &shdr) :
				   NULL;
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	const uint8_t *at, *end;
	uint32_t n = names->n;

	if (!data || !data->d_buf)
		return true;
	at = data->d_buf;
	end = at + data->d_size;
	for (int i = 0; i < VARIANTS_MAX; i++) {
		uint64_t off;

		at = memmem(at, (size_t)(end - at), signature->code, signature->bytes);
		if (!at)
			break;
		off = (uint64_t)(at - (const uint8_t *)data->d_buf);
		if (!name_function(names, n, shdr.sh_addr + off))
			return false;
		at += signature->bytes;
	}
	return true;
}
