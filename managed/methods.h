/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The methods of a managed program. A runtime may tell one again, at another address: units
 * of one name, signature, file, lines and code are one method.
 */
#ifndef MANAGED_METHODS_H
#define MANAGED_METHODS_H

#include "managed/units.h"
#include "program/functions.h"

struct methods {
	const struct units *units; /* the caller's */
	uint32_t *numbers;	   /* [units->n] by unit */
	const struct unit **all;   /* [n] by number: the first unit; all[0] is NULL */
	uint32_t n;		   /* numbers run from 1 to n - 1 */
};

/* Fills in *methods, which methods_fini() frees, also after a failure. WM_E_NOMEM. */
int methods_init(struct methods *methods, const struct units *units,
		 struct wm_error *err);
void methods_fini(struct methods *methods);

/* Whether the guide of a trace is one by which a runtime tells of bytecodes. */
bool methods_have_sites(const struct wm_trace *trace);
/* The error of a trace without bytecodes: WM_E_RANGE. `which` begins the sentence: "the trace ". */
int methods_missing(const struct wm_trace *trace, const char *which,
		    struct wm_error *err);

static inline uint32_t methods_number(const struct methods *methods,
				      const struct unit *unit)
{
	return methods->numbers[unit - methods->units->all];
}

/* "Bytecodes.fib(I)I": its name with the signature. */
void method_name(const struct unit *unit, char *text, size_t size);
/* Whether the pattern (of fnmatch) fits its name, with the signature or without. */
bool method_fits(const struct unit *unit, const char *pattern);
enum { METHODS_HINT = 192 };
/*
 * Puts the end of a sentence into text[METHODS_HINT], such as `; did you mean "Bank.total"?`, and
 * returns it. It is the only method whose last part is `typed`, "*.total" where several have it, or
 * else the method whose name is nearest. "" when no name is near.
 */
const char *methods_hint(char *text, const struct units *units, const char *typed);
/* "fib (app.py:12)": the name, and where it begins if that is known. */
void method_title(const struct unit *unit, char *text, size_t size);
/* Its number among the functions of the program; 0: no memory. */
uint32_t method_function(struct functions *functions, const struct unit *unit);
/* Where it begins; 0: not known. */
uint32_t method_line(const struct unit *unit);

#endif
