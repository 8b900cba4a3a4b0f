/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls that an ELF file makes to others: the entries of its procedure linkage table. */
#ifndef ELF_CALLS_H
#define ELF_CALLS_H

#include <libelf.h>

#include "elf/names.h"

/*
 * Adds names as "puts@plt" where the table looks as linkers are known to make it; elsewhere
 * there are none. False without memory.
 */
bool calls_read(struct names *names, Elf *elf);

#endif
