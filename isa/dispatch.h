/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where an interpreter reads its program: the loads whose value selects what an indirect
 * jump goes to.
 */
#ifndef ISA_DISPATCH_H
#define ISA_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Calls `found` for the offset of each load of `size` bytes in code[bytes], an interpreter's
 * function for RISC-V of `xlen` bits, that a bytecode is dispatched by: ascending, each once.
 * False: no memory, or `found` returned false.
 */
bool dispatch_find(const uint8_t *code, size_t bytes, unsigned xlen, unsigned size,
		   bool (*found)(void *cookie, uint64_t offset), void *cookie);

#endif
