/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making a complete file of one that lost its end, or is damaged. */
#ifndef TRACE_RECOVER_H
#define TRACE_RECOVER_H

#include "trace/salvage.h"

/*
 * Writes what is kept of `path` to `output`, which must be another file. With NULL it
 * cuts off the end of `path` itself and finishes that file, provided that everything lost
 * was at the end. Nothing is written before everything that is kept was checked.
 *
 * 0; WM_END when nothing is wrong with the file: nothing was written; WM_E_FORMAT and
 * WM_E_DAMAGED when nothing can be kept; WM_E_NEWER or another code. *salvage is what is kept and
 * lost; it must be closed, unless it is NULL.
 */
int trace_recover(struct salvage **salvage, const char *path, const char *output,
		  struct wm_error *err);

#endif
