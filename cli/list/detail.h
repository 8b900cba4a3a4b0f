/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that say more than the code does: what was accessed, which bytecode was executed. */
#ifndef CLI_LIST_DETAIL_H
#define CLI_LIST_DETAIL_H

#include "cli/list/printer.h"

/*
 * Prints the blocks of a part, at most `most` lines, each with what the printer is to show
 * beside it. WM_E_NOMEM, and the errors of reading values.
 */
int detail_put(struct printer *printer, struct printed_thread *thread,
	       const struct feed_item *item, uint64_t most, struct wm_error *err);

/*
 * Prints a gap: what the format has for it, and which bytecodes must have run. Errors: those of
 * gap_ways_at().
 */
int detail_put_gap(struct printer *printer, struct printed_thread *thread,
		   const struct feed_item *item, struct wm_error *err);

/* Frees what was kept for a thread's lines. */
void detail_fini(struct printed_thread *thread);

#endif
