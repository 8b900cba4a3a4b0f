/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that a linker left out (--gc-sections, a second copy of a template): its DWARF is still
 * there, at address 0.
 */
#ifndef PROGRAM_ELF_LEFT_OUT_H
#define PROGRAM_ELF_LEFT_OUT_H

#include <libelf.h>
#include <stdbool.h>

/*
 * Whether address 0 marks left-out code in the file: none of its sections of code has that
 * address. Of a file without sections that is not known: false.
 */
bool left_out_is_at_zero(Elf *elf);

/*
 * Moves the lines of left-out code, in the file's table of lines in memory, to addresses that
 * no code has. To be called before libdw reads a line of it, and not for a mapped file.
 */
void left_out_move_lines(Elf *elf);

#endif
