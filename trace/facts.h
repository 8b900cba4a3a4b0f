/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of waymark.h that fill in structs, for structs of this version: see there.
 * trace/sized.c makes the public ones of them.
 */
#ifndef TRACE_FACTS_H
#define TRACE_FACTS_H

#include "waymark.h"

void trace_summary(const struct wm_trace *trace, struct wm_summary *summary);
int trace_space(const struct wm_trace *trace, unsigned index, struct wm_space *space);
int trace_process(const struct wm_trace *trace, unsigned index,
		  struct wm_process *process);
int trace_stream(const struct wm_trace *trace, unsigned index, struct wm_stream *stream);
int trace_module(const struct wm_trace *trace, unsigned index, struct wm_module *module);
int trace_chunk(const struct wm_trace *trace, uint64_t index, struct wm_chunk *chunk);
int trace_block(const struct wm_trace *trace, uint32_t id, struct wm_block *block);
int trace_histogram(const struct wm_trace *trace, uint64_t chunk,
		    struct wm_count **counts, size_t *n, struct wm_error *err);
int trace_get_partials(const struct wm_trace *trace, uint64_t chunk,
		       struct wm_partial **partials, size_t *n, struct wm_error *err);
int trace_verify(const struct wm_trace *trace, struct wm_check *check,
		 struct wm_error *err);

int cursor_next_block(struct wm_cursor *cursor, struct wm_step *step,
		      struct wm_error *err);
int cursor_next_insn(struct wm_cursor *cursor, struct wm_step *step,
		     struct wm_error *err);
int cursor_next_run(struct wm_cursor *cursor, const uint32_t **ids, size_t *n,
		    struct wm_step *step, struct wm_error *err);
int cursor_next_event(struct wm_cursor *cursor, struct wm_event *event,
		      struct wm_error *err);
int cursor_event_here(struct wm_cursor *cursor, struct wm_event *event);
int timeline_next(struct wm_timeline *timeline, uint32_t *process,
		  struct wm_event *event);
int modes_next(struct wm_modes *modes, struct wm_mode_change *change,
	       struct wm_error *err);
int schedule_next(struct wm_schedule *schedule, struct wm_turn *turn,
		  struct wm_error *err);

#endif
