/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vDSO: an ELF file in the memory of each program, which a kernel or an emulator puts there. It
 * is found in memory, because it is no file.
 */
#ifndef PROGRAM_ELF_VDSO_H
#define PROGRAM_ELF_VDSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/symtab.h"
#include "program/elf/file.h"

/* The file that its code is shown as of. */
#define VDSO_MODULE "[vdso]"

enum { VDSO_BYTES_MAX = 32 << 10 }; /* one has some 8 KiB */

struct vdso {
	struct symtab names;
	char build_id[ELF_BUILD_ID_TEXT];
};

/*
 * Reads a vDSO in data[bytes], which may have been moved to where it runs, and may be followed by
 * something else. The data come from a guest. False: it is another ELF file or none, or no memory;
 * then there is nothing to vdso_fini().
 */
bool vdso_read(struct vdso *vdso, const uint8_t *data, size_t bytes);
void vdso_fini(struct vdso *vdso);
/* The offset in the file of an address that a name has. */
uint64_t vdso_offset(const struct vdso *vdso, uint64_t address);

#endif
