/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sections of a report's data, for report/ alone. Each writes one value under each of
 * its keys into the report's object. The meaning of keys is documented where they are
 * written; report/page/ reads them.
 */
#ifndef REPORT_SECTION_H
#define REPORT_SECTION_H

#include "analysis/cfg/edges.h"
#include "analysis/counts.h"
#include "analysis/hot/hot.h"
#include "analysis/insn_counts.h"
#include "analysis/joint.h"
#include "out/json.h"
#include "report/labels.h"
#include "report/report.h"

enum { REPORT_METHODS_MAX = 60 };

struct report_total {
	uint32_t function;
	uint64_t insns; /* its own */
};

/*
 * About how long the stages take, as multiples of a section that needs no walk: measured on
 * CPython, and on Lua with all accesses of memory. The share of the whole that is done is a
 * share of their sum.
 */
enum report_weight {
	WEIGHT_SECTION = 1,
	WEIGHT_COUNTS = 2,
	WEIGHT_WALK = 60,
	WEIGHT_MEMORY_MAP = 300,
	WEIGHT_MEMORY_SET = 420,
	WEIGHT_MEMORY_CACHES = 480,
	WEIGHT_MEMORY = WEIGHT_MEMORY_MAP + WEIGHT_MEMORY_SET + WEIGHT_MEMORY_CACHES,
};

/* All stages, one after the other, as one progress. */
struct report_stages {
	const struct selection *shown; /* whoever asked */
	uint64_t insns;		       /* of the selection: what is shown as the whole */
	unsigned done, weight,
		all; /* weights: of stages that ended, of this one, of all */
};

struct report {
	const struct report_ask *ask; /* its selection shows no progress */
	struct report_stages stages;
	const struct counts *counts;	 /* of the selection */
	const struct insn_counts *insns; /* of the same */
	struct labels names;		 /* what parts refer to by number */
	struct json json;
	/* [n_hottest] all functions that ran, the busiest first: report_functions()'s. */
	struct report_total *hottest;
	uint32_t n_hottest;
	/* [n_inlined] the same where inlined functions have their instructions; none: as above. */
	struct report_total *inlined;
	uint32_t n_inlined;
	/* Functions that are methods with a page: what they call is shown, too. */
	uint32_t paged[REPORT_METHODS_MAX];
	unsigned n_paged;
	/* The walk that sections share; what they keep from before it until they write. */
	struct joint walk;
	struct edges edges; /* of the selection */
	struct report_timeline *timeline;
	struct report_phases *phases;
	struct report_calls *calls;
	struct report_seen *seen;	   /* events */
	const struct bytecodes *bytecodes; /* from when calls begin to their end; NULL */
	const struct tallies *tallies;	   /* the same */
};

typedef int report_section(struct report *report, struct wm_error *err);

/*
 * Before the walk, after report_functions(): adds what a section needs of it. The _end frees
 * what is left, also after a failure.
 */
report_section report_timeline_begin, report_phases_begin, report_calls_begin,
	report_events_begin;
/* Whether report_memory() has anything to walk over. */
bool report_has_memory(const struct wm_trace *trace);
void report_timeline_end(struct report *report);
void report_phases_end(struct report *report);
void report_calls_end(struct report *report);
void report_events_end(struct report *report);

report_section report_summary;	 /* "summary", "provenance", "processes", "threads" */
report_section report_functions; /* "functions"; comes before those that use hottest */
report_section report_source;	 /* "code"; the functions of hottest */
report_section report_tables;	 /* "lines", "loops" */
/* "methods"; "sources", "opcodes", "method_code"; of a program without methods nothing */
report_section report_methods;
report_section report_events;	/* "syscalls", "marks" */
report_section report_timeline; /* "timeline", "strips" */
report_section report_memory;	/* "memory", of a trace that has accesses; else nothing */
report_section report_blocks;	/* "blocks" */
report_section report_mix;	/* "mix" */
report_section report_phases;	/* "phases" */
report_section report_calls;	/* "flame", "calls" */
report_section report_cover;	/* "cover" */
report_section report_machine; /* "machine", of a trace whose harts switch; else nothing */
report_section report_boot; /* "boot", of a machine whose kernel has names; else nothing */

/*
 * The function that an instruction counts for in report->inlined; 0: no memory. *is_inlined:
 * it is one that was inlined there.
 */
uint32_t report_inlined_at(const struct report *report, const struct insn_count *insn,
			   bool *is_inlined);
/* A command's table. */
struct report_rows {
	const struct table_column *all; /* [n] its columns */
	unsigned n;
	const char *columns, *sort; /* as struct table_view has them */
	int (*fill)(void *cookie, struct table *table, struct wm_error *err);
	void *cookie;
};
/* Its first rows, under a key. Errors are those of fill(). */
int report_table(struct report *report, const char *key, const struct report_rows *rows,
		 struct wm_error *err);
/* What tables are made from. */
struct counted report_counted(const struct report *report);
/* A table of `waymark hot`, its first rows, under a key; of methods with their tallies. */
int report_hot(struct report *report, const char *key, enum hot_by by,
	       const char *columns, const struct tallies *tallies, struct wm_error *err);
/* The source of a page: "path", "first" line, "lines" up to `last`. False: no memory. */
bool report_put_lines(struct report *report, const char *path, uint32_t first,
		      uint32_t last);
/* The next stage begins; `selection`, a copy, gets its progress. */
void report_stage(struct report *report, struct selection *selection,
		  enum report_weight weight);
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
