// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A note has all names of a code object, but only the constants that its bytecode uses. No bytecode
 * uses the documentation of a function, for example.
 *
 * The names of variables are one tuple in the order of the operands, which no attribute leads to:
 * those that CPython has for it make new tuples, which its collector of garbage would count. It
 * lies before the kinds of the variables and the file's name, which is an attribute and so
 * is found in the code object.
 *
 * Example: "return n + 1000" has the variable 0 "n" and the constant 1 "1000".
 */
#include "guides/cpython/operands.h"

#include <stdlib.h>
#include <string.h>

#include "guides/cpython/constants.h"
#include "isa/python_operands.h"

enum { NAME_BYTES = 120 };

/* ---- tables -------------------------------------------------------------- */

/* Entries of a table, one after the other. */
struct table {
	struct text text;
	uint64_t n;
	long last;
};

/* The number of an entry, less that of the one before. */
static void begin_entry(struct table *table, long number)
{
	text_put_varint(&table->text, (uint64_t)(number - table->last));
	table->last = number;
	table->n++;
}

/* The table's memory is the next one's. */
static void put_table(struct text *text, enum python_table number, struct table *table)
{
	text_put_varint(text, number);
	text_put_varint(text, table->n);
	text_put(text, table->text.data, table->text.len);
	table->text.len = 0;
	table->n = 0;
	table->last = 0;
}

/* Those of a tuple. */
static void add_names(struct table *table, struct object *names)
{
	long n = names ? py.PyTuple_Size(names) : 0;

	for (long i = 0; i < n; i++) {
		const char *name = py.PyUnicode_AsUTF8(py.PyTuple_GetItem(names, i));

		if (!name) {
			py.PyErr_Clear();
			continue;
		}
		begin_entry(table, i);
		text_put_cut(&table->text, name, strlen(name), NAME_BYTES);
	}
}

static void find_constant_opcodes(struct operands *operands)
{
	for (unsigned i = 0; i < 256; i++)
		operands->is_constant[i] = python_operand(operands->python, (uint8_t)i) ==
					   PYTHON_CONSTANT;
}

/*
 * Marks the constants that the bytecode uses. Caches between the instructions are zeros here, and 0
 * is no opcode.
 */
static void mark_used(const struct operands *operands, const uint8_t *bytecode,
		      size_t size, uint8_t *used, long n)
{
	for (size_t at = 0; at + 1 < size; at += 2) {
		struct python_entry entries[2];

		if (operands->is_constant[bytecode[at]] &&
		    python_entries(operands->python, bytecode, size, at, entries) &&
		    entries[0].number < n)
			used[entries[0].number] = 1;
	}
}

static void add_constants(const struct operands *operands, struct table *table,
			  struct object *constants, const uint8_t *bytecode, size_t size)
{
	long n = constants ? py.PyTuple_Size(constants) : 0;
	uint8_t *used = n > 0 ? calloc((size_t)n, 1) : NULL;
	struct text constant = { 0 };

	if (used)
		mark_used(operands, bytecode, size, used, n);
	for (long i = 0; used && i < n; i++) {
		constant.len = 0;
		if (!used[i] ||
		    !constant_text(&constant, py.PyTuple_GetItem(constants, i)))
			continue;
		begin_entry(table, i);
		text_put_cut(&table->text, constant.data, constant.len, CONSTANT_BYTES);
	}
	free(constant.data);
	free(used);
}

/* ---- variables ----------------------------------------------------------- */

static struct object *object_at(struct object *code, long offset)
{
	struct object *object;

	memcpy(&object, (const char *)code + offset, sizeof(object));
	return object;
}

/* Whether two pointers there are the names of variables and, as bytes, their kinds. */
static bool are_variables(struct object *code, long offset)
{
	struct object *names = object_at(code, offset);
	struct object *kinds = object_at(code, offset + (long)sizeof(void *));
	char *bytes;
	long n;

	return names && kinds && is_of(names, py.PyTuple_Type) &&
	       is_of(kinds, py.PyBytes_Type) &&
	       !py.PyBytes_AsStringAndSize(kinds, &bytes, &n) &&
	       n == py.PyTuple_Size(names);
}

static void find_variables(struct operands *operands, struct object *code)
{
	struct object *file = py.PyObject_GetAttrString(code, "co_filename");
	long step = sizeof(void *), at = 4 * step;

	operands->variables = -1;
	while (at + step <= operands->code_bytes && object_at(code, at) != file)
		at += step;
	if (file && at + step <= operands->code_bytes &&
	    are_variables(code, at - 2 * step))
		operands->variables = at - 2 * step;
	if (file)
		py.Py_DecRef(file);
	py.PyErr_Clear();
}

/* ---- a code object ------------------------------------------------------- */

static struct object *get_tuple(struct object *code, const char *name)
{
	struct object *tuple = py.PyObject_GetAttrString(code, name);

	if (!tuple)
		py.PyErr_Clear();
	return tuple;
}

void put_operands(struct operands *operands, struct text *text, struct object *code,
		  uint64_t start, const uint8_t *bytecode, size_t size)
{
	struct object *constants = get_tuple(code, "co_consts");
	struct object *names = get_tuple(code, "co_names");
	struct table table = { 0 };

	if (!operands->variables) {
		find_constant_opcodes(operands);
		find_variables(operands, code);
	}
	text_put_varint(text, start);
	text_put_varint(text, 0);
	text_put_varint(text, 3);
	add_constants(operands, &table, constants, bytecode, size);
	put_table(text, PYTHON_CONSTANTS, &table);
	add_names(&table, names);
	put_table(text, PYTHON_NAMES, &table);
	if (operands->variables > 0)
		add_names(&table, object_at(code, operands->variables));
	put_table(text, PYTHON_LOCALS, &table);
	free(table.text.data);
	if (constants)
		py.Py_DecRef(constants);
	if (names)
		py.Py_DecRef(names);
}
