/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which bytes --watch and --last-writer of the question "mem" are about. */
#ifndef QUERY_QUESTIONS_MEM_RANGE_H
#define QUERY_QUESTIONS_MEM_RANGE_H

#include "analysis/mem/walk.h"
#include "program/objects.h"
#include "query/query.h"

/*
 * Parses an address or a variable's name, perhaps with an offset; `text` is cut at the '+'.
 * `bytes` is how many are meant; 0: all of the variable, else one. The caller frees *spaces, also
 * after an error: by space, where an address is, or where those of the selected threads have the
 * variable. WM_E_RANGE: none has, or the offset is no number. WM_E_NOMEM.
 */
int mem_range_set(const struct query *query, const struct objects *objects, char *text,
		  uint64_t bytes, struct mem_bytes **spaces, struct wm_error *err);

/* The same for ADDR[,LEN] that --watch was given. WM_E_RANGE also for what is no length. */
int mem_range_watch(const struct query *query, const struct objects *objects,
		    struct mem_bytes **spaces, struct wm_error *err);

#endif
