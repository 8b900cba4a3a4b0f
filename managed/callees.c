// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A call names a class, a method and a type. The method is looked for in the class and those
 * that it extends. If it depends on the object which method runs, it is looked for in the
 * same way in each class that an object may be of: those of the run that extend or implement
 * the named one. All that may run is among what is found; some of it may never do.
 *
 * Where something is not known, as a class that nobody told of, a native method, or one that
 * the interpreter has code of its own for, there may be others.
 *
 * Example: "invokevirtual A.f()V"; B extends A and has f, C extends B and has none: A.f, B.f.
 */
#include "managed/callees.h"

#include <stdlib.h>

#include "base/append.h"
#include "isa/jvm.h"

enum { OP_VIRTUAL = 182, OP_SPECIAL = 183, OP_STATIC = 184, OP_INTERFACE = 185 };

/* Chains of superclasses that are longer are malformed, or circles. */
enum { CHAIN_MOST = 256 };

/* Steps that all answers take, some seconds: later ones say that there may be others. */
#define WORK_MOST (1u << 30)

struct question {
	struct callees *callees;
	struct callees_of *answer;
	uint32_t space;
	struct class_place place;
	bool failed;
};

/* ---- the hierarchy ------------------------------------------------------- */

/* Whether answers have taken all the steps that there are. */
static bool is_exhausted(const struct callees *callees)
{
	return callees->work >= WORK_MOST;
}

/* classes_named(), which passes over all of them. */
static const struct class *named(struct callees *callees, uint32_t space, uint32_t name,
				 size_t *n)
{
	const struct class *all = classes_named(&callees->classes, space, name, n);

	callees->work += *n + 1;
	return all;
}

/* The class that this one extends, if there is one of the name. */
static const struct class *super_of(struct callees *callees, const struct class *class)
{
	size_t n;
	const struct class *super =
		class->super ? named(callees, class->space, class->super, &n) : NULL;

	return super && n == 1 ? super : NULL;
}

static bool implements(const struct class *class, uint32_t name)
{
	for (uint32_t i = 0; i < class->n_interfaces; i++)
		if (class->interfaces[i] == name)
			return true;
	return false;
}

/*
 * Whether objects of the class are of the named one. Where a superclass is not known, it may
 * be.
 */
static bool is_a(struct callees *callees, const struct class *class, uint32_t name)
{
	callees->work += class->n_interfaces + 1;
	if (class->name == name || implements(class, name))
		return true;
	for (unsigned i = 0; i < CHAIN_MOST; i++) {
		if (class->super == name)
			return true;
		if (!class->super)
			return false;
		class = super_of(callees, class);
		if (!class)
			return true;
	}
	return true;
}

/* ---- methods ------------------------------------------------------------- */

/* class_method(), which is what takes the time. */
static const struct class_method *look_up(const struct question *question,
					  const struct class *class)
{
	question->callees->work += class->n_methods + 1;
	return class_method(class, question->place.name, question->place.type);
}

static void add(struct question *question, const struct class_method *method)
{
	struct callees *callees = question->callees;
	struct callees_of *answer = question->answer;

	/* What is abstract cannot run. */
	if (method->flags & CLASS_ABSTRACT)
		return;
	if (!method->unit || !(method->flags & CLASS_RUNS)) {
		answer->others = true;
		return;
	}
	callees->work += callees->n_units - answer->first;
	for (size_t i = answer->first; i < callees->n_units; i++)
		if (callees->units[i] == method->unit)
			return;
	question->failed |= !APPEND(callees->units, callees->n_units, method->unit);
}

/* Adds what the interfaces of a class have of that name; false: none has. */
static bool add_inherited(struct question *question, const struct class *class)
{
	bool found = false;

	for (uint32_t i = 0; i < class->n_interfaces && !is_exhausted(question->callees);
	     i++) {
		size_t n;
		const struct class *all =
			named(question->callees, class->space, class->interfaces[i], &n);

		question->answer->others |= !all;
		for (size_t k = 0; all && k < n; k++) {
			const struct class_method *method = look_up(question, &all[k]);

			if (!method)
				continue;
			found = true;
			add(question, method);
		}
	}
	return found;
}

/*
 * Adds the method that a class has or inherits; `skip`: flags of those that are passed over.
 * Returns it if it is no interface's.
 */
static const struct class_method *select_in(struct question *question,
					    const struct class *class, uint32_t skip)
{
	const struct class *at = class;

	for (unsigned i = 0; i < CHAIN_MOST && at; i++) {
		const struct class_method *method = look_up(question, at);

		if (method && !(method->flags & skip)) {
			add(question, method);
			return method;
		}
		if (!at->super) {
			if (!add_inherited(question, class))
				question->answer->others = true;
			return NULL;
		}
		at = super_of(question->callees, at);
	}
	question->answer->others = true;
	return NULL;
}

/* ---- kinds of calls ------------------------------------------------------ */

