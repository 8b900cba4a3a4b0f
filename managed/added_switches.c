// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * javac makes two switches of one over strings, and gives a switch over all values of an enum a
 * default that throws.
 *
 * Example: "switch (s) { case "a": ... }" is
 *	 2: iconst_m1; istore 2; aload 1; invokevirtual String.hashCode
 *	 8: lookupswitch 97: 28, default: 44			not written, up to 44
 *	28: aload 1; ldc "a"; invokevirtual String.equals; ifeq 44; iconst_0; istore 2; goto 44
 *	44: iload 2; tableswitch 0: ...
 */
#include "base/append.h"
#include "isa/jvm.h"
#include "managed/added_search.h"

/* "default: throw new MatchException(null, null)", which no value reaches. */
static uint32_t exhausted(const struct added_search *search, uint32_t at)
{
	struct javacode code = added_code(search, at);
	const char *class = "java/lang/IncompatibleClassChangeError", *type = "()V";

	javacode_is(&code, JAVA_NEW);
	javacode_is(&code, JAVA_DUP);
	if (javacode_opcode(&code) == JAVA_ACONST_NULL) {
		class = "java/lang/MatchException";
		type = NULL;
		javacode_is(&code, JAVA_ACONST_NULL);
		javacode_is(&code, JAVA_ACONST_NULL);
	}
	javacode_calls(&code, JAVA_INVOKESPECIAL, class, "<init>", type);
	return javacode_is(&code, JAVA_ATHROW) ? code.at : 0;
}

static void find_exhaustive(struct added_search *search, uint32_t at, uint32_t otherwise)
{
	uint32_t end = exhausted(search, otherwise);
	struct added_way way = { at, otherwise };

	if (!end)
		return;
	added_leave_out(search, otherwise, end);
	search->failed |= !APPEND(search->added->ways, search->added->n_ways, way);
}

/*
 * A switch over strings is two: the first, over hashes, leads to comparisons that number the
 * cases for the second. Only the second was written. `before` is four bytecodes before the
 * first: "iconst_m1; istore n; aload s; invokevirtual String.hashCode".
 */
static void find_string_switch(struct added_search *search, uint32_t before, uint32_t at,
			       uint32_t otherwise)
{
	struct javacode code = added_code(search, before);
	uint32_t number = JAVACODE_ANY, text = JAVACODE_ANY;

	javacode_is(&code, JAVA_ICONST_M1);
	javacode_local(&code, JAVA_ISTORE, &number);
	javacode_local(&code, JAVA_ALOAD, &text);
	javacode_calls(&code, JAVA_INVOKEVIRTUAL, "java/lang/String", "hashCode", NULL);
	/* The switch. */
	javacode_any(&code);
	while (code.good && code.at < otherwise) {
		struct javacode after;

		search->work++;
		javacode_local(&code, JAVA_ALOAD, &text);
		javacode_any(&code);
		javacode_calls(&code, JAVA_INVOKEVIRTUAL, "java/lang/String", "equals",
			       NULL);
		javacode_is(&code, JAVA_IFEQ);
		javacode_any(&code);
		javacode_local(&code, JAVA_ISTORE, &number);
		after = code;
		if (javacode_is(&after, JAVA_GOTO))
			code = after;
	}
	if (code.at == otherwise && javacode_local(&code, JAVA_ILOAD, &number))
		added_leave_out(search, at, otherwise);
}

void added_find_switches(struct added_search *search)
{
	const struct unit *unit = search->unit;
	uint32_t before[4] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
	size_t length;

	for (uint32_t at = 0, n = 0;
	     search->work < WORK_MOST && (length = unit_length(unit, at));
	     at += (uint32_t)length, n++) {
		int64_t otherwise;

		search->work++;
		if (jvm_kind(unit->code[at]) == JVM_SWITCH &&
		    jvm_target(unit->code, unit->bytes, at, 0, &otherwise) &&
		    otherwise >= 0 && otherwise < (int64_t)unit->bytes) {
			find_exhaustive(search, at, (uint32_t)otherwise);
			if (n >= 4)
				find_string_switch(search, before[n % 4], at,
						   (uint32_t)otherwise);
		}
		before[n % 4] = at;
	}
}
