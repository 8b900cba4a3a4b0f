// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Example: "iload_1" ends with "lbu t0, 1(s6)", which is left out. "if_icmpge" has "lbu t0, 3(s6)"
 * where it goes on, which is left out, and "lbu t0, 0(s6)" where it has added the distance.
 * "invokevirtual" begins with "lbu a4, 1(s6)", which is kept.
 */
#include "guides/hotspot/steps.h"

#include <string.h>

#include "guides/hotspot/opcodes.h"
#include "isa/jvm.h"
#include "isa/riscv_values.h"

#define XLEN 64

enum {
	OPCODE_NOP = 0,
	OPCODE_ASTORE = 58,
	OPCODE_ASTORE_0 = 75,
	OPCODE_ASTORE_3 = 78,
	OPCODE_POP = 87,
};

/* Compilers begin a handler with one of these: the stack has what was thrown, and nothing else. */
static bool may_begin_handler(uint8_t opcode)
{
	return opcode == OPCODE_NOP || opcode == OPCODE_POP || opcode == OPCODE_ASTORE ||
	       (opcode >= OPCODE_ASTORE_0 && opcode <= OPCODE_ASTORE_3);
}

/* HotSpot puts these in place of an access to a field once its class is there. */
static bool is_fast_field(const char *name)
{
	return !strncmp(name, "fast_", 5) &&
	       (strstr(name, "getfield") || strstr(name, "putfield") ||
		strstr(name, "access_0"));
}

void steps_begin(struct steps *steps, int32_t bytecode, const char *name)
{
	enum jvm_kind kind;
	uint8_t opcode;

	steps->is_call = steps->is_left_out = false;
	if (bytecode < 0 || bytecode > UINT8_MAX)
		return;
	opcode = opcodes_java((uint8_t)bytecode);
	if (!jvm_name(opcode))
		return;
	kind = jvm_kind(opcode);
	steps->is_call = kind == JVM_CALL;
	steps->is_left_out = kind == JVM_BRANCH ||
			     (kind == JVM_PLAIN && !jvm_runs(opcode) &&
			      !may_begin_handler(opcode) && !jvm_is_subroutine(opcode)) ||
			     is_fast_field(name);
}

static struct riscv_effect effect_of(const uint8_t *insn)
{
	uint32_t word = 0;

	memcpy(&word, insn, (insn[0] & 3) == 3 ? 4 : 2);
	return riscv_effect(word, XLEN, 0, false);
}

bool steps_keeps(struct steps *steps, const uint8_t *insn)
{
	struct riscv_effect effect = effect_of(insn);

	steps->pointer = effect.rs;
	return !steps->is_left_out || !effect.imm;
}

bool steps_call(const struct steps *steps, const uint8_t *code, size_t bytes, size_t *at)
{
	size_t size;

	if (!steps->is_call || !steps->pointer)
		return false;
	for (*at = 0; *at + 4 <= bytes; *at += size) {
		struct riscv_effect effect = effect_of(code + *at);

		if (effect.kind == RISCV_LOADS && effect.rs == steps->pointer &&
		    effect.imm == 1)
			return true;
		size = (code[*at] & 3) == 3 ? 4 : 2;
	}
	return false;
}
