/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges of code that was made at run time (MADE), as modules. They are not among the
 * modules of waymark.h, which are files: a JIT compiler makes thousands of them.
 */
#ifndef TRACE_MADE_H
#define TRACE_MADE_H

#include "waymark.h"

uint32_t trace_made_count(const struct wm_trace *trace);
/*
 * Range `index`, below that count; its strings live as long as the trace. To the functions of
 * trace/symtabs.h it is module number (modules of the trace + index).
 */
void trace_made(const struct wm_trace *trace, uint32_t index, struct wm_module *module);

#endif
