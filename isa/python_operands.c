// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of numbers only grow from release to release, so there is one of each. What is beyond its
 * end is written as a number.
 *
 * Example: LOAD_GLOBAL 3 names entry 1 of the names and pushes NULL, too: "fib + NULL".
 */
#include "isa/python_operands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { UNIT = 2, BRANCH = 32 };

#define LIST(texts)                                   \
	{                                             \
		texts, sizeof(texts) / sizeof(*texts) \
	}

static const char *const comparisons[] = { "<", "<=", "==", "!=", ">", ">=" };
static const char *const operators[] = {
	"+",  "&",  "//", "<<",	 "@",	"*",  "%",   "|",   "**",
	">>", "-",  "/",  "^",	 "+=",	"&=", "//=", "<<=", "@=",
	"*=", "%=", "|=", "**=", ">>=", "-=", "/=",  "^=",  "[]",
};
static const char *const conversions[] = { "", "str", "repr", "ascii" };
static const char *const intrinsics_1[] = {
	"INTRINSIC_1_INVALID",	       "INTRINSIC_PRINT",
	"INTRINSIC_IMPORT_STAR",       "INTRINSIC_STOPITERATION_ERROR",
	"INTRINSIC_ASYNC_GEN_WRAP",    "INTRINSIC_UNARY_POSITIVE",
	"INTRINSIC_LIST_TO_TUPLE",     "INTRINSIC_TYPEVAR",
	"INTRINSIC_PARAMSPEC",	       "INTRINSIC_TYPEVARTUPLE",
	"INTRINSIC_SUBSCRIPT_GENERIC", "INTRINSIC_TYPEALIAS",
};
static const char *const intrinsics_2[] = {
	"INTRINSIC_2_INVALID",
	"INTRINSIC_PREP_RERAISE_STAR",
	"INTRINSIC_TYPEVAR_WITH_BOUND",
	"INTRINSIC_TYPEVAR_WITH_CONSTRAINTS",
	"INTRINSIC_SET_FUNCTION_TYPE_PARAMS",
	"INTRINSIC_SET_TYPEPARAM_DEFAULT",
};
static const char *const common[] = { "AssertionError",
				      "NotImplementedError",
				      "tuple",
				      "<built-in function all>",
				      "<built-in function any>",
				      "list",
				      "set",
				      "None",
				      "''",
				      "True",
				      "False",
				      "-1" };
static const char *const special[] = { "__enter__", "__exit__", "__aenter__",
				       "__aexit__" };
static const char *const identities[] = { "is", "is not" };
static const char *const contained[] = { "in", "not in" };

static const struct list {
	const char *const *texts;
	size_t n;
} lists[] = {
	[PYTHON_COMPARISON] = LIST(comparisons),
	[PYTHON_OPERATOR] = LIST(operators),
	[PYTHON_CONVERSION] = LIST(conversions),
	[PYTHON_INTRINSIC_1] = LIST(intrinsics_1),
	[PYTHON_INTRINSIC_2] = LIST(intrinsics_2),
	[PYTHON_COMMON] = LIST(common),
	[PYTHON_SPECIAL] = LIST(special),
	[PYTHON_IDENTITY] = LIST(identities),
	[PYTHON_CONTAINED] = LIST(contained),
};

/* ---- entries of tables --------------------------------------------------- */

/* How many flags are below an entry's number. */
static unsigned flags_of(enum python_operand operand)
{
	return operand == PYTHON_IMPORTED || operand == PYTHON_OF_SUPER ? 2 :
	       operand == PYTHON_GLOBAL || operand == PYTHON_ATTRIBUTE	? 1 :
									  0;
}

unsigned python_entries(const struct python *python, const uint8_t *code, size_t bytes,
			size_t at, struct python_entry entries[2])
{
	enum python_operand operand = python_operand(python, code[at]);
	uint32_t number = (uint32_t)python_number(python, code, bytes, at);

	if (operand < PYTHON_CONSTANT || operand > PYTHON_VARIABLES)
		return 0;
	if (operand == PYTHON_VARIABLES) {
		entries[0] = (struct python_entry){ PYTHON_LOCALS, number >> 4 };
		entries[1] = (struct python_entry){ PYTHON_LOCALS, number & 15 };
		return 2;
	}
	entries[0].table = operand == PYTHON_CONSTANT ? PYTHON_CONSTANTS :
			   operand == PYTHON_VARIABLE ? PYTHON_LOCALS :
							PYTHON_NAMES;
	entries[0].number = number >> flags_of(operand);
	return 1;
}

/* ---- text ---------------------------------------------------------------- */

/* What the flags of a name say. */
static const char *flag_text(enum python_operand operand, uint64_t number)
{
	if (operand == PYTHON_GLOBAL && number & 1)
		return " + NULL";
	if (operand == PYTHON_IMPORTED)
		return number & 1 ? " + lazy" : number & 2 ? " + eager" : "";
	if ((operand == PYTHON_ATTRIBUTE || operand == PYTHON_OF_SUPER) && number & 1)
		return " + NULL|self";
	return "";
}

static int function_text(uint64_t flags, char *text, size_t size)
{
	static const char *const names[] = { "defaults", "kwdefaults", "annotations",
					     "closure", "annotate" };
	char all[64] = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!(flags >> i & 1))
			continue;
		strcat(all, *all ? ", " : " ");
		strcat(all, names[i]);
	}
	return snprintf(text, size, "%s", all);
}

static int jump_text(enum python_operand operand, uint64_t number, size_t behind,
		     char *text, size_t size)
{
	int64_t units = operand == PYTHON_FORWARD ? (int64_t)number : -(int64_t)number;

	return snprintf(text, size, " %" PRId64, (int64_t)behind + UNIT * units);
}

/* A number of a list of the interpreter's; NULL: it has none such. */
static const char *listed(enum python_operand operand, uint64_t number)
{
	const struct list *list =
		operand < sizeof(lists) / sizeof(*lists) ? &lists[operand] : NULL;
	uint64_t entry = operand == PYTHON_COMPARISON ? number >> 5 : number;

	return list && entry < list->n ? list->texts[entry] : NULL;
}

int python_operand_text(const struct python *python, const uint8_t *code, size_t bytes,
			size_t at, const char *const texts[2], char *text, size_t size)
{
	enum python_operand operand = python_operand(python, code[at]);
	size_t length = python_length(python, code, bytes, at);
	uint64_t number = length ? python_number(python, code, bytes, at) : 0;
	const char *of_list = listed(operand, number);

	if (size)
		*text = '\0';
	if (!length || operand == PYTHON_NONE)
		return 0;
	if (operand == PYTHON_VARIABLES && texts[0] && texts[1])
		return snprintf(text, size, " %s, %s", texts[0], texts[1]);
	if (operand != PYTHON_VARIABLES && texts[0])
		return snprintf(text, size, " %s%s", texts[0],
				flag_text(operand, number));
	if (operand == PYTHON_FORWARD || operand == PYTHON_BACKWARD)
		return jump_text(operand, number, at + length, text, size);
	if (operand == PYTHON_OF_FUNCTION)
		return function_text(number, text, size);
	if (of_list && operand == PYTHON_COMPARISON && number & 16)
		return snprintf(text, size, " bool(%s)", of_list);
	if (of_list && *of_list)
		return snprintf(text, size, " %s", of_list);
	return snprintf(text, size, " %" PRIu64, number);
}
