/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls for other programs: as a profile, in which they are summed up, or as a timeline,
 * in which they stand one by one.
 *
 * The time of a timeline is the number of the instruction in its thread. A timeline has at
 * most `most` calls: the shorter ones are left out, and count as instructions of whoever
 * called them (analysis/calls/timeline.h).
 */
#ifndef EXPORT_CALLS_FORMAT_H
#define EXPORT_CALLS_FORMAT_H

#include <stdio.h>

#include "analysis/calls/subject.h"
#include "export/format.h"

struct calls_picture {
	struct calls_subject subject;
	const struct calls_subject *against; /* what to compare it with; or NULL */
	uint64_t most;			     /* calls of a timeline */
	/*
	 * What was left out, which the format fills in: calls of a timeline that are shorter
	 * than `least_insns`; of a profile, as in struct stacks.
	 */
	uint64_t left_out, least_insns, light_insns;
	uint32_t levels;
};

struct calls_format {
	struct format format; /* first: formats[] knows it by this */
	bool compares;	      /* it takes picture->against */
	bool is_timeline;     /* it takes picture->most */
	/*
	 * Writes all of it. The caller checks the stream for errors. Errors are those of
	 * sites_new() and cursors.
	 */
	int (*write)(FILE *out, struct calls_picture *picture, struct wm_error *err);
};

/*
 * Callgrind's profiles, which KCachegrind and callgrind_annotate read: "Callgrind Format
 * Specification" in Valgrind's manual.
 */
extern const struct calls_format calls_callgrind;

/*
 * A line for each calling context, for flamegraph.pl and its like; of two traces with the
 * numbers of both, as difffolded.pl has them.
 */
extern const struct calls_format calls_folded;

/* pprof's profile.proto, not compressed. */
extern const struct calls_format calls_pprof;

/* Timelines: a file of speedscope; trace events of Chrome; Perfetto's protocol buffers. */
extern const struct calls_format calls_speedscope, calls_chrome, calls_perfetto;

/* A data directory of uftrace, version 4, in an archive. */
extern const struct calls_format calls_uftrace;

#endif
