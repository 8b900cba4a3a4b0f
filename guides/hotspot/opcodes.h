/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Java's opcodes for those that HotSpot puts into methods instead. */
#ifndef GUIDES_HOTSPOT_OPCODES_H
#define GUIDES_HOTSPOT_OPCODES_H

#include <stddef.h>
#include <stdint.h>

/* HotSpot has a codelet of that name for that bytecode. */
void opcodes_learn(int32_t bytecode, const char *name);
/* Puts Java's opcodes into code[bytes]; operands keep what HotSpot made of them. */
void opcodes_restore(uint8_t *code, size_t bytes);

#endif
