// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notes are a traced program's words: what is malformed is an error of the file, and every
 * table is bounded by the bytes that it was read from. While the tables grow, what lies in
 * them is known by its index, kept in the pointers' place.
 *
 * A name becomes a number, the same for the same text, so nobody compares texts.
 *
 * Example: class "B" extends "A" and has "f" "()V", whose bytecode starts where a unit does.
 * Its code has "invokevirtual 3"; place 3 is "A", "f", "()V".
 */
#include "managed/classes.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "isa/jvm.h"

enum { OP_INVOKEDYNAMIC = 186 };

struct reading {
	struct classes *classes;
	struct span span;
	uint32_t space, note;
	uint32_t *numbers; /* [UINT16_MAX + 1] names by their numbers in the class */
	uint32_t *told;	   /* [n_told] the numbers that it has told */
	size_t n_told;
	size_t methods, places; /* where those of the class begin */
	bool good;		/* there is memory */
};

static const void *at_index(size_t index)
{
	return (const void *)(uintptr_t)index;
}

static size_t index_of(const void *pointer)
{
	return (uintptr_t)pointer;
}

static uint32_t name_of(struct classes *classes, const void *text, size_t bytes)
{
	bool fresh;

	return bytes ? intern(&classes->names, 0, text, (uint32_t)bytes, &fresh) : 0;
}

static uint32_t get_name(struct reading *reading)
{
	uint64_t bytes = span_varint(&reading->span);
	const uint8_t *text;
	uint32_t name;

	reading->span.failed |= bytes > span_left(&reading->span);
	text = reading->span.failed ? NULL : span_bytes(&reading->span, bytes);
	name = text ? name_of(reading->classes, text, bytes) : 0;
	reading->good &= !text || !bytes || name;
	return name;
}

static uint32_t get_u32(struct span *span)
{
	uint64_t value = span_varint(span);

	span->failed |= value > UINT32_MAX;
	return (uint32_t)value;
}

static uint32_t get_number(struct span *span)
{
	uint64_t value = span_varint(span);

	span->failed |= value > UINT16_MAX;
	return (uint16_t)value;
}

/* ---- a class ------------------------------------------------------------- */

static bool is_on(const struct reading *reading)
{
	return reading->good && !reading->span.failed;
}

static void get_interfaces(struct reading *reading, struct class *class)
{
	struct classes *classes = reading->classes;

	class->n_interfaces = span_count(&reading->span, UINT32_MAX, 1);
	class->interfaces = at_index(classes->n_interfaces);
	for (uint32_t i = 0; i < class->n_interfaces && is_on(reading); i++) {
		uint32_t name = get_name(reading);

		reading->good &= APPEND(classes->interfaces, classes->n_interfaces, name);
	}
}

/* The unit that starts there, told before the note. */
static const struct unit *unit_of(const struct reading *reading, uint64_t start)
{
	const struct unit *unit =
		units_find(reading->classes->units, reading->space, start, reading->note);

	return unit && unit->start == start ? unit : NULL;
}

static void get_methods(struct reading *reading, struct class *class)
{
	struct classes *classes = reading->classes;

	class->n_methods = span_count(&reading->span, UINT32_MAX, 2);
	class->methods = at_index(classes->n_methods);
	for (uint32_t i = 0; i < class->n_methods && is_on(reading); i++) {
		struct class_method method = { .flags = get_u32(&reading->span) };
		uint64_t start = span_varint(&reading->span);

		if (start) {
			method.unit = unit_of(reading, start);
		} else {
			method.name = get_number(&reading->span);
			method.type = get_number(&reading->span);
		}
		reading->good &= APPEND(classes->methods, classes->n_methods, method);
	}
}

static void get_places(struct reading *reading, struct class *class)
{
	struct classes *classes = reading->classes;

	class->n_places = span_count(&reading->span, UINT32_MAX, 1);
	class->places = at_index(classes->n_places);
	for (uint32_t i = 0; i < class->n_places && is_on(reading); i++) {
		struct class_place place = { .class = get_number(&reading->span) };

		if (place.class) {
			place.name = get_number(&reading->span);
			place.type = get_number(&reading->span);
		}
		reading->good &= APPEND(classes->places, classes->n_places, place);
	}
}

