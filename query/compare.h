/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two runs, or a run and a log, opened and compared thread by thread. */
#ifndef QUERY_COMPARE_H
#define QUERY_COMPARE_H

#include "analysis/diff/diff.h"
#include "analysis/diff/table.h"
#include "query/bounds.h"
#include "query/leeway.h"
#include "query/pairs.h"
#include "trace/pclog.h"
#include "trace/qemulog.h"

enum compare_log { COMPARE_TRACES, COMPARE_SPIKE, COMPARE_EXECLOG, COMPARE_QEMU };

/* A divergence that was kept to be shown. */
struct compare_hunk {
	struct diff_hunk is;	   /* without b_next */
	uint64_t b_pcs[DIFF_NEXT]; /* of a log: [is.b_known] the addresses from is.b on */
};

/* The result of comparing the values of a pair. */
struct compared_values {
	unsigned kinds;	   /* that both sides have: 1 << enum wm_access_kind; or 0 */
	uint64_t compared; /* accesses and registers */
	uint64_t differ;   /* of these */
	struct diff_value *first; /* [n] the first ones that differ */
	size_t n;
	struct alike_move stack; /* bytes 0: it is in the same place, or not known */
};

/* The result of comparing a pair. */
struct compared {
	struct diff_result result;
	struct compared_values values;
	struct compare_hunk *hunks; /* [n] the first ones */
	size_t n;
	/* Instructions between the last of these and the next divergence, if there is one. */
	uint64_t common_behind;
	struct wm_error *err; /* NULL: none */
	bool left_out;	      /* neither side reaches its bounds; *err names them */
};

struct compare {
	/* Set before compare_open(). */
	struct query a, b; /* with a log, b has only its bounds; each with a listener */
	enum compare_log log;
	const char *log_file;
	size_t window;
	uint64_t listed;      /* divergences, and values, to show of the first pair */
	unsigned what;	      /* values to compare: enum diff_what */
	unsigned named;	      /* those of them that somebody asked for by name */
	struct leeway leeway; /* what was added to it; compare_close() frees it */
	const struct wm_trace
		*a_trace; /* stays the caller's; NULL: a.scope.file is opened */
	/*
	 * Tables of names for generated code, [n_tables]: "FILE" or "FILE:PID". Each is for
	 * the run that has the process, or for both.
	 */
	const char *const *tables;
	unsigned n_tables;
	struct bounds bounds[2]; /* places; ordinals are in the scopes of a and b */

	/* Once it is open. */
	struct pclog *pclog;	 /* one of the two, */
	struct qemulog *qemulog; /* with a log */
	struct diff_modules *modules;
	struct pairs pairs;
	struct compared *all; /* [pairs.n] */
	const char *faulty;   /* on an error: the file that it concerns */
	bool a_open, b_open;
};

/* On failure nothing is left open. */
int compare_open(struct compare *compare, struct wm_error *err);
/* Fills in compare->all. */
int compare_run(struct compare *compare, struct wm_error *err);
void compare_close(struct compare *compare);

/* Both traces as tables of their counts have them; `inlined` is that of the halves. */
void compare_halves(const struct compare *compare, bool inlined,
		    struct diff_half halves[2]);

/* Whether nothing differs. */
bool compare_is_same(const struct compare *compare);
/* Whether a pair has both sides, no divergences, and no values that differ. */
bool compared_is_same(const struct compared *compared, const struct pair *pair);

#endif
