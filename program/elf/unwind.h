/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of an ELF file without symbols for them: those that its unwind tables list.
 */
#ifndef PROGRAM_ELF_UNWIND_H
#define PROGRAM_ELF_UNWIND_H

#include <libelf.h>

#include "program/elf/names.h"

/*
 * Adds a name such as "sub_1a2b0", with its virtual address, for each function that
 * .eh_frame lists (LSB 5.0, 10.6), as a label: it counts where no symbol reaches.
 * False: no memory.
 */
bool unwind_read(struct names *names, Elf *elf);

#endif