/* A call of what the class itself has or inherits. */
static void ask_named(struct question *question, uint32_t class)
{
	size_t n;
	const struct class *all = named(question->callees, question->space, class, &n);

	question->answer->others |= !all;
	for (size_t i = 0; all && i < n && !is_exhausted(question->callees); i++)
		select_in(question, &all[i], 0);
}

/* "super.f()" begins at what the class of the code extends; a constructor's call does not. */
static void ask_special(struct question *question, const struct class *from)
{
	const struct classes *classes = &question->callees->classes;
	uint32_t class = question->place.class;
	size_t n;
	const struct class *told = named(question->callees, question->space, class, &n);

	if (question->place.name != classes->init && class != from->name && told &&
	    !(told->flags & CLASS_INTERFACE))
		class = from->super;
	ask_named(question, class);
}

/* Flags of a method that none of another class stands for. */
enum { VISIBLE = 0x1 | 0x4 };

/* What the named class itself has for it: NULL when there are several, or it is not known. */
static const struct class_method *resolve(const struct question *question)
{
	size_t n;
	const struct class *class =
		named(question->callees, question->space, question->place.class, &n);

	for (unsigned i = 0; class && n == 1 && i < CHAIN_MOST; i++) {
		const struct class_method *method = look_up(question, class);

		if (method)
			return method;
		class = super_of(question->callees, class);
	}
	return NULL;
}

/* A call that depends on the object. */
static void ask_object(struct question *question)
{
	const struct classes *classes = &question->callees->classes;
	const struct class_method *method = resolve(question);

	if (method && method->flags & CLASS_PRIVATE) {
		add(question, method);
		return;
	}
	/* What is seen in its package only, others may have the name of without replacing it. */
	if (method && !(method->flags & VISIBLE)) {
		question->answer->others = true;
		return;
	}
	for (size_t i = 0; i < classes->n && !is_exhausted(question->callees); i++) {
		const struct class *class = &classes->all[i];

		if (class->space == question->space &&
		    !(class->flags & (CLASS_ABSTRACT | CLASS_INTERFACE)) &&
		    is_a(question->callees, class, question->place.class))
			select_in(question, class, CLASS_PRIVATE | CLASS_STATIC);
	}
}

static void ask(struct question *question, uint8_t opcode, const struct class *from)
{
	const struct classes *classes = &question->callees->classes;
	uint64_t address;
	uint32_t length;
	const uint8_t *name;

	name = intern_code(&classes->names, question->place.class, &address, &length);
	/* An array has Object's methods. */
	if (length && *name == '[')
		question->place.class = classes->object;
	if (opcode == OP_STATIC)
		ask_named(question, question->place.class);
	else if (opcode == OP_SPECIAL)
		ask_special(question, from);
	else
		ask_object(question);
}

/* ---- answers ------------------------------------------------------------- */

static bool answer(struct callees *callees, struct callees_of *to)
{
	const struct class *class = classes_of(&callees->classes, to->unit);
	const struct class_place *place =
		classes_call(&callees->classes, to->unit, to->offset);
	struct question question = { .callees = callees, .answer = to };

	to->first = callees->n_units;
	if (!place || is_exhausted(callees)) {
		to->others = true;
	} else {
		question.space = class->space;
		question.place = *place;
		ask(&question, to->unit->code[to->offset], class);
	}
	to->others |= is_exhausted(callees);
	to->n = callees->n_units - to->first;
	return !question.failed;
}

bool callees_find(struct callees *callees, const struct unit *unit, uint32_t offset,
		  struct callee_set *set)
{
	struct callees_of fresh = { .unit = unit, .offset = offset };
	size_t *head = &callees->heads[(unit->start + offset) % CALLEES_HEADS];
	const struct callees_of *found = NULL;

	for (size_t i = *head; i && !found; i = callees->known[i - 1].next)
		if (callees->known[i - 1].unit == unit &&
		    callees->known[i - 1].offset == offset)
			found = &callees->known[i - 1];
	if (!found) {
		fresh.next = *head;
		if (!answer(callees, &fresh) ||
		    !APPEND(callees->known, callees->n_known, fresh))
			return false;
		*head = callees->n_known;
		found = &callees->known[callees->n_known - 1];
	}
	*set = (struct callee_set){ found->n ? &callees->units[found->first] : NULL,
				    found->n, found->others };
	return true;
}

bool callees_know(const struct callees *callees, const struct unit *unit)
{
	return classes_of(&callees->classes, unit);
}

int callees_read(struct callees *callees, const struct units *units, struct wm_error *err)
{
	int ret;

	*callees = (struct callees){ .n_known = 0 };
	ret = classes_read(&callees->classes, units, err);
	callees->finalize = !ret && classes_finalize(&callees->classes);
	return ret;
}

void callees_fini(struct callees *callees)
{
	classes_fini(&callees->classes);
	free(callees->known);
	free(callees->units);
	*callees = (struct callees){ .n_known = 0 };
}
