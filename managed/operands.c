// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notes are a traced program's words: what is malformed is an error of the file, and tables are
 * bounded by the bytes that they were read from. Texts stay where they are, in the notes.
 *
 * Example: unit "fib" has the names 0 "fib" and the variables 0 "n": its "LOAD_GLOBAL 1" is
 * "LOAD_GLOBAL fib + NULL", and "LOAD_FAST 0" is "LOAD_FAST n".
 */
#include "managed/operands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "isa/jvm.h"
#include "isa/python_operands.h"

_Static_assert((int)PYTHON_CONSTANTS == NOTE_CONSTANTS &&
		       (int)PYTHON_NAMES == NOTE_NAMES &&
		       (int)PYTHON_LOCALS == NOTE_VARIABLES,
	       "tables of code objects have the numbers of notes");

enum { TEXT_MOST = 256 };

struct reading {
	struct operands *operands;
	struct span span;
	uint32_t space, note;
	bool good; /* there is memory */
};

static bool is_on(const struct reading *reading)
{
	return reading->good && !reading->span.failed;
}

/* ---- reading ------------------------------------------------------------- */

/* The unit that the next set is of, or all of its note, if it was told. */
static void get_unit(struct reading *reading)
{
	struct operands *operands = reading->operands;
	uint64_t start = span_varint(&reading->span), all = span_varint(&reading->span);
	const struct unit *unit =
		units_find(operands->units, reading->space, start, reading->note);

	reading->span.failed |= all > 1;
	if (!unit || unit->start != start)
		return;
	*(all ? &operands->of_note[unit->note] :
		&operands->of_unit[unit - operands->units->all]) =
		(uint32_t)operands->n_sets + 1;
}

static uint32_t get_u32(struct span *span)
{
	uint64_t value = span_varint(span);

	span->failed |= value > UINT32_MAX;
	return (uint32_t)value;
}

static void get_table(struct reading *reading)
{
	struct operands *operands = reading->operands;
	uint32_t table = get_u32(&reading->span);
	uint32_t n = span_count(&reading->span, UINT32_MAX, 2);
	uint64_t number = 0;

	for (uint32_t i = 0; i < n && is_on(reading); i++) {
		struct operand_name name = { .table = table };
		size_t bytes;

		number += get_u32(&reading->span);
		reading->span.failed |= number > UINT32_MAX;
		name.number = (uint32_t)number;
		name.text = (const char *)note_string(&reading->span, &bytes);
		name.bytes = (uint32_t)bytes;
		reading->good = APPEND(operands->names, operands->n_names, name);
	}
}

