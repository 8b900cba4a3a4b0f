/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a part has of events that only have a time, of notes about code, and of the turns of
 * harts.
 */
#ifndef CUT_BESIDE_H
#define CUT_BESIDE_H

#include "cut/plan.h"
#include "format/writer.h"

/* Errors are those of readers and writers. */
int beside_put_events(const struct cut_plan *plan, const struct cut *cut,
		      struct writer *writer, struct wm_error *err);
int beside_put_notes(struct cut_plan *plan, const struct cut *cut, struct writer *writer,
		     struct wm_error *err);
int beside_put_turns(const struct cut_plan *plan, const struct cut *cut,
		     struct writer *writer, struct wm_error *err);

#endif