/* Names of the class, by their numbers. */
static void get_names(struct reading *reading)
{
	uint32_t n = span_count(&reading->span, UINT32_MAX, 2), number = 0;

	for (uint32_t i = 0; i < n && is_on(reading); i++) {
		number += get_number(&reading->span);
		reading->span.failed |= number > UINT16_MAX;
		if (!is_on(reading))
			return;
		reading->numbers[number] = get_name(reading);
		reading->good &= APPEND(reading->told, reading->n_told, number);
	}
}

/* The next class has others. */
static void forget_names(struct reading *reading)
{
	for (size_t i = 0; i < reading->n_told; i++)
		reading->numbers[reading->told[i]] = 0;
	reading->n_told = 0;
}

/* The method's own name and type, of those of its unit: "a.B.f", "()V". */
static void name_method(struct reading *reading, struct class_method *method)
{
	const char *name, *dot;

	if (!method->unit) {
		method->name = reading->numbers[method->name];
		method->type = reading->numbers[method->type];
		return;
	}
	name = method->unit->name;
	dot = strrchr(name, '.');
	name = dot ? dot + 1 : name;
	method->name = name_of(reading->classes, name, strlen(name));
	method->type = name_of(reading->classes, method->unit->detail,
			       strlen(method->unit->detail));
}

static void settle_class(struct reading *reading)
{
	struct classes *classes = reading->classes;

	for (size_t i = reading->methods; i < classes->n_methods; i++)
		name_method(reading, &classes->methods[i]);
	for (size_t i = reading->places; i < classes->n_places; i++) {
		struct class_place *place = &classes->places[i];

		place->class = reading->numbers[place->class];
		place->name = reading->numbers[place->name];
		place->type = reading->numbers[place->type];
	}
}

static void get_class(struct reading *reading)
{
	struct classes *classes = reading->classes;
	struct class class = { .space = reading->space };

	reading->methods = classes->n_methods;
	reading->places = classes->n_places;
	class.name = get_name(reading);
	class.super = get_name(reading);
	class.flags = get_u32(&reading->span);
	get_interfaces(reading, &class);
	get_methods(reading, &class);
	get_places(reading, &class);
	get_names(reading);
	if (!is_on(reading))
		return;
	settle_class(reading);
	forget_names(reading);
	reading->good = APPEND(classes->all, classes->n, class);
}

/* ---- all of them --------------------------------------------------------- */

