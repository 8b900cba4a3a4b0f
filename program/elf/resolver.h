/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The function of a stripped dynamic linker that finds a function when it is first called. */
#ifndef PROGRAM_ELF_RESOLVER_H
#define PROGRAM_ELF_RESOLVER_H

#include <libelf.h>

#include "program/elf/names.h"

/*
 * Adds the name "_dl_runtime_resolve" to those functions of the unwind tables, which are among
 * `names`, as a label with a size, when the file is glibc's dynamic linker. False: no memory.
 */
bool resolver_read(struct names *names, Elf *elf);

#endif
