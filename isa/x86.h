/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far an x86 instruction reaches, and where its mnemonic is. Functions of constant tables,
 * for any thread.
 */
#ifndef ISA_X86_H
#define ISA_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X86_PAGE_BYTES 4096

/*
 * 0 when code[bytes] contains a whole instruction; else how many bytes the decoder reads
 * next: 1, 2, 4 or 8. `wide`: it is 64-bit code. An opcode that QEMU does not
 * know ends where that is certain.
 */
unsigned x86_wants(const uint8_t *code, size_t bytes, bool wide);

/* An instruction's text behind its prefixes: that of "bnd jmpq *%rax" from the 'j' on. */
const char *x86_mnemonic(const char *text);

#endif