static int by_number(const void *one, const void *other)
{
	const struct operand_name *a = one, *b = other;

	if (a->table != b->table)
		return a->table < b->table ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void get_set(struct reading *reading)
{
	struct operands *operands = reading->operands;
	struct operand_set set = { .first = operands->n_names };
	uint32_t tables;

	get_unit(reading);
	tables = span_count(&reading->span, UINT32_MAX, 2);
	for (uint32_t i = 0; i < tables && is_on(reading); i++)
		get_table(reading);
	set.n = operands->n_names - set.first;
	if (set.n)
		qsort(operands->names + set.first, set.n, sizeof(*operands->names),
		      by_number);
	reading->good = reading->good && APPEND(operands->sets, operands->n_sets, set);
}

int operands_read(struct operands *operands, const struct units *units,
		  struct wm_error *err)
{
	struct reading reading = { .operands = operands };

	*operands = (struct operands){ .units = units };
	operands->of_unit = calloc(units->n + 1, sizeof(*operands->of_unit));
	operands->of_note = calloc(units->notes.n + 1, sizeof(*operands->of_note));
	reading.good = operands->of_unit && operands->of_note;
	for (uint32_t i = 0; i < units->notes.n && is_on(&reading); i++) {
		const struct trace_note *note = &units->notes.notes[i];

		if (note->kind != NOTE_OPERANDS)
			continue;
		reading.span = span_of(note->data, note->bytes);
		reading.space = note->space;
		reading.note = i;
		while (is_on(&reading) && span_left(&reading.span))
			get_set(&reading);
	}
	if (!reading.good)
		return wm_fail_nomem(err, "operands");
	if (reading.span.failed)
		return wm_fail(err, WM_E_DAMAGED, 0,
			       "a note about operands is malformed");
	return 0;
}

void operands_fini(struct operands *operands)
{
	free(operands->names);
	free(operands->sets);
	free(operands->of_unit);
	free(operands->of_note);
	*operands = (struct operands){ .units = NULL };
}

/* ---- questions ----------------------------------------------------------- */

const struct operand_name *operands_find(const struct operands *operands,
					 const struct unit *unit, uint32_t table,
					 uint32_t number)
{
	uint32_t own = operands->of_unit[unit - operands->units->all];
	uint32_t index = own ? own : operands->of_note[unit->note];
	const struct operand_set *set = index ? &operands->sets[index - 1] : NULL;
	size_t n = set ? set->n : 0;
	const struct operand_name *names = n ? operands->names + set->first : NULL;
	size_t i = BISECT(n, k,
			  names[k].table < table ||
				  (names[k].table == table && names[k].number < number));

	return i < n && names[i].table == table && names[i].number == number ? &names[i] :
									       NULL;
}

/* ---- text ---------------------------------------------------------------- */

/* Copies the text of an entry; NULL: it is not known. */
static const char *entry_text(const struct operands *operands, const struct unit *unit,
			      uint32_t table, uint32_t number, char text[TEXT_MOST])
{
	const struct operand_name *name = operands_find(operands, unit, table, number);

	if (!name)
		return NULL;
	snprintf(text, TEXT_MOST, "%.*s", (int)name->bytes, name->text);
	return text;
}

static void put_python(const struct operands *operands, const struct unit *unit,
		       uint32_t offset, char *end, size_t size)
{
	char copies[2][TEXT_MOST];
	const char *texts[2] = { NULL, NULL };
	struct python_entry entries[2];
	unsigned n = unit_length(unit, offset) ?
			     python_entries(unit->python, unit->code, unit->bytes, offset,
					    entries) :
			     0;

	for (unsigned i = 0; i < n; i++)
		texts[i] = entry_text(operands, unit, entries[i].table, entries[i].number,
				      copies[i]);
	python_operand_text(unit->python, unit->code, unit->bytes, offset, texts, end,
			    size);
}

static void put_java(const struct operands *operands, const struct unit *unit,
		     uint32_t offset, char *end, size_t size)
{
	enum { MULTIANEWARRAY = 197 };
	const uint8_t *code = unit->code + offset;
	char copy[TEXT_MOST];
	const char *constant = NULL;
	uint32_t index;

	if (jvm_constant(unit->code, unit->bytes, offset, &index))
		constant = entry_text(operands, unit, NOTE_CONSTANTS, index, copy);
	if (!constant)
		jvm_operands(unit->code, unit->bytes, offset, unit_length(unit, offset),
			     end, size);
	else if (*code == MULTIANEWARRAY)
		snprintf(end, size, " %s %u", constant, code[3]);
	else
		snprintf(end, size, " %s", constant);
}

void operands_text(const struct operands *operands, const struct unit *unit,
		   uint32_t offset, char *text, size_t size)
{
	const char *name = unit_opcode(unit, offset);
	int n = name ? snprintf(text, size, "%s", name) :
		       snprintf(text, size, "%u", unit->code[offset]);

	if (n < 0 || (size_t)n >= size)
		return;
	if (unit->language == UNIT_JAVA)
		put_java(operands, unit, offset, text + n, size - (size_t)n);
	else if (unit->python)
		put_python(operands, unit, offset, text + n, size - (size_t)n);
}