static int by_name(const void *one, const void *other)
{
	const struct class *a = one, *b = other;

	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

static void settle_methods(struct classes *classes, uint32_t number)
{
	struct class *class = &classes->all[number];

	for (uint32_t k = 0; k < class->n_methods; k++) {
		const struct class_method *method = &class->methods[k];
		size_t unit;

		if (!method->unit)
			continue;
		unit = (size_t)(method->unit - classes->units->all);
		classes->of_unit[unit] = number + 1;
		classes->method_of[unit] = (uint32_t)(method - classes->methods);
		if (method->name == classes->initializer)
			class->initializer = method->unit;
	}
}

/* The tables do not move any more. */
static void settle(struct classes *classes)
{
	if (classes->n)
		qsort(classes->all, classes->n, sizeof(*classes->all), by_name);
	for (size_t i = 0; i < classes->n; i++) {
		struct class *class = &classes->all[i];

		if (class->n_interfaces)
			class->interfaces =
				&classes->interfaces[index_of(class->interfaces)];
		if (class->n_methods)
			class->methods = &classes->methods[index_of(class->methods)];
		if (class->n_places)
			class->places = &classes->places[index_of(class->places)];
		settle_methods(classes, (uint32_t)i);
	}
}

static uint32_t known_name(struct classes *classes, const char *text)
{
	return name_of(classes, text, strlen(text));
}

static bool init(struct classes *classes)
{
	classes->of_unit = calloc(classes->units->n + 1, sizeof(*classes->of_unit));
	classes->method_of = calloc(classes->units->n + 1, sizeof(*classes->method_of));
	classes->initializer = known_name(classes, "<clinit>");
	classes->object = known_name(classes, "java/lang/Object");
	classes->init = known_name(classes, "<init>");
	classes->finalize = known_name(classes, "finalize");
	classes->returns = known_name(classes, "()V");
	return classes->of_unit && classes->method_of && classes->initializer &&
	       classes->object && classes->init && classes->finalize && classes->returns;
}

int classes_read(struct classes *classes, const struct units *units, struct wm_error *err)
{
	struct reading reading = { .classes = classes };

	*classes = (struct classes){ .units = units, .names = INTERNER_INIT };
	reading.numbers = calloc(UINT16_MAX + 1, sizeof(*reading.numbers));
	reading.good = reading.numbers && init(classes);
	for (uint32_t i = 0; i < units->notes.n && is_on(&reading); i++) {
		const struct trace_note *note = &units->notes.notes[i];

		if (note->kind != NOTE_CLASS)
			continue;
		reading.span = span_of(note->data, note->bytes);
		reading.space = note->space;
		reading.note = i;
		while (is_on(&reading) && span_left(&reading.span))
			get_class(&reading);
	}
	free(reading.numbers);
	free(reading.told);
	if (!reading.good)
		return wm_fail_nomem(err, "classes");
	if (reading.span.failed)
		return wm_fail(err, WM_E_DAMAGED, 0, "a note about classes is malformed");
	settle(classes);
	return 0;
}

void classes_fini(struct classes *classes)
{
	free(classes->all);
	free(classes->methods);
	free(classes->places);
	free(classes->interfaces);
	free(classes->of_unit);
	free(classes->method_of);
	interner_fini(&classes->names);
	*classes = (struct classes){ .n = 0 };
}

/* ---- questions ----------------------------------------------------------- */

const struct class *classes_of(const struct classes *classes, const struct unit *unit)
{
	uint32_t index = classes->of_unit[unit - classes->units->all];

	return index ? &classes->all[index - 1] : NULL;
}

const struct class *classes_named(const struct classes *classes, uint32_t space,
				  uint32_t name, size_t *n)
{
	const struct class *all = classes->all;
	size_t i = BISECT(classes->n, k,
			  all[k].space < space ||
				  (all[k].space == space && all[k].name < name));

	for (*n = 0; i + *n < classes->n && all[i + *n].space == space &&
		     all[i + *n].name == name;)
		++*n;
	return *n ? all + i : NULL;
}

const struct class_method *class_method(const struct class *class, uint32_t name,
					uint32_t type)
{
	for (uint32_t i = 0; i < class->n_methods; i++)
		if (class->methods[i].name == name && class->methods[i].type == type)
			return &class->methods[i];
	return NULL;
}

const struct class_method *classes_method(const struct classes *classes,
					  const struct unit *unit)
{
	size_t index = (size_t)(unit - classes->units->all);

	return classes->of_unit[index] ? &classes->methods[classes->method_of[index]] :
					 NULL;
}

const struct class_place *classes_call(const struct classes *classes,
				       const struct unit *unit, uint32_t offset)
{
	const struct class *class = classes_of(classes, unit);
	const uint8_t *code = unit->code + offset;
	uint32_t index;

	if (!class || jvm_kind(code[0]) != JVM_CALL || code[0] == OP_INVOKEDYNAMIC ||
	    !jvm_length(unit->code, unit->bytes, offset))
		return NULL;
	index = (uint32_t)(code[1] | code[2] << 8);
	return index < class->n_places && class->places[index].class ?
		       &class->places[index] :
		       NULL;
}

static bool is_text(const struct classes *classes, uint32_t name, const char *text,
		    bool whole)
{
	size_t length = strlen(text);
	uint64_t unused;
	uint32_t bytes;
	const uint8_t *is = name ? intern_code(&classes->names, name, &unused, &bytes) :
				   NULL;

	return is && (whole ? bytes == length : bytes >= length) &&
	       !memcmp(is, text, length);
}

bool classes_is(const struct classes *classes, uint32_t name, const char *text)
{
	return is_text(classes, name, text, true);
}

bool classes_begins(const struct classes *classes, uint32_t name, const char *text)
{
	return is_text(classes, name, text, false);
}

bool classes_finalize(const struct classes *classes)
{
	for (size_t i = 0; i < classes->n; i++) {
		const struct class *class = &classes->all[i];
		const struct class_method *method =
			class->name == classes->object ?
				NULL :
				class_method(class, classes->finalize, classes->returns);

		/* HotSpot does not call one that has nothing but its end. */
		if (method && (!method->unit || method->unit->bytes > 1))
			return true;
	}
	return false;
}
