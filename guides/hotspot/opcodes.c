// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HotSpot rewrites bytecodes when a class is linked, and again while they run: a getfield
 * becomes "fast_igetfield", which has the same length and a number beyond Java's. The
 * numbers differ between versions, so they are learnt from the interpreter's own names.
 *
 * Example: "fast_igetfield" is bytecode 208; a method's b4 (getfield) that reads d0 now is
 * told as b4.
 */
#include "guides/hotspot/opcodes.h"

#include <string.h>

#include "isa/jvm.h"

/* Of its own bytecodes: what they stand for; 0: unknown. */
static uint8_t java_of[256];

/* A part of the name, and Java's opcode: the first that fits. */
static const struct {
	const char *part;
	uint8_t opcode;
} names[] = {
	{ "getfield", 0xb4 },	  { "putfield", 0xb5 }, { "access_0", 0x2a },
	{ "aload_0", 0x2a },	  { "iload", 0x15 },	{ "icaload", 0x15 },
	{ "invokevfinal", 0xb6 }, { "switch", 0xab },	{ "aldc_w", 0x13 },
	{ "aldc", 0x12 },	  { "return", 0xb1 },	{ "invokehandle", 0xb6 },
};

void opcodes_learn(int32_t bytecode, const char *name)
{
	if (bytecode < JVM_OPCODES || bytecode > UINT8_MAX)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strstr(name, names[i].part)) {
			java_of[bytecode] = names[i].opcode;
			return;
		}
}

uint8_t opcodes_java(uint8_t opcode)
{
	return java_of[opcode] ? java_of[opcode] : opcode;
}
