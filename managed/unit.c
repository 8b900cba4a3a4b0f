// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the bytecode of one unit is and where it leads, asked of the language that it is of.
 *
 * Example: "ifeq 12" at 4 of a Java method has 3 bytes and the ways 7 and 12.
 */
#include "base/bisect.h"
#include "isa/jvm.h"
#include "isa/python.h"
#include "managed/units.h"

const char *unit_opcode(const struct unit *unit, uint32_t offset)
{
	uint8_t opcode = unit->code[offset];

	return unit->language == UNIT_JAVA ? jvm_name(opcode) :
	       unit->python		   ? python_name(unit->python, opcode) :
					     NULL;
}

bool unit_leaves(const struct unit *unit, uint32_t offset)
{
	if (unit->language == UNIT_JAVA)
		return jvm_kind(unit->code[offset]) == JVM_RETURN;
	return unit->python &&
	       python_leaves(unit->python, unit->code, unit->bytes, offset);
}

/* A runtime with pieces has some that begin a frame: see managed/walk.h. */
bool unit_enters(const struct unit *unit, uint32_t offset)
{
	return unit->python &&
	       python_enters(unit->python, unit->code, unit->bytes, offset);
}

bool unit_throws(const struct unit *unit, uint32_t offset)
{
	bool throws = unit->language == UNIT_JAVA ?
			      jvm_kind(unit->code[offset]) == JVM_THROW :
			      unit->python && python_raises(unit->python, unit->code,
							    unit->bytes, offset);

	for (uint32_t i = 0; throws && i < unit->n_handlers; i++)
		throws = offset < unit->handlers[i].from ||
			 offset >= unit->handlers[i].to;
	return throws;
}

size_t unit_length(const struct unit *unit, uint32_t offset)
{
	if (unit->language == UNIT_JAVA)
		return jvm_length(unit->code, unit->bytes, offset);
	return unit->python ?
		       python_length(unit->python, unit->code, unit->bytes, offset) :
		       0;
}

static void add_way(struct unit_ways *ways, int64_t to)
{
	for (uint32_t i = 0; i < ways->n; i++)
		if (ways->to[i] == to)
			return;
	if (ways->n < UNIT_WAYS && to >= 0 && to < UINT32_MAX)
		ways->to[ways->n++] = (uint32_t)to;
}

bool unit_ways(const struct unit *unit, uint32_t offset, struct unit_ways *ways)
{
	enum jvm_kind kind = unit->language == UNIT_JAVA ? jvm_kind(unit->code[offset]) :
							   JVM_PLAIN;
	struct python_ways branch;
	int64_t target;

	ways->n = 0;
	ways->also[0] = ways->also[1] = UINT32_MAX;
	if (unit->python &&
	    python_branches(unit->python, unit->code, unit->bytes, offset, &branch)) {
		add_way(ways, branch.next);
		add_way(ways, branch.target);
		if (branch.also_next != branch.next)
			ways->also[0] = (uint32_t)branch.also_next;
		if (branch.also_target != branch.target)
			ways->also[1] = (uint32_t)branch.also_target;
	}
	if (kind == JVM_BRANCH)
		add_way(ways, offset + (int64_t)unit_length(unit, offset));
	for (size_t i = 0; (kind == JVM_BRANCH || kind == JVM_SWITCH) &&
			   jvm_target(unit->code, unit->bytes, offset, i, &target);
	     i++)
		add_way(ways, target);
	return ways->n > 1;
}

bool unit_catches(const struct unit *unit, uint32_t offset, uint32_t target)
{
	for (uint32_t i = 0; i < unit->n_handlers; i++)
		if (unit->handlers[i].target == target &&
		    offset >= unit->handlers[i].from && offset < unit->handlers[i].to)
			return true;
	return false;
}

bool unit_is_catcher(const struct unit *unit, uint32_t target)
{
	for (uint32_t i = 0; i < unit->n_handlers; i++)
		if (unit->handlers[i].target == target)
			return true;
	return false;
}

uint32_t unit_line(const struct unit *unit, uint64_t offset)
{
	size_t i = BISECT(unit->n_lines, k, unit->lines[k].offset <= offset);

	return i ? unit->lines[i - 1].line : 0;
}
