// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program may put anything among the constants of code that it makes itself, so a type is looked
 * at before anything of it is called: of the compiler's own types nothing runs that is the
 * program's.
 *
 * Long constants are cut before they become text, which bounds time and memory.
 */
#include "guides/cpython/constants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add(struct text *text, struct object *value);

static void put_chars(struct text *text, const char *chars)
{
	text_put(text, chars, strlen(chars));
}

/* More would be cut. So values in values end, too: each writes something. */
static bool is_full(const struct text *text)
{
	return text->len > CONSTANT_BYTES;
}

/* The most frequent ones. */
static const char *frequent_text(struct object *value)
{
	return value == py._Py_NoneStruct  ? "None" :
	       value == py._Py_TrueStruct  ? "True" :
	       value == py._Py_FalseStruct ? "False" :
					     NULL;
}

/* ---- plain values -------------------------------------------------------- */

/* What repr() says; the reference is taken over. */
static bool add_repr(struct text *text, struct object *value)
{
	struct object *repr = value ? py.PyObject_Repr(value) : NULL;
	const char *chars = repr ? py.PyUnicode_AsUTF8(repr) : NULL;

	if (chars)
		put_chars(text, chars);
	if (repr)
		py.Py_DecRef(repr);
	if (value)
		py.Py_DecRef(value);
	py.PyErr_Clear();
	return chars;
}

/* Of a longer one the text takes the square of its length, and Python itself may refuse it. */
enum { NUMBER_BYTES = 256 };

static bool add_number(struct text *text, struct object *value)
{
	char chars[32];
	int overflow;
	long number = py.PyLong_AsLongAndOverflow(value, &overflow);

	if (overflow) {
		if (py.PyLong_AsNativeBytes(value, NULL, 0, -1) > NUMBER_BYTES)
			return false;
		py.Py_IncRef(value);
		return add_repr(text, value);
	}
	snprintf(chars, sizeof(chars), "%ld", number);
	put_chars(text, chars);
	return true;
}

/* One character more than is shown, so that it is seen to be cut. */
static bool add_string(struct text *text, struct object *value)
{
	if (py.PyUnicode_GetLength(value) > CONSTANT_BYTES + 1)
		return add_repr(text,
				py.PyUnicode_Substring(value, 0, CONSTANT_BYTES + 1));
	py.Py_IncRef(value);
	return add_repr(text, value);
}

static bool add_bytes(struct text *text, struct object *value)
{
	char *bytes;
	long n;

	if (!py.PyBytes_AsStringAndSize(value, &bytes, &n) && n > CONSTANT_BYTES + 1)
		return add_repr(text,
				py.PyBytes_FromStringAndSize(bytes, CONSTANT_BYTES + 1));
	/* Bytes with a NUL in them are right, too: their number was asked for. */
	py.Py_IncRef(value);
	return add_repr(text, value);
}

static bool add_code(struct text *text, struct object *value)
{
	struct object *name = py.PyObject_GetAttrString(value, "co_name");
	const char *chars = name ? py.PyUnicode_AsUTF8(name) : NULL;

	put_chars(text, "<code object ");
	put_chars(text, chars ? chars : "?");
	put_chars(text, ">");
	if (name)
		py.Py_DecRef(name);
	py.PyErr_Clear();
	return true;
}

/* ---- values of values ---------------------------------------------------- */

static bool add_tuple(struct text *text, struct object *value)
{
	long n = py.PyTuple_Size(value);

	put_chars(text, "(");
	for (long i = 0; i < n && !is_full(text); i++) {
		put_chars(text, i ? ", " : "");
		if (!add(text, py.PyTuple_GetItem(value, i)))
			return false;
	}
	put_chars(text, n == 1 ? ",)" : ")");
	return true;
}

static bool add_set(struct text *text, struct object *value)
{
	struct object *all = py.PyObject_GetIter(value);
	struct object *next = all ? py.PyIter_Next(all) : NULL;
	const char *before = "{", *after = next ? "})" : ")";
	bool good = all;

	put_chars(text, "frozenset(");
	while (next) {
		put_chars(text, before);
		before = ", ";
		good &= add(text, next);
		py.Py_DecRef(next);
		next = good && !is_full(text) ? py.PyIter_Next(all) : NULL;
	}
	put_chars(text, after);
	if (all)
		py.Py_DecRef(all);
	py.PyErr_Clear();
	return good;
}

static bool add_slice(struct text *text, struct object *value)
{
	static const char *const parts[] = { "start", "stop", "step" };
	bool good = true;

	put_chars(text, "slice(");
	for (unsigned i = 0; good && i < 3; i++) {
		struct object *part = py.PyObject_GetAttrString(value, parts[i]);

		put_chars(text, i ? ", " : "");
		good = part && add(text, part);
		if (part)
			py.Py_DecRef(part);
	}
	put_chars(text, ")");
	py.PyErr_Clear();
	return good;
}

/* ---- any ----------------------------------------------------------------- */

static bool add_of_type(struct text *text, struct object *value, struct object *type)
{
	if (type == py.PyLong_Type)
		return add_number(text, value);
	if (type == py.PyUnicode_Type)
		return add_string(text, value);
	if (type == py.PyBytes_Type)
		return add_bytes(text, value);
	if (type == py.PyCode_Type)
		return add_code(text, value);
	if (type == py.PyFloat_Type || type == py.PyComplex_Type ||
	    type == py.PyEllipsis_Type) {
		py.Py_IncRef(value);
		return add_repr(text, value);
	}
	if (type == py.PyTuple_Type)
		return add_tuple(text, value);
	if (type == py.PyFrozenSet_Type)
		return add_set(text, value);
	return type == py.PySlice_Type && add_slice(text, value);
}

static bool add(struct text *text, struct object *value)
{
	const char *frequent = frequent_text(value);
	struct object *type;
	bool good;

	if (is_full(text))
		return true;
	if (frequent) {
		put_chars(text, frequent);
		return true;
	}
	type = py.PyObject_Type(value);
	good = add_of_type(text, value, type);
	py.Py_DecRef(type);
	return good;
}

bool constant_text(struct text *text, struct object *constant)
{
	return constant && add(text, constant);
}
