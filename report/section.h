/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sections of a report's data, for report/ alone. Each writes one value under each of
 * its keys into the report's object. The meaning of keys is documented where they are
 * written; report/page/ reads them.
 */
#ifndef REPORT_SECTION_H
#define REPORT_SECTION_H

#include "analysis/counts.h"
#include "out/json.h"
#include "report/labels.h"
#include "report/report.h"

struct report_total {
	uint32_t function;
	uint64_t insns; /* its own */
};

struct report {
	const struct report_ask *ask;
	const struct counts *counts; /* of the selection */
	struct labels names;	     /* what parts refer to by number */
	struct json json;
	/* [n_hottest] all functions that ran, the busiest first: report_functions()'s. */
	struct report_total *hottest;
	uint32_t n_hottest;
};

typedef int report_section(struct report *report, struct wm_error *err);

report_section report_summary;	 /* "summary", "provenance", "processes", "threads" */
report_section report_functions; /* "functions"; comes before those that use hottest */
report_section report_source;	 /* "code"; the functions of hottest */
report_section report_tables;	 /* "lines", "loops" */
report_section report_events;	 /* "syscalls", "marks" */
report_section report_timeline;	 /* "timeline", "strips" */
report_section report_memory; /* "memory", of a trace that has accesses; else nothing */
report_section report_blocks; /* "blocks" */
report_section report_mix;    /* "mix" */
report_section report_phases; /* "phases" */
report_section report_calls;  /* "flame", "calls" */
report_section report_cover;  /* "cover" */

/* Replaces a section that this trace does not have: {"absent": "why"}, from err->text. */
void report_absent(struct report *report, const char *key, const struct wm_error *why);
/* The number of a function in report->names, or 0: no memory. */
uint32_t report_function(struct report *report, uint32_t function);
/*
 * Calls `take` for each run of instructions of one function within begin <= index < end
 * of a block, until it returns false. Returns false then, and when there is no memory.
 */
bool report_each_function(const struct report *report, uint32_t space, uint32_t id,
			  uint32_t begin, uint32_t end,
			  bool (*take)(void *cookie, uint32_t function, uint32_t from,
				       uint32_t to),
			  void *cookie);
/*
 * A point of a picture. A picture is strings with a digit in base 64 for each point: 64
 * shades are more than the eye can distinguish, and a string is shorter than a list of
 * numbers. `share` is from 0 to 1. The first shade is for 0 alone, so that anything above
 * 0 is visible.
 */
char report_shade(double share);
/*
 * The thread with the most selected instructions; *insns is their number. Any thread when
 * none has instructions.
 */
unsigned report_busiest(const struct report *report, uint64_t *insns);
/* The selected instructions of a thread: from <= ordinal < to. */
void report_range(const struct report *report, const struct wm_stream *stream,
		  uint64_t *from, uint64_t *to);

#endif
