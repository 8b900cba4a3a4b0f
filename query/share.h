/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A question that several processes answer together without ever meeting: jobs of an array,
 * on any machines. Each computes its part and leaves it in a state file; later, one process
 * merges the files and answers as if it had computed everything.
 *
 *	p1: ask with share_part(1, 3)  -> p1.wms	 \
 *	p2: ask with share_part(2, 3)  -> p2.wms	  > ask with p1, p2, p3 -> the answer
 *	p3: ask with share_part(3, 3)  -> p3.wms	 /
 *
 * A question may need several analyses, each of which needs the result of the one before, as
 * the trips of loops need edges. Each is a round. State files of a round are merged into one,
 * and with that one a part of the next round is computed. Rounds that no file has are
 * computed by the process that answers.
 */
#ifndef QUERY_SHARE_H
#define QUERY_SHARE_H

#include "analysis/analysis.h"
#include "analysis/shard_row.h"
#include "query/state_file.h"

struct share {
	struct runner runner; /* first: of the query's selection */
	/* What is known already: [n_files] the caller's, with their paths. */
	const struct state_file *files;
	const char *const *paths;
	size_t n_files;
	uint32_t number, parts; /* the part to compute, from 1; parts 0: none */
	bool counted;		/* the part is of the first analysis: QUESTION_COUNTED */
	bool merges;	 /* stops when all files are merged, instead of answering */
	uint64_t traces; /* of all traces, when rounds are of different ones; else 0 */

	uint32_t round;	   /* analyses that were run */
	bool done;	   /* it has stopped, though the question has no answer */
	uint64_t identity; /* of the trace, once the first analysis was run */
	/* What was computed when it is done; the caller calls share_fini(). */
	struct state_piece *pieces; /* [n_pieces] with their spools */
	size_t n_pieces;
};

/*
 * An empty share. Its files, and the part or `merges`, are set by the caller. A runner that
 * has computed what it should ends the question with WM_E_RANGE, and `done` is set.
 */
void share_init(struct share *share);
void share_fini(struct share *share);

/* What is shared, when it is no analysis: the same for all parts. */
struct share_work {
	/* Appends the shard of part `number`, from 1, of `parts`. */
	int (*compute)(void *cookie, uint32_t number, uint32_t parts, struct buf *out,
		       struct wm_error *err);
	/* Appends the shard of both, which may be hostile: a of lower numbers than b. */
	int (*merge)(void *cookie, struct span a, struct span b, struct buf *out,
		     struct wm_error *err);
	/* Uses the shard of all parts. */
	int (*finish)(void *cookie, struct span whole, struct wm_error *err);
	/* Does all of the work, when nothing of it is shared. */
	int (*here)(void *cookie, struct wm_error *err);
	void *cookie;
	bool shared; /* a part may be computed; else it is done here */
	/*
	 * Optional, all or none, in place of the first three: shards may be larger than memory.
	 * Parts come in the order of their lowest numbers.
	 */
	int (*spool)(void *cookie, uint32_t number, uint32_t parts, struct spool *out,
		     struct wm_error *err);
	int (*join)(void *cookie, const struct shard_source *parts, size_t n,
		    struct spool *out, struct wm_error *err);
	int (*hand_out)(void *cookie, const struct shard_source *parts, size_t n,
			struct wm_error *err);
};

/*
 * A round of the question, as the share's runner has one for each analysis. The parts must be
 * of what has the same `identity`. Errors are those of the work; WM_E_RANGE as share_init()
 * says, or a sentence about parts that are missing or do not fit.
 */
int share_run(struct share *share, const struct share_work *work, uint64_t identity,
	      struct wm_error *err);

#endif
