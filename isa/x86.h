/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far an x86 instruction reaches. A function of constant tables, for any thread. */
#ifndef ISA_X86_H
#define ISA_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X86_PAGE_BYTES 4096

/*
 * 0 when code[bytes] holds a whole instruction; else how many bytes are read next to
 * decode it: 1, 2, 4 or 8. `wide` tells 64-bit code from that of 32 bits. Opcodes that
 * QEMU does not know end where they are known to be unknown.
 */
unsigned x86_wants(const uint8_t *code, size_t bytes, bool wide);

#endif
