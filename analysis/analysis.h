/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every analysis over the chunks of a trace implements, and how it is run.
 *
 * The selected part of each stream is cut into segments of whole chunks. Each segment gets a
 * state of its own, on any thread or in any process. States of neighbouring segments are
 * appended until one state stands for the whole stream. A state can be put into bytes and got
 * back elsewhere, so the segments may be shared between machines.
 *
 * An analysis must make append(state of A, state of B) what A's state would be had it been
 * given B's chunks too; only one that is `in_order` may do without. Segments begin and end
 * anywhere between two blocks. Then append is associative, and neither the cutting nor the
 * number of workers changes the answer.
 *
 *     segments of a stream   0     1     2     3
 *     states                 s0    s1    s2    s3
 *     one process            ((s0 + s1) + s2) + s3  -> stream()
 *     two processes          (s0 + s1) -> bytes,  (s2 + s3) -> bytes;  get, append -> stream()
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include <stddef.h>

#include "analysis/segments.h"
#include "analysis/selection.h"
#include "base/buf.h"
#include "trace/clock.h"
#include "waymark.h"

/* Consecutive blocks with no event between them, none of them a gap. */
struct stretch {
	const uint32_t *ids; /* [n], n >= 1; valid during the call */
	size_t n;
	uint64_t block; /* ordinal of ids[0] in its stream */
	uint64_t insn;	/* ordinal of the first instruction, `skip` counted in */
	/*
	 * Several blocks are whole. Of a single block, the instructions skip <= index < end
	 * ran and are selected; the last `uncertain` of these may not have run.
	 */
	uint32_t skip, end, uncertain;
	const struct clock_run *when; /* of an analysis that is `timed`; else NULL */
};

struct analysis {
	const char *name;   /* stands before its states' bytes, with the version */
	uint32_t version;   /* of the bytes */
	size_t state_bytes; /* of a state, which is all zeros before begin() */
	/*
	 * A stream has one state even when it moves to another space. Otherwise the part
	 * of it in each space goes to stream() separately, because ids and addresses mean
	 * other code there.
	 */
	bool across;
	/*
	 * A segment is all of a stream that lies in one space: what a state does depends on
	 * all that was before.
	 */
	bool whole;
	/*
	 * What a state does with a block depends on all blocks before it, as in a predictor.
	 * So one state goes through the segments of its stream, in their order: begin() is
	 * called before each of them, with the same state. Without append() a stream is never
	 * cut: a shard has all of it, or nothing.
	 */
	bool in_order;
	/* Of one in order: append() only puts pieces together, and a stream is never cut. */
	bool uncut;
	/*
	 * The answer is as long as the run, so nobody keeps all of it: drain() hands it out, in the
	 * process that answers and in no other. States of a part stay apart, one for each segment,
	 * until they are appended there in order, each to one that was drained. See
	 * analysis/shard_row.h. Of an analysis in order, a part has one state for each stream.
	 */
	bool streamed;
	/* Stretches have the times of their blocks, which costs a little for each. */
	bool timed;
	/* Every callback returns 0 or an error, which ends the run. `setup` is the caller's. */
	int (*begin)(void *state, void *setup, const struct segment *segment,
		     struct wm_error *err);
	/*
	 * An analysis with chunk() gets whole chunks by their index in the trace; these
	 * are not retraced. It gets blocks() only of a chunk that --from or --to cuts.
	 * blocks() may be NULL where there is accesses().
	 */
	int (*chunk)(void *state, uint32_t chunk, struct wm_error *err);
	int (*blocks)(void *state, const struct stretch *stretch, struct wm_error *err);
	/*
	 * Optional: the values beside the path. After blocks(), each stretch in parts of some
	 * hundred blocks, with the part's accesses in their order: accesses[n].block is an
	 * index of part->ids. Of a single block only those of the selected instructions. It
	 * is not called where none were recorded.
	 */
	int (*accesses)(void *state, const struct stretch *part,
			const struct wm_access *accesses, size_t n, struct wm_error *err);
	/*
	 * In place of all that get blocks: goes through the instructions from <= i < to of the
	 * segment by itself, which are the selected ones. Not of an analysis in order.
	 */
	int (*walk)(void *state, const struct segment *segment, uint64_t from,
		    uint64_t to, struct wm_error *err);
	/* Optional, not of an analysis in order: the state was given all of its segment. */
	int (*over)(void *state, struct wm_error *err);
	/* Optional. Unrecorded code ran before instruction `insn`; `id` is the gap's. */
	int (*gap)(void *state, uint32_t id, uint64_t insn, struct wm_error *err);
	/* Optional. The event's ordinals are those of the block after it. */
	int (*event)(void *state, const struct wm_event *event, struct wm_error *err);
	/*
	 * `next` is the state of the segments right after those of `state`; it is ended
	 * afterwards.
	 */
	int (*append)(void *state, void *next, struct wm_error *err);
	/* Optional: whether nothing of that segment is wanted, so it is not retraced. */
	bool (*skips)(void *setup, const struct segment *segment);
	/*
	 * Optional: bounds memory. The state begins its stream, and stream() will be
	 * called in this process. The state may hand out now whatever later segments
	 * cannot change. WM_END: no more is wanted, and stream() is not called.
	 */
	int (*drain)(void *state, struct wm_error *err);
	/*
	 * Appends the state to `out`: the same bytes for any cutting of the same segments, once
	 * they are a whole stream. It may bring the state into a settled form first. Reports
	 * no memory by out->failed.
	 */
	void (*put)(void *state, struct buf *out);
	/*
	 * Optional, of an analysis that is `streamed`: put() appended only a piece, which get()
	 * takes for a state, and appends the next one when it is called again.
	 */
	bool (*more)(void *state);
	/*
	 * Reads what put() wrote into a state that has begun. The bytes may be hostile: get()
	 * checks every number that selects memory, allocates no more than a constant for each
	 * byte, and marks `in` as failed when they cannot be a state. Errors: WM_E_NOMEM.
	 */
	int (*get)(void *state, struct span *in, struct wm_error *err);
	/*
	 * `state` stands for all of a stream. Called in the order of the selection, one at a
	 * time; the state is ended afterwards.
	 */
	int (*stream)(void *state, void *setup, unsigned stream, struct wm_error *err);
	/* Frees what a state holds, also when begin() failed. */
	void (*end)(void *state);
};

