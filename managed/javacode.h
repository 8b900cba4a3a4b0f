/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells sequences of Java's bytecodes: each call says what comes next, and all of them hold
 * only if the last one returns true.
 *
 *	struct javacode code = javacode_at(classes, unit, at);
 *	uint32_t thrown = JAVACODE_ANY;
 *	javacode_local(&code, JAVA_ASTORE, &thrown);
 *	javacode_local(&code, JAVA_ALOAD, &thrown);
 *	if (javacode_is(&code, JAVA_ATHROW)) ...
 */
#ifndef MANAGED_JAVACODE_H
#define MANAGED_JAVACODE_H

#include "managed/classes.h"

enum {
	JAVA_ACONST_NULL = 1,
	JAVA_ICONST_M1 = 2,
	JAVA_ICONST_0 = 3,
	JAVA_ICONST_1 = 4,
	JAVA_ILOAD = 21,
	JAVA_ALOAD = 25,
	JAVA_ISTORE = 54,
	JAVA_ASTORE = 58,
	JAVA_DUP = 89,
	JAVA_IFEQ = 153,
	JAVA_IFNE = 154,
	JAVA_GOTO = 167,
	JAVA_TABLESWITCH = 170,
	JAVA_LOOKUPSWITCH = 171,
	JAVA_IRETURN = 172,
	JAVA_RETURN = 177,
	JAVA_GETSTATIC = 178,
	JAVA_PUTSTATIC = 179,
	JAVA_GETFIELD = 180,
	JAVA_INVOKEVIRTUAL = 182,
	JAVA_INVOKESPECIAL = 183,
	JAVA_INVOKEINTERFACE = 185,
	JAVA_INVOKEDYNAMIC = 186,
	JAVA_NEW = 187,
	JAVA_ATHROW = 191,
	JAVA_MONITOREXIT = 195,
	JAVA_WIDE = 196,
	JAVA_IFNULL = 198,
};

/* A local variable that is not known yet. */
#define JAVACODE_ANY UINT32_MAX

struct javacode {
	const struct classes *classes;
	const struct unit *unit;
	uint32_t at; /* the offset of the next bytecode */
	bool good;   /* all that was asked for has come */
};

static inline struct javacode javacode_at(const struct classes *classes,
					  const struct unit *unit, uint32_t at)
{
	return (struct javacode){ classes, unit, at, true };
}

/* The opcode that is next, of any form of a load or store the plain one; -1: none is there. */
int javacode_opcode(const struct javacode *code);
/* Any bytecode is next. */
bool javacode_any(struct javacode *code);
/* This opcode is. */
bool javacode_is(struct javacode *code, uint8_t opcode);
/* A load or store of this local variable, which is set if it was JAVACODE_ANY. */
bool javacode_local(struct javacode *code, uint8_t opcode, uint32_t *local);
/* A call of that method; NULL: of any class, or any type. */
bool javacode_calls(struct javacode *code, uint8_t opcode, const char *class,
		    const char *name, const char *type);
/* The method has no more. */
bool javacode_ends(const struct javacode *code);

#endif
