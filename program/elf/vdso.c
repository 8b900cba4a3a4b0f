// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernels agree on how the names of a vDSO's functions begin, and programs that bring an ELF file
 * into memory by themselves have others.
 *
 * Who loads it moves the addresses in its headers and in .dynsym to where it is, and leaves .symtab
 * as it was linked, at 0.
 *
 * Example: a vDSO at 0x7f9d23523000 has __vdso_getcpu at byte 0x6b4, which .dynsym has as
 * 0x7f9d235236b4, and .symtab as 0x6b4. vdso_offset() of both is 0x6b4.
 */
#include "program/elf/vdso.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program/elf/symbols.h"

/* A file with these bytes, which has no path; -1: none. */
static int file_of(const uint8_t *data, size_t bytes)
{
	int fd = memfd_create("waymark-vdso", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, data, bytes) != (ssize_t)bytes) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool is_vdso(const struct symtab *names)
{
	for (uint32_t i = 0; i < names->n_ranges; i++) {
		const char *name =
			(const char *)names->names.data + names->ranges[i].name;

		if (!strncmp(name, "__vdso_", 7) || !strncmp(name, "__kernel_", 9))
			return true;
	}
	return false;
}

bool vdso_read(struct vdso *vdso, const uint8_t *data, size_t bytes)
{
	int fd = file_of(data, bytes);
	bool good;

	*vdso = (struct vdso){ .names = SYMTAB_INIT };
	if (fd < 0)
		return false;
	good = elf_symbols_read(&vdso->names, fd, "", "") && is_vdso(&vdso->names);
	elf_file_build_id(fd, vdso->build_id);
	close(fd);
	if (!good)
		vdso_fini(vdso);
	return good;
}

void vdso_fini(struct vdso *vdso)
{
	symtab_fini(&vdso->names);
}

uint64_t vdso_offset(const struct vdso *vdso, uint64_t address)
{
	uint64_t offset;

	return symtab_file_off(&vdso->names, address, &offset) ? offset : address;
}
