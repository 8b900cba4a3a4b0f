/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the code that was made at run time is in a trace. */
#ifndef PROGRAM_MADE_TRACED_H
#define PROGRAM_MADE_TRACED_H

#include "program/made/made.h"
#include "waymark.h"

/* made_settle() by the blocks of a trace. False: no memory. */
bool made_settle_traced(struct made *made, const char *text,
			const struct wm_trace *trace);

#endif
