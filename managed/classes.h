/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The classes of Java programs: what they extend, and what their code names. */
#ifndef MANAGED_CLASSES_H
#define MANAGED_CLASSES_H

#include "base/intern.h"
#include "managed/units.h"

/* Flags of class files, and of notes. */
enum {
	CLASS_PRIVATE = 0x2,
	CLASS_STATIC = 0x8,
	CLASS_BRIDGE = 0x40, /* of a method */
	CLASS_INTERFACE = 0x200,
	CLASS_ABSTRACT = 0x400,
	CLASS_SYNTHETIC = 0x1000,
	CLASS_RUNS =
		0x10000, /* of a method: its bytecodes are executed when it is called */
};

/* Names are numbers: of the same text the same one. 0: none. */
struct class_method {
	uint32_t flags, name, type;
	const struct unit *unit; /* NULL: it has no bytecode */
};

/* What an instruction that calls names. */
struct class_place {
	uint32_t class, name, type;
};

struct class
{
	uint32_t space, name, super, flags;
	const uint32_t *interfaces; /* [n_interfaces] names, of all */
	const struct class_method *methods;
	const struct class_place *places;
	const struct unit *initializer; /* "<clinit>"; NULL: it has none */
	uint32_t n_interfaces, n_methods, n_places;
};

struct classes {
	const struct units *units; /* the caller's */
	struct class *all;	   /* [n] by space and name */
	size_t n;
	struct class_method *methods;
	struct class_place *places;
	uint32_t *interfaces;
	size_t n_methods, n_places, n_interfaces;
	uint32_t *of_unit; /* [units->n] one more than the index of its class; 0: unknown */
	uint32_t *method_of; /* [units->n] the index of its method, if its class is known */
	struct interner names;
	/* Names of java.lang.Object, ... */
	uint32_t object, init, finalize, returns, initializer;
};

/*
 * Reads those that the notes of `units` tell of into *classes, which classes_fini() frees, also
 * after a failure. WM_E_DAMAGED, WM_E_NOMEM.
 */
int classes_read(struct classes *classes, const struct units *units,
		 struct wm_error *err);
void classes_fini(struct classes *classes);

/* The class of a unit; NULL: not known. */
const struct class *classes_of(const struct classes *classes, const struct unit *unit);
/* The classes of a name: *n of them, more than one when several loaders have one. */
const struct class *classes_named(const struct classes *classes, uint32_t space,
				  uint32_t name, size_t *n);
/* The method that the class itself has; NULL: none. */
const struct class_method *class_method(const struct class *class, uint32_t name,
					uint32_t type);
/* What its class has of a unit; NULL: not known. */
const struct class_method *classes_method(const struct classes *classes,
					  const struct unit *unit);
/* The method that the call at an offset names; NULL: no call is there, or it is not known. */
const struct class_place *classes_call(const struct classes *classes,
				       const struct unit *unit, uint32_t offset);
/* Whether that is the text of a name, or begins it. */
bool classes_is(const struct classes *classes, uint32_t name, const char *text);
bool classes_begins(const struct classes *classes, uint32_t name, const char *text);
/* Whether objects of any have a method that is called before they are given up. */
bool classes_finalize(const struct classes *classes);

#endif
