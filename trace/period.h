/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a recording was, by the clock of its machine. */
#ifndef TRACE_PERIOD_H
#define TRACE_PERIOD_H

#include "waymark.h"

struct period {
	uint64_t begin_ns, end_ns; /* equal when not known */
};

/* From the first process's start to the last sign of life. */
struct period period_of(const struct wm_trace *trace);

#endif
