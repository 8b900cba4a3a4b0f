/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of record: windows of a run to record, and limits. */
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
	char *both;			    /* both texts, as a window's */
	uint64_t max_insns, max_bytes, max_ns;
	bool then_exit;
	struct buf window_words,
		limit_words; /* the options as given, to be stored in the file */
};

/* For a parser's children; the input is a struct record_windows of zeros. */
extern const struct argp record_windows_argp;

/*
 * Adds windows and limits to *steering, which then points into *windows. `isa` is the
 * guest's, for the numbers of system calls. WM_E_RANGE with a sentence, WM_E_NOMEM.
 */
int record_windows_apply(struct record_windows *windows, const char *isa,
			 struct steering *steering, struct wm_error *err);
void record_windows_fini(struct record_windows *windows);

/*
 * Adds the code at a position that is a symbol, a line or an address, for window or value
 * `number`. `text` is what the user wrote. `position` and `text` must outlive the
 * steering. WM_E_NOMEM.
 */
int record_add_place(struct steering *steering, const struct position *position,
		     enum order_sense sense, uint32_t number, const char *text,
		     struct wm_error *err);

#endif