/*
 * Runs analyses elsewhere than on threads of this process: on several processes or machines
 * that all ask the same question, for example. It must call analysis->stream() with the state
 * of each stream in this process too, in the order of the selection.
 */
struct runner {
	int (*run)(const struct runner *runner, const struct analysis *analysis,
		   void *setup, const struct wm_trace *trace,
		   const struct selection *selection, const struct segments *segments,
		   struct wm_error *err);
};

/*
 * Runs an analysis over a selection, with the selection's runner or else on threads of this
 * process. Errors are those of cursors, of the runner and of the analysis.
 */
int analysis_run(const struct analysis *analysis, void *setup,
		 const struct wm_trace *trace, const struct selection *selection,
		 struct wm_error *err);

/*
 * The scheduler: runs the segments first <= i < end on the selection's threads, and appends
 * states in order. `done` gets the state of each stream's run of segments [begin, until), and
 * the state is ended afterwards.
 */
struct analysis_sink {
	int (*done)(void *cookie, void *state, size_t begin, size_t until,
		    struct wm_error *err);
	void *cookie;
	bool drains; /* it calls stream() */
	/*
	 * Optional: the cursor of the first thread, NULL at first, which one run of an analysis leaves
	 * to the next of the same trace. The caller's to free.
	 */
	struct wm_cursor **cursor;
};
int analysis_segments(const struct analysis *analysis, void *setup,
		      const struct wm_trace *trace, const struct selection *selection,
		      const struct segments *segments, size_t first, size_t end,
		      const struct analysis_sink *sink, struct wm_error *err);

/* All segments on threads of this process: what a runner does that gets no help. */
int analysis_here(const struct analysis *analysis, void *setup,
		  const struct wm_trace *trace, const struct selection *selection,
		  const struct segments *segments, struct wm_error *err);

#endif
