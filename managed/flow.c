// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Only what the bytecode itself says. In Python nearly everything may run a method of an
 * object's class, and what drops a reference its destructor: so there little is known.
 *
 * Example: "ifeq 12" at 4 leads to 7 and 12; "getfield" at 7 to 10, may throw, and may have
 * a class loaded first, which Java code can do.
 */
#include "managed/flow.h"

#include "isa/jvm.h"
#include "isa/python.h"

static void add_way(struct unit_ways *ways, uint64_t to)
{
	for (uint32_t i = 0; i < ways->n; i++)
		if (ways->to[i] == to)
			return;
	if (ways->n < UNIT_WAYS && to < UINT32_MAX)
		ways->to[ways->n++] = (uint32_t)to;
}

static bool jvm_flow(const struct unit *unit, uint32_t offset, struct unit_flow *flow)
{
	uint8_t opcode = unit->code[offset];
	size_t length = jvm_length(unit->code, unit->bytes, offset);
	enum jvm_kind kind = jvm_kind(opcode);
	int64_t target;

	if (!length || jvm_is_subroutine(opcode))
		return false;
	flow->runs = jvm_runs(opcode);
	flow->throws = jvm_throws(opcode);
	flow->returns = kind == JVM_RETURN;
	if (kind == JVM_PLAIN || kind == JVM_CALL || kind == JVM_BRANCH)
		add_way(&flow->to, offset + length);
	for (size_t i = 0; jvm_target(unit->code, unit->bytes, offset, i, &target); i++)
		add_way(&flow->to, (uint64_t)target);
	/* A switch may have more. */
	return flow->to.n < UNIT_WAYS;
}

bool unit_flow(const struct unit *unit, uint32_t offset, struct unit_flow *flow)
{
	flow->to.n = 0;
	flow->to.also[0] = flow->to.also[1] = UINT32_MAX;
	flow->runs = flow->throws = flow->returns = false;
	if (offset >= unit->bytes)
		return false;
	if (unit->language == UNIT_JAVA)
		return jvm_flow(unit, offset, flow);
	if (!unit->python ||
	    !python_is_plain(unit->python, unit->code, unit->bytes, offset))
		return false;
	add_way(&flow->to, offset + unit_length(unit, offset));
	return true;
}

bool unit_calls(const struct unit *unit, uint32_t offset)
{
	return unit->language == UNIT_JAVA && jvm_kind(unit->code[offset]) == JVM_CALL;
}

bool unit_is_resumed(const struct unit *unit, uint32_t offset)
{
	size_t length;

	if (unit->language != UNIT_JAVA)
		return true;
	/* The begin of the bytecode before is not known: calls have 3 or 5 bytes. */
	for (uint32_t bytes = 3; bytes <= 5 && bytes <= offset; bytes += 2) {
		length = jvm_length(unit->code, unit->bytes, offset - bytes);
		if (length == bytes && jvm_runs(unit->code[offset - bytes]))
			return true;
	}
	return false;
}
