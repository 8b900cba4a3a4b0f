/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls that an ELF file makes to others: the entries of its procedure linkage table. */
#ifndef PROGRAM_ELF_CALLS_H
#define PROGRAM_ELF_CALLS_H

#include <libelf.h>

#include "program/elf/names.h"

/*
 * Adds names as "puts@plt" for the stubs whose instructions are known: see program/elf/stub.c. What
 * a static program chooses when it starts is called as the function that chooses is,
 * "memcpy@plt", or without a symbol "*ABS*+0x1234@plt". False without memory.
 */
bool calls_read(struct names *names, Elf *elf);

#endif
