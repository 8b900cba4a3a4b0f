/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module of a Linux kernel, as it was found in the kernel's memory when it was loaded. The
 * data are little-endian:
 *
 *	start:8 end:8 name NUL			its code, but for what runs once
 *	(start:8 bytes:8 name NUL)*		its functions
 */
#ifndef PROGRAM_KERNEL_LOADED_H
#define PROGRAM_KERNEL_LOADED_H

#include "format/symtab.h"
#include "program/elf/file.h"
#include "program/elf/loads.h"

/* The most data of a module. */
#define LOADED_BYTES_MAX (16u << 20)

enum { LOADED_CODE, LOADED_ONCE, LOADED_PARTS };

struct loaded_module {
	char path[80]; /* as the kernel shows it: "[name]" */
	/* A sum of the functions, at their places: equal of the same file only. */
	char build_id[ELF_BUILD_ID_TEXT];
	/* As if they were one file; start and end equal: no range. */
	struct elf_load parts[LOADED_PARTS];
	struct symtab names;
};

/*
 * False: the data are malformed, of no code, or there is no memory. Else *module is the
 * caller's to loaded_fini().
 */
bool loaded_read(struct loaded_module *module, struct span data);
void loaded_fini(struct loaded_module *module);

#endif
