/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of record: from where to where a run is recorded, and how much of it. */
#ifndef CLI_RECORD_WINDOWS_H
#define CLI_RECORD_WINDOWS_H

#include <argp.h>

#include "base/buf.h"
#include "collect/steering.h"
#include "query/position.h"

struct record_windows {
	struct {
		struct position from, to;
		const char *text;
	} all[WINDOWS_MAX];
	uint32_t n;
	struct position start, stop;
	const char *start_text, *stop_text; /* NULL: not given */
	char *both;			    /* of them, as a window */
	uint64_t max_insns, max_bytes, max_ns;
	bool then_exit;
	struct buf window_words, limit_words; /* as they were said, for the file */
};

/* For a parser's children; its input is a struct record_windows, of zeros at first. */
extern const struct argp record_windows_argp;

/*
 * Adds what they ask for to *steering, which then points into *windows; `isa` is the
 * guest's, by which system calls have numbers. WM_E_RANGE with a sentence, WM_E_NOMEM.
 */
int record_windows_apply(struct record_windows *windows, const char *isa,
			 struct steering *steering, struct wm_error *err);
void record_windows_fini(struct record_windows *windows);

#endif
