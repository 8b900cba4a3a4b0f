// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Methods come from a traced program, so nothing here trusts them: what does not lie in the
 * method has length 0. Operands are big-endian.
 *
 * Example: a tableswitch at 5 is padded to offset 8; then come the default, low and high
 * and high - low + 1 targets, of four bytes each and relative to 5.
 */
#include "isa/jvm.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	OPCODE_IINC = 132,
	OPCODE_TABLESWITCH = 170,
	OPCODE_LOOKUPSWITCH = 171,
	OPCODE_NEWARRAY = 188
};

static const struct {
	const char *name;
	uint8_t length, kind;
} opcodes[JVM_OPCODES] = {
#define OPCODE(name, length, kind) { #name, length, JVM_##kind },
#include "isa/jvm.def"
};

const char *jvm_name(uint8_t opcode)
{
	return opcode < JVM_OPCODES ? opcodes[opcode].name : NULL;
}

enum jvm_kind jvm_kind(uint8_t opcode)
{
	return opcode < JVM_OPCODES ? (enum jvm_kind)opcodes[opcode].kind : JVM_PLAIN;
}

static bool is_within(uint8_t opcode, unsigned first, unsigned last)
{
	return opcode >= first && opcode <= last;
}

bool jvm_runs(uint8_t opcode)
{
	/* ldc to ldc2_w; getstatic to new; anewarray; checkcast, instanceof; multianewarray */
	return is_within(opcode, 18, 20) || is_within(opcode, 178, 187) ||
	       opcode == 189 || is_within(opcode, 192, 193) || opcode == 197;
}

bool jvm_throws(uint8_t opcode)
{
	/* Loads from arrays, stores; idiv, ldiv; irem, lrem; returns; newarray to monitorexit */
	return jvm_runs(opcode) || is_within(opcode, 46, 53) ||
	       is_within(opcode, 79, 86) || is_within(opcode, 108, 109) ||
	       is_within(opcode, 112, 113) || is_within(opcode, 172, 177) ||
	       is_within(opcode, 188, 195);
}

bool jvm_is_subroutine(uint8_t opcode)
{
	return opcode == 168 || opcode == 169 || opcode == JVM_WIDE || opcode == 201;
}

bool jvm_is_rewritten(uint8_t opcode)
{
	/* ldc, ldc_w; iload; aload_0; caload; lookupswitch; return; getfield to invokevirtual */
	return is_within(opcode, 18, 19) || opcode == 21 || opcode == 42 ||
	       opcode == 52 || opcode == OPCODE_LOOKUPSWITCH || opcode == 177 ||
	       is_within(opcode, 180, 182);
}

static int64_t get_i16(const uint8_t *at)
{
	return (int16_t)(at[0] << 8 | at[1]);
}

