// SPDX-License-Identifier: GPL-2.0-or-later
/* managed/classes and managed/callees: what calls of hand-made classes may reach. */
#include "managed/callees.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/append.h"

enum { PUBLIC = 1, METHOD_BYTES = 16, NAMES_MOST = 32 };

static struct units units;
static struct callees callees;
static struct buf unit_note, class_note, held[3];
static uint64_t next_start;

/* Of the class that is being told. */
static const char *names[NAMES_MOST];
static uint32_t n_names;

static void put_text(struct buf *out, const char *text)
{
	buf_put_varint(out, strlen(text));
	buf_put(out, text, strlen(text));
}

static uint32_t number_of(const char *name)
{
	assert_true(n_names < NAMES_MOST);
	names[n_names++] = name;
	return n_names;
}

/* ---- classes ------------------------------------------------------------- */

struct method {
	const char *full, *name; /* of one without bytecode its own name alone */
	uint32_t flags;
	uint8_t opcode; /* its first, whose operand is place 1 */
};

struct made_class {
	const char *name, *super, *interface;
	uint32_t flags;
	struct method methods[3];
	const char *place[2]; /* class and method, of place 1; place 0 is none */
};

static void put_unit(const struct method *method)
{
	const uint8_t code[METHOD_BYTES] = { method->opcode, 1, 0 };

	buf_put_varint(&unit_note, next_start);
	buf_put_varint(&unit_note, METHOD_BYTES);
	put_text(&unit_note, method->full);
	put_text(&unit_note, "()V");
	put_text(&unit_note, "");
	buf_put_varint(&unit_note, 0);
	buf_put_varint(&unit_note, 0);
	buf_put(&unit_note, code, sizeof(code));
}

static void put_method(const struct method *method)
{
	buf_put_varint(&class_note, method->flags);
	buf_put_varint(&class_note, method->full ? next_start : 0);
	if (method->full) {
		put_unit(method);
		next_start += METHOD_BYTES;
	} else {
		buf_put_varint(&class_note, number_of(method->name));
		buf_put_varint(&class_note, number_of("()V"));
	}
}

static void put_place(const struct made_class *class)
{
	buf_put_varint(&class_note, class->place[0] ? 2 : 0);
	if (!class->place[0])
		return;
	buf_put_varint(&class_note, 0);
	buf_put_varint(&class_note, number_of(class->place[0]));
	buf_put_varint(&class_note, number_of(class->place[1]));
	buf_put_varint(&class_note, number_of("()V"));
}

static void put_names(void)
{
	buf_put_varint(&class_note, n_names);
	for (uint32_t i = 0; i < n_names; i++) {
		buf_put_varint(&class_note, 1);
		put_text(&class_note, names[i]);
	}
}

static void put_class(const struct made_class *class)
{
	uint32_t n = 0;

	n_names = 0;
	put_text(&class_note, class->name);
	put_text(&class_note, class->super);
	buf_put_varint(&class_note, class->flags);
	buf_put_varint(&class_note, !!class->interface);
	if (class->interface)
		put_text(&class_note, class->interface);
	while (n < 3 && (class->methods[n].full || class->methods[n].name))
		n++;
	buf_put_varint(&class_note, n);
	for (uint32_t i = 0; i < n; i++)
		put_method(&class->methods[i]);
	put_place(class);
	put_names();
}

/*
 * A is abstract and has f and g; B extends A, implements I and has f; C extends B and has
 * nothing; D, which nothing knows of but its class, extends what was not told. I has a default h.
 */
