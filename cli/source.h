/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a listing draws from: a trace, one of its threads, names for its addresses. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "program/symbols.h"

struct source {
	struct wm_trace *trace;
	struct wm_stream stream;
	struct symbols *symbols;
};

/*
 * Opens `file` for its thread number `thread`, and says so on stderr when it is not
 * complete: a listing must not pass for more than it is. On failure nothing is left open.
 */
int source_open(struct source *source, const char *file, unsigned thread,
		struct wm_error *err);
void source_close(struct source *source);

struct place {
	const char *symbol; /* NULL when not known */
	const char *module; /* name of the file without folders, NULL when not known */
	uint64_t offset; /* in bytes, from the symbol, or without one from the module */
};

/* Where `address` is, in the thread's process. Names are owned by the source. */
void source_place(const struct source *source, uint64_t address, struct place *place);

#endif
