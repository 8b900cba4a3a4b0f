// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A load or store has three forms, which are one here: "aload_2", "aload 2", and "wide aload 2",
 * whose local variable has two bytes.
 */
#include "managed/javacode.h"

#include "isa/jvm.h"

/* Loads and stores with the local variable in the opcode: four of each type. */
enum { ILOAD_0 = 26, ALOAD_3 = 45, ISTORE_0 = 59, ASTORE_3 = 78 };

static bool is_within(int opcode, int first, int last)
{
	return opcode >= first && opcode <= last;
}

static bool is_plain(int opcode)
{
	return is_within(opcode, JAVA_ILOAD, JAVA_ALOAD) ||
	       is_within(opcode, JAVA_ISTORE, JAVA_ASTORE);
}

/* The opcode and the local variable of a load or store in its plain form; else the opcode. */
static int plain_form(const struct javacode *code, uint32_t *local)
{
	const uint8_t *bytes = code->unit->code + code->at;
	int opcode = bytes[0];

	*local = JAVACODE_ANY;
	if (is_within(opcode, ILOAD_0, ALOAD_3)) {
		*local = (uint32_t)(opcode - ILOAD_0) % 4;
		return JAVA_ILOAD + (opcode - ILOAD_0) / 4;
	}
	if (is_within(opcode, ISTORE_0, ASTORE_3)) {
		*local = (uint32_t)(opcode - ISTORE_0) % 4;
		return JAVA_ISTORE + (opcode - ISTORE_0) / 4;
	}
	if (is_plain(opcode)) {
		*local = bytes[1];
	} else if (opcode == JAVA_WIDE && is_plain(bytes[1])) {
		opcode = bytes[1];
		*local = (uint32_t)bytes[2] << 8 | bytes[3];
	}
	return opcode;
}

static bool is_there(const struct javacode *code)
{
	return code->good && code->at < code->unit->bytes &&
	       unit_length(code->unit, code->at);
}

int javacode_opcode(const struct javacode *code)
{
	uint32_t unused;

	return is_there(code) ? plain_form(code, &unused) : -1;
}

bool javacode_any(struct javacode *code)
{
	code->good = is_there(code);
	if (code->good)
		code->at += (uint32_t)unit_length(code->unit, code->at);
	return code->good;
}

bool javacode_is(struct javacode *code, uint8_t opcode)
{
	code->good = javacode_opcode(code) == opcode;
	return javacode_any(code);
}

bool javacode_local(struct javacode *code, uint8_t opcode, uint32_t *local)
{
	uint32_t is;

	code->good = is_there(code) && plain_form(code, &is) == opcode &&
		     (*local == JAVACODE_ANY || *local == is);
	if (code->good)
		*local = is;
	return javacode_any(code);
}

bool javacode_calls(struct javacode *code, uint8_t opcode, const char *class,
		    const char *name, const char *type)
{
	const struct class_place *place =
		is_there(code) && code->unit->code[code->at] == opcode ?
			classes_call(code->classes, code->unit, code->at) :
			NULL;

	code->good = place &&
		     (!class || classes_is(code->classes, place->class, class)) &&
		     classes_is(code->classes, place->name, name) &&
		     (!type || classes_is(code->classes, place->type, type));
	return javacode_any(code);
}

bool javacode_ends(const struct javacode *code)
{
	return code->good && code->at == code->unit->bytes;
}