static const struct made_class made[] = {
	{ .name = "java/lang/Object", .super = "" },
	{ .name = "I",
	  .super = "java/lang/Object",
	  .flags = CLASS_INTERFACE | CLASS_ABSTRACT,
	  .methods = { { "I.h", "h", PUBLIC | CLASS_RUNS, 0xb1 } } },
	{ .name = "A",
	  .super = "java/lang/Object",
	  .flags = CLASS_ABSTRACT,
	  .methods = { { "A.f", "f", PUBLIC | CLASS_RUNS, 0xb1 },
		       { "A.g", "g", PUBLIC | CLASS_RUNS, 0xb6 } },
	  .place = { "A", "f" } },
	{ .name = "B",
	  .super = "A",
	  .interface = "I",
	  .methods = { { "B.f", "f", PUBLIC | CLASS_RUNS, 0xb7 } },
	  .place = { "A", "f" } },
	{ .name = "C", .super = "B", .interface = "I" },
	{ .name = "User",
	  .super = "java/lang/Object",
	  .methods = { { "User.h", "h", PUBLIC | CLASS_RUNS, 0xb9 },
		       { NULL, "n", PUBLIC | 0x100 },
		       { "User.s", "s", PUBLIC | CLASS_STATIC, 0xb8 } },
	  .place = { "I", "h" } },
	{ .name = "Native",
	  .super = "java/lang/Object",
	  .methods = { { "Native.f", "f", PUBLIC | CLASS_RUNS, 0xb6 } },
	  .place = { "User", "n" } },
	{ .name = "Away",
	  .super = "java/lang/Object",
	  .methods = { { "Away.f", "f", PUBLIC | CLASS_RUNS, 0xb8 } },
	  .place = { "Nowhere", "f" } },
};

enum { LARGE_METHODS = 3000, LARGE_CLASSES = 200 };

/*
 * The class "Large" has LARGE_METHODS native methods before its method "f". LARGE_CLASSES classes
 * extend it and have no "f". One of its calls is of "f" of any object, the next of its own "f".
 */
static void put_large(void)
{
	const struct made_class large = { .name = "Large", .place = { "Large", "f" } };
	const struct method calls[] = { { "Large.v", "v", PUBLIC | CLASS_RUNS, 0xb6 },
					{ "Large.s", "s", PUBLIC | CLASS_RUNS, 0xb8 },
					{ "Large.f", "f", PUBLIC | CLASS_RUNS, 0xb1 } };

	n_names = 0;
	put_text(&class_note, large.name);
	put_text(&class_note, "java/lang/Object");
	buf_put_varint(&class_note, 0);
	buf_put_varint(&class_note, 0);
	buf_put_varint(&class_note, LARGE_METHODS + 3);
	number_of("other");
	number_of("()V");
	for (unsigned i = 0; i < LARGE_METHODS; i++) {
		buf_put_varint(&class_note, PUBLIC);
		buf_put_varint(&class_note, 0);
		buf_put_varint(&class_note, 1);
		buf_put_varint(&class_note, 2);
	}
	for (unsigned i = 0; i < 3; i++)
		put_method(&calls[i]);
	put_place(&large);
	put_names();
}

static void put_small(unsigned number)
{
	char name[16];
	const struct made_class small = { .name = name, .super = "Large" };

	snprintf(name, sizeof(name), "Small%u", number);
	put_class(&small);
}

static void take_note(uint32_t index, uint32_t kind, struct buf *data)
{
	held[index - 1] = *data;
	units.notes.notes[index] = (struct trace_note){ .kind = kind,
							.data = data->data,
							.bytes = data->len };
	*data = BUF_INIT;
}

