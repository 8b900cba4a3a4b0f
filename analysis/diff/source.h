/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one side of a comparison executed, as a sequence of units: blocks of a trace or a
 * log, or single instructions. Each unit is defined once, as a list of places.
 */
#ifndef ANALYSIS_DIFF_SOURCE_H
#define ANALYSIS_DIFF_SOURCE_H

#include <pthread.h>
#include <stddef.h>

#include "analysis/diff/modules.h"
#include "analysis/diff/places.h"
#include "program/symbols.h"
#include "trace/pclog.h"
#include "trace/qemulog.h"
#include "waymark.h"

/* Units one after the other. */
struct diff_run {
	const uint32_t *units; /* [n], owned by the source, valid until the next call
			        * of next() */
	size_t n;
	/* Of one unit alone, the instructions skip <= index < end ran; else all. */
	uint32_t skip, end;
};

/* Places one after the other, of many units. */
struct diff_list {
	uint32_t *places;
	size_t n;
};

struct diff_source {
	/* The next of them; WM_END. */
	int (*next)(struct diff_source *source, struct diff_run *run,
		    struct wm_error *err);
	/* Appends the places of a unit; at least one. */
	int (*define)(struct diff_source *source, uint32_t unit,
		      struct diff_places *places, struct diff_list *list,
		      struct wm_error *err);
	void (*free)(struct diff_source *source);
	uint32_t units; /* all are below that */
	uint64_t from;	/* ordinal of the first instruction */
	uint64_t insns; /* in all */
};

/* ---- of a trace ---------------------------------------------------------- */

/* One of the two runs, which several comparisons may share. */
struct diff_program {
	const struct wm_trace *trace;
	struct symbols *symbols;
	pthread_mutex_t *lock;		    /* taken for `symbols` */
	const struct diff_modules *modules; /* NULL: places are addresses */
	enum diff_side side;
};

/* Streams as one sequence, one after the other; of that, instructions [from, to). */
struct diff_part {
	const unsigned *streams; /* [n], the caller's */
	unsigned n;
	uint64_t from, to;
};

/* `program` must outlive it. */
int diff_trace_new(struct diff_source **source, const struct diff_program *program,
		   const struct diff_part *part, struct wm_error *err);

/* Which block a unit of such a source is, and the index of the space it ran in. */
void diff_trace_unit(const struct diff_source *source, uint32_t unit, uint32_t *id,
		     uint32_t *space);

/* ---- of logs: what one CPU executed, by address -------------------------- */

/* The only stream of `part` is the CPU's number. */
int diff_pclog_new(struct diff_source **source, const struct pclog *log,
		   const struct diff_part *part, struct wm_error *err);
int diff_qemulog_new(struct diff_source **source, const struct qemulog *log,
		     const struct diff_part *part, struct wm_error *err);

#endif
