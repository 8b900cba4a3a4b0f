/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of an ELF file without symbols for them: those that its own code calls. */
#ifndef PROGRAM_ELF_TARGETS_H
#define PROGRAM_ELF_TARGETS_H

#include <libelf.h>

#include "program/elf/names.h"

/*
 * Adds a name such as "sub_1a2b0", with its virtual address, for each place where a function
 * seems to begin: targets of direct calls in the code, where the file is entered and where
 * its parts of code begin, functions of .ARM.exidx, what follows the names with sizes that
 * are there already, and on RISC-V prologues that nothing jumps to. They are guesses: they count where no symbol and no entry of .eh_frame reaches.
 * False: no memory.
 */
bool targets_read(struct names *names, Elf *elf);

#endif
