/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a line of QEMU's execlog plugin says that its instruction did: with -plugin
 * execlog,reg=*, also which registers have changed:
 *
 *	0, 0x10556, 0x6422, "ld s0,8(sp)", load, 0x4000800508, RAM, fp -> 0x0000000000000001
 */
#ifndef TRACE_EXECLINE_H
#define TRACE_EXECLINE_H

#include "waymark.h"

/* Where that begins; `at` is in the instruction's text. */
const char *execline_done(const char *at, const char *end);

/*
 * Reads the next thing: a load or store, without its data and size, or a register of
 * `isa`, as QEMU names it, written, with its number as in struct wm_access. Returns the
 * position after it; NULL: no more.
 */
const char *execline_next(const char *at, const char *end, const char *isa,
			  struct wm_access *access);

#endif
