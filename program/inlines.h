/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions at the places where the compiler inlined them. */
#ifndef PROGRAM_INLINES_H
#define PROGRAM_INLINES_H

#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>

#include "waymark.h"

struct symbols;

/* A function inlined at one call. */
struct inlined_call {
	char *name;    /* of the function, demangled */
	char *into;    /* whose code it is in now, demangled; NULL: not known */
	char *source;  /* file of the call, without folders; NULL: not known */
	uint32_t line; /* of the call; 0: not known */
	uint64_t number;
};

/* A part of its code: bytes start <= offset < end of a file. */
struct inlined_part {
	uint32_t file;
	uint64_t start, end;
	size_t call; /* index in calls[] */
};

struct inlines {
	const char *pattern;
	struct inlined_call *calls; /* [n_calls] */
	struct inlined_part *parts; /* [n_parts] */
	size_t n_calls, n_parts;
	uint32_t file; /* that is being read */
	bool failed;   /* no memory */
};

/*
 * Finds the inlined calls of functions whose names fit `pattern`, which must outlive it, as
 * demangle_fits() has it.
 */
void inlines_init(struct inlines *inlines, const char *pattern);
/* Takes the calls in the file at `path`; their parts get the number `file`. */
void inlines_add(struct inlines *inlines, uint32_t file, const char *path);
/*
 * Takes the calls in all files that the program had mapped. Afterwards parts[] is sorted
 * by file and start, and no part overlaps another. WM_E_NOMEM.
 */
int inlines_find(struct inlines *inlines, struct symbols *symbols, struct wm_error *err);
void inlines_fini(struct inlines *inlines);

/* The part over a byte of a file, after inlines_find(); NULL: none. */
const struct inlined_part *inlines_over(const struct inlines *inlines, uint32_t file,
					uint64_t file_off);

/*
 * Puts "into main (list.c:12) and at 3 more places" into text[n]; "" when there are none.
 */
void inlines_places(const struct inlines *inlines, char *text, size_t n);

#endif
