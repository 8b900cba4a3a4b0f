/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a listing draws from: a trace, one of its threads, names for its addresses. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "cli/range.h"
#include "program/symbols.h"

struct source {
	struct wm_trace *trace;
	struct wm_stream stream;
	struct symbols *symbols;
};

/*
 * Opens what `range` names. A listing must not pass for more than it is, so stderr is told
 * when the trace is cut short, and on a terminal when it has other threads besides one
 * that was not chosen. On failure nothing is left open.
 */
int source_open(struct source *source, const struct range *range, struct wm_error *err);
void source_close(struct source *source);

struct place {
	const char *symbol; /* NULL when not known */
	const char *module; /* name of the file without folders, NULL when not known */
	uint64_t offset; /* in bytes, from the symbol, or without one from the module */
};

/* Where `address` is, in the thread's process. Names are owned by the source. */
void source_place(const struct source *source, uint64_t address, struct place *place);

#endif