static int64_t get_i32(const uint8_t *at)
{
	return (int32_t)((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
			 (uint32_t)at[2] << 8 | at[3]);
}

/* A switch: where its numbers begin, and how many targets it has besides the default. */
struct table {
	const uint8_t *numbers;
	size_t first, step,
		n; /* the first target's byte in `numbers`; from one to the next */
};

/* Of a switch, from its default to its first target or pair. */
static size_t head_bytes(uint8_t opcode)
{
	return opcode == OPCODE_TABLESWITCH ? 12 : 8;
}

static bool find_table(const uint8_t *code, size_t bytes, size_t at, struct table *table)
{
	size_t start = (at + 4) & ~(size_t)3;
	int64_t n;

	if (start + head_bytes(code[at]) > bytes)
		return false;
	table->numbers = code + start;
	if (code[at] == OPCODE_TABLESWITCH) {
		n = get_i32(code + start + 8) - get_i32(code + start + 4) + 1;
		table->step = 4;
	} else {
		n = get_i32(code + start + 4);
		table->step = 8;
	}
	if (n < 0 || (uint64_t)n > bytes / table->step)
		return false;
	table->n = (size_t)n;
	return true;
}

static size_t switch_length(const uint8_t *code, size_t bytes, size_t at)
{
	struct table table;

	if (!find_table(code, bytes, at, &table))
		return 0;
	return (size_t)(table.numbers - code) - at + head_bytes(code[at]) +
	       table.n * table.step;
}

size_t jvm_length(const uint8_t *code, size_t bytes, size_t at)
{
	size_t length;

	if (at >= bytes || code[at] >= JVM_OPCODES)
		return 0;
	length = opcodes[code[at]].length;
	if (code[at] == JVM_WIDE)
		length = at + 1 < bytes && code[at + 1] == OPCODE_IINC ? 6 : 4;
	else if (!length)
		length = switch_length(code, bytes, at);
	return length <= bytes - at ? length : 0;
}

static bool switch_target(const uint8_t *code, size_t bytes, size_t at, size_t i,
			  int64_t *target)
{
	struct table table;

	if (!find_table(code, bytes, at, &table) || i > table.n)
		return false;
	/* The first one is 12 bytes on, behind low and high or behind its key. */
	*target = (int64_t)at +
		  get_i32(table.numbers + (i ? 12 + (i - 1) * table.step : 0));
	return true;
}

bool jvm_target(const uint8_t *code, size_t bytes, size_t at, size_t i, int64_t *target)
{
	size_t length = jvm_length(code, bytes, at);
	enum jvm_kind kind = length ? jvm_kind(code[at]) : JVM_PLAIN;

	if (kind == JVM_SWITCH)
		return switch_target(code, bytes, at, i, target);
	if (i || (kind != JVM_BRANCH && kind != JVM_GOTO))
		return false;
	*target = (int64_t)at +
		  (length == 5 ? get_i32(code + at + 1) : get_i16(code + at + 1));
	return true;
}

bool jvm_constant(const uint8_t *code, size_t bytes, size_t at, uint32_t *index)
{
	enum { LDC = 18, INVOKEDYNAMIC = 186, NEW, MULTIANEWARRAY = 197 };
	uint8_t opcode = code[at];

	if (!jvm_length(code, bytes, at))
		return false;
	*index = opcode == LDC ? code[at + 1] : 0;
	if (opcode == LDC)
		return true;
	if (!is_within(opcode, LDC + 1, LDC + 2) && !is_within(opcode, 178, 181) &&
	    !is_within(opcode, INVOKEDYNAMIC, NEW) && opcode != 189 &&
	    !is_within(opcode, 192, 193) && opcode != MULTIANEWARRAY)
		return false;
	*index = (uint32_t)(code[at + 1] << 8 | code[at + 2]);
	return true;
}

/* "int": what newarray makes an array of; NULL: nothing. */
static const char *element_name(uint8_t type)
{
	static const char *const names[] = { "boolean", "char",	 "float", "double",
					     "byte",	"short", "int",	  "long" };

	return is_within(type, 4, 11) ? names[type - 4] : NULL;
}

/* ldc and ldc_w of texts, accesses of fields and calls: HotSpot puts numbers of its own there. */
static bool is_rewritten(uint8_t opcode)
{
	return is_within(opcode, 18, 19) || is_within(opcode, 178, 186);
}

/* The instruction that it is of, whose numbers have two bytes. */
static int wide_operands(const uint8_t *wide, size_t length, char *text, size_t size)
{
	const char *name = jvm_name(wide[1]);
	unsigned variable = (unsigned)(wide[2] << 8 | wide[3]);

	if (length == 6)
		return snprintf(text, size, " %s %u %d", name, variable,
				(int)get_i16(wide + 4));
	return snprintf(text, size, " %s %u", name ? name : "?", variable);
}

/* " 1: 40, 2: 52, default: 60"; of more than SHOWN targets, how many there are besides. */
static int switch_operands(const uint8_t *code, size_t bytes, size_t at, char *text,
			   size_t size)
{
	enum { SHOWN = 8, TARGET = 32 };
	char all[(SHOWN + 2) * TARGET], *end = all;
	struct table table;
	int64_t target;

	if (!find_table(code, bytes, at, &table))
		return 0;
	for (size_t i = 1; i <= table.n && i <= SHOWN; i++) {
		int64_t key = code[at] == OPCODE_TABLESWITCH ?
				      get_i32(table.numbers + 4) + (int64_t)i - 1 :
				      get_i32(table.numbers + i * table.step);

		switch_target(code, bytes, at, i, &target);
		end += sprintf(end, " %" PRId64 ": %" PRId64 ",", key, target);
	}
	if (table.n > SHOWN)
		end += sprintf(end, " %zu more,", table.n - SHOWN);
	switch_target(code, bytes, at, 0, &target);
	sprintf(end, " default: %" PRId64, target);
	return snprintf(text, size, "%s", all);
}

int jvm_operands(const uint8_t *code, size_t bytes, size_t at, size_t length, char *text,
		 size_t size)
{
	enum { BIPUSH = 16, SIPUSH = 17, IINC = OPCODE_IINC, MULTIANEWARRAY = 197 };
	const uint8_t *operand = code + at + 1;
	int64_t target;

	if (size)
		*text = '\0';
	if (code[at] == JVM_WIDE && length)
		return wide_operands(code + at, length, text, size);
	if (code[at] == MULTIANEWARRAY && length == 4)
		return snprintf(text, size, " %d %u", operand[0] << 8 | operand[1],
				operand[2]);
	if (code[at] == IINC && length == 3)
		return snprintf(text, size, " %u %d", operand[0], (int8_t)operand[1]);
	if (is_rewritten(code[at]))
		return 0;
	if (code[at] == OPCODE_NEWARRAY && length && element_name(*operand))
		return snprintf(text, size, " %s", element_name(*operand));
	if (jvm_kind(code[at]) == JVM_SWITCH)
		return length ? switch_operands(code, bytes, at, text, size) : 0;
	if (jvm_target(code, bytes, at, 0, &target))
		return snprintf(text, size, " %" PRId64, target);
	if (length == 3)
		return snprintf(text, size, " %d",
				code[at] == SIPUSH ?
					(int16_t)(operand[0] << 8 | operand[1]) :
					operand[0] << 8 | operand[1]);
	if (length == 2)
		return snprintf(text, size, " %d",
				code[at] == BIPUSH ? (int8_t)operand[0] : operand[0]);
	return 0;
}