static int set_up(void **state)
{
	static const uint8_t runtime[] = "\7hotspot\0\0";
	struct wm_error err;

	(void)state;
	next_start = 0x1000;
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		put_class(&made[i]);
	units.notes.left = UINT64_MAX;
	units.notes.notes = calloc(4, sizeof(*units.notes.notes));
	assert_non_null(units.notes.notes);
	units.notes.n = 4;
	units.notes.notes[0] = (struct trace_note){ .kind = NOTE_RUNTIME,
						    .data = runtime,
						    .bytes = sizeof(runtime) - 1 };
	take_note(2, NOTE_CLASS, &class_note);
	put_large();
	for (unsigned i = 0; i < LARGE_CLASSES; i++)
		put_small(i);
	take_note(3, NOTE_CLASS, &class_note);
	take_note(1, NOTE_UNIT, &unit_note);
	assert_int_equal(units_take(&units, &err), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	units_fini(&units);
	buf_fini(&held[0]);
	buf_fini(&held[1]);
	buf_fini(&held[2]);
	return 0;
}

/* ---- tests --------------------------------------------------------------- */

static const struct unit *unit_named(const char *name)
{
	for (size_t i = 0; i < units.n; i++)
		if (!strcmp(units.all[i].name, name))
			return &units.all[i];
	fail_msg("no unit %s", name);
	return NULL;
}

/* The call that a method begins with reaches those, up to NULL, or others as well. */
static void expect(const char *from, bool others, const char *const *to)
{
	struct callee_set set;
	size_t n = 0;

	assert_true(callees_find(&callees, unit_named(from), 0, &set));
	for (; to[n]; n++) {
		size_t i = 0;

		while (i < set.n && set.units[i] != unit_named(to[n]))
			i++;
		assert_true(i < set.n);
	}
	assert_int_equal(set.n, n);
	assert_int_equal(set.others, others);
}

#define TO(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NOBODY ((const char *const[]){ NULL })

static void test_calls(void **state)
{
	struct wm_error err;

	(void)state;
	assert_int_equal(callees_read(&callees, &units, &err), 0);
	/* A's objects are B's and C's, which have B's. */
	expect("A.g", false, TO("B.f"));
	/* "super.f()" is A's alone. */
	expect("B.f", false, TO("A.f"));
	/* A default of an interface, and asked again. */
	expect("User.h", false, TO("I.h"));
	expect("User.h", false, TO("I.h"));
	/* An interface's own, a native one, one of a class that nobody told of. */
	expect("User.s", false, TO("I.h"));
	expect("Native.f", true, NOBODY);
	expect("Away.f", true, NOBODY);
	/* What is no call. */
	expect("A.f", true, NOBODY);
	callees_fini(&callees);
}

/* ---- how long it takes ------------------------------------------------------------------ */

/* What is looked at is counted, and once it is too much nothing is looked at any more. */
static void test_work(void **state)
{
	struct wm_error err;
	uint64_t first;

	(void)state;
	assert_int_equal(callees_read(&callees, &units, &err), 0);
	expect("Large.v", false, TO("Large.f"));
	first = callees.work;
	assert_true(first >= (uint64_t)LARGE_METHODS * (LARGE_CLASSES + 1));
	callees.work = UINT32_MAX;
	expect("Large.s", true, NOBODY);
	assert_int_equal(callees.work, UINT32_MAX);
	callees_fini(&callees);
}

/* Each prefix of a note is an error or less, and never more than there is. */
static void test_cut(void **state)
{
	uint64_t whole = units.notes.notes[2].bytes;
	struct classes classes;
	struct wm_error err;

	(void)state;
	for (uint64_t bytes = 0; bytes < whole; bytes++) {
		int ret;

		units.notes.notes[2].bytes = bytes;
		ret = classes_read(&classes, &units, &err);
		assert_true(!ret || ret == WM_E_DAMAGED);
		assert_true(classes.n < sizeof(made) / sizeof(*made) + 1 + LARGE_CLASSES);
		classes_fini(&classes);
	}
	units.notes.notes[2].bytes = whole;
}

/* A byte of such a note is a site in memory: no more than the file may need of that. */
static void test_bounded(void **state)
{
	static const uint8_t zeros[1000];
	struct trace_note note = { .kind = NOTE_SITES,
				   .data = zeros,
				   .bytes = sizeof(zeros) };
	const size_t need = sizeof(zeros) * sizeof(struct unit_site);
	struct wm_error err;

	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct units of = { .notes = { .notes = &note, .n = 1 } };

		of.notes.left = need - 1 + more;
		assert_int_equal(units_take(&of, &err), more ? 0 : WM_E_DAMAGED);
		of.notes = (struct notes_trace){ .n = 0 };
		units_fini(&of);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
