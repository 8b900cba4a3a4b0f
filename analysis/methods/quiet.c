// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A walk (managed/walk.h) finds bytecodes in blocks of an interpreter's pieces and of compiled
 * code only. Where an interpreter has no pieces any block may fetch one, so then nothing is
 * quiet.
 */
#include "analysis/methods/quiet.h"

#include "trace/trace.h"

struct blocks {
	const struct units *units;
	const struct wm_trace *trace;
};

static bool is_quiet(const struct blocks *of, uint32_t space, uint32_t id)
{
	const struct compiled_space *compiled;
	struct wm_block block;

	return units_has_pieces(of->units, space) &&
	       !wm_trace_block(of->trace, id, &block) &&
	       !units_piece(of->units, space, block.address) &&
	       !compiled_find(&of->units->compiled, of->trace, space, block.address, id,
			      &compiled);
}

static bool all_quiet(const struct blocks *of, const struct counts *counts)
{
	for (size_t i = 0; i < counts->n_rows; i++)
		if (!is_quiet(of, counts->rows[i].space, counts->rows[i].id))
			return false;
	for (size_t i = 0; i < counts->n_parts; i++)
		if (!is_quiet(of, counts->parts[i].space, counts->parts[i].id))
			return false;
	return true;
}

int quiet_thread(bool *quiet, struct counts *counts, const struct units *units,
		 const struct wm_trace *trace, const struct selection *selection,
		 unsigned stream, struct wm_error *err)
{
	const struct blocks of = { units, trace };
	struct selection alone = {
		.streams = &stream,
		.n = 1,
		.from = selection->from,
		.to = selection->to,
	};
	struct wm_stream is;
	int ret;

	*quiet = false;
	*counts = COUNTS_INIT;
	/* A short thread is followed sooner than all blocks are looked at. */
	if (!units->n_pieces || selection->excerpts ||
	    wm_trace_stream(trace, stream, &is) || is.blocks < trace->known)
		return 0;
	ret = counts_gather(counts, trace, &alone, err);
	*quiet = !ret && all_quiet(&of, counts);
	return ret;
}
