/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The selected part of a trace: which threads, and from where to where. */
#ifndef QUERY_SCOPE_H
#define QUERY_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "waymark.h"

/* A marker as a bound: where it is reached for the `times`-th time. 0: the bound is no marker. */
struct scope_mark {
	uint64_t id;
	uint32_t times;
};

enum { SCOPE_TABLES_MAX = 16 };

struct scope {
	const char *file;
	const char *thread, *process; /* as typed, see query/threads.h; or NULL */
	/* Ordinals; UINT64_MAX: to the end. For markers scope_find() sets them. */
	uint64_t from, to;
	struct scope_mark from_mark, to_mark;
	/* Tables of names for generated code, [n_tables]: "FILE" or "FILE:PID". */
	const char *tables[SCOPE_TABLES_MAX];
	unsigned n_tables;
	const char *symfs; /* a folder with the program's files; NULL: none */
};

#define SCOPE_INIT ((struct scope){ .to = UINT64_MAX })

/*
 * Reads "marker:ID" or "marker:ID@NTH". WM_E_RANGE with a sentence when it is neither;
 * scope_is_mark() distinguishes it from a number.
 */
int scope_parse_mark(struct scope_mark *mark, const char *text, struct wm_error *err);
bool scope_is_mark(const char *text);

/* Adds a table of names. WM_E_RANGE when there are too many. */
int scope_add_table(struct scope *scope, const char *table, struct wm_error *err);

/* WM_E_RANGE when both bounds are ordinals, and in the wrong order. */
int scope_check(const struct scope *scope, struct wm_error *err);

/*
 * Finds the markers that bound the scope, in the only one of streams[n]; `from` and `to`
 * become ordinals of instructions or of blocks. Without markers nothing is read.
 * WM_E_RANGE when a marker is not reached or n is not 1; otherwise errors of cursors.
 */
int scope_find(struct scope *scope, const struct wm_trace *trace, const unsigned *streams,
	       unsigned n, bool by_insn, struct wm_error *err);

/* Whether the scope selects less than a whole thread. */
bool scope_is_bounded(const struct scope *scope);

#endif
