/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libwaymark, what a whole machine did: which hart ran which stream, and the modes of streams.
 *
 * waymark.h includes this file and has the conventions. Include only that.
 */
#ifndef WAYMARK_MACHINE_H
#define WAYMARK_MACHINE_H

#include "waymark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the schedule ------------------------------------------------------------ */

/*
 * A hart, or vCPU, turns to a stream: it runs the blocks from this ordinal on, up to that of
 * the stream's next turn. Only where streams move between harts; else there are none.
 */
struct wm_turn {
	uint64_t ns; /* CLOCK_MONOTONIC of the recording machine */
	uint32_t hart;
	uint32_t stream;
	uint64_t block_ordinal;
};

/* The turns of a trace, in the order in which they happened. For one thread. */
struct wm_schedule;
WM_API int wm_schedule_new(struct wm_schedule **schedule, const struct wm_trace *trace,
			   struct wm_error *err);
WM_API void wm_schedule_free(struct wm_schedule *schedule);
/* The next one, or WM_END. */
WM_API int wm_schedule_next_sized(struct wm_schedule *schedule, struct wm_turn *turn,
				  size_t bytes, struct wm_error *err);
static inline int wm_schedule_next(struct wm_schedule *schedule, struct wm_turn *turn,
				   struct wm_error *err)
{
	return wm_schedule_next_sized(schedule, turn, sizeof(*turn), err);
}

/* ---- modes -------------------------------------------------------------------- */

/* RISC-V's numbers, for all guests. */
enum wm_mode {
	WM_MODE_USER = 0,
	WM_MODE_KERNEL = 1, /* RISC-V's supervisor, AArch64's EL1, x86's ring 0 */
	WM_MODE_HYPERVISOR = 2,
	WM_MODE_FIRMWARE = 3, /* RISC-V's machine mode, AArch64's EL3 */
};

/* "user", "kernel", "hypervisor", "firmware": constants; NULL of other numbers. */
WM_API const char *wm_modes_name(uint32_t mode);

/* A stream of a whole machine is in a mode from this block on, up to its next change. */
struct wm_mode_change {
	uint64_t block_ordinal;
	uint32_t mode; /* enum wm_mode */
};

/*
 * The modes of a stream, in order; the first one begins with block 0. For one thread.
 * WM_E_RANGE: there is no such stream, the trace is of a program, or it was recorded without
 * the events that tell, which are "trap" and "trap_return".
 */
struct wm_modes;
WM_API int wm_modes_new(struct wm_modes **modes, const struct wm_trace *trace,
			unsigned stream, struct wm_error *err);
WM_API void wm_modes_free(struct wm_modes *modes);
/* The next one, or WM_END. */
WM_API int wm_modes_next_sized(struct wm_modes *modes, struct wm_mode_change *change,
			       size_t bytes, struct wm_error *err);
static inline int wm_modes_next(struct wm_modes *modes, struct wm_mode_change *change,
				struct wm_error *err)
{
	return wm_modes_next_sized(modes, change, sizeof(*change), err);
}

#ifdef __cplusplus
}
#endif

#endif
