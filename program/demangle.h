/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as they are in the source: those of C++, Rust and D (libiberty), and Fortran. */
#ifndef PROGRAM_DEMANGLE_H
#define PROGRAM_DEMANGLE_H

#include <stdbool.h>

/*
 * The source's name of a symbol, the caller's to free(); a copy of it when it is not mangled,
 * or too long to be anything but an attack. NULL: no memory.
 */
char *demangle(const char *symbol);

/*
 * Whether a pattern, as of pattern_fits(), fits a name: all of it, or the last parts of it, from a
 * "::" or the end of the type that it returns on, each with or without parameters.
 * The arguments of templates may be left out, and Rust's types stand for "<Type as Trait>":
 * "Book::match" fits "bool shop::Book<char>::match(int)" and "<shop::Book as Match>::match".
 * D's names have dots between their parts: "Book.cost" fits "app.Book.cost(int) const".
 */
bool demangle_fits(const char *pattern, const char *name);

/*
 * Calls take() for the names by which a function can be called: all of it, and the parts that
 * demangle_fits() has. Returns true when one is taken, and ends there.
 */
bool demangle_each(const char *name, bool (*take)(void *cookie, const char *part),
		   void *cookie);

/*
 * Whether the name of a symbol can have `name`, a part of a name or a pattern, as one of the
 * parts that demangle_each() tells. False saves demangling it; nearly all symbols of a large
 * library are not what was asked for.
 */
bool demangle_may_have(const char *symbol, const char *name);
/* Whether `name` is a symbol, or all or a part of the symbol's name, without wildcards. */
bool demangle_names(const char *symbol, const char *name);

#endif
