/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Java's opcodes for those that HotSpot puts into methods instead. */
#ifndef GUIDES_HOTSPOT_OPCODES_H
#define GUIDES_HOTSPOT_OPCODES_H

#include <stdint.h>

/* HotSpot has a codelet of that name for that bytecode. */
void opcodes_learn(int32_t bytecode, const char *name);
/* Java's for one that lies in memory. */
uint8_t opcodes_java(uint8_t opcode);

#endif
