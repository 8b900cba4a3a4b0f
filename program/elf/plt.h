/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for the stubs of the procedure linkage table (PLT), by which a file calls others.
 */
#ifndef PROGRAM_ELF_PLT_H
#define PROGRAM_ELF_PLT_H

#include <libelf.h>

#include "program/elf/names.h"

/*
 * Adds a name such as "puts@plt" for each stub whose instructions are known
 * (program/elf/stub.h). In a static program, where an ifunc resolver chooses the
 * function, the stub has the resolver's name, "memcpy@plt", or without a symbol its
 * address, "*ABS*+0x1234@plt". False: no memory.
 */
bool plt_read(struct names *names, Elf *elf);

#endif
