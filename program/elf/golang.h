/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of a stripped Go program: those that its runtime lists. */
#ifndef PROGRAM_ELF_GOLANG_H
#define PROGRAM_ELF_GOLANG_H

#include <libelf.h>

#include "program/elf/names.h"

/*
 * Adds the name of each function that .gopclntab lists (Go 1.18 and newer), as a label with a
 * size: it counts where no symbol reaches. False: no memory.
 */
bool golang_read(struct names *names, Elf *elf);

#endif
