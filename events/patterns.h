/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events are wanted, as patterns on the command line. */
#ifndef EVENTS_PATTERNS_H
#define EVENTS_PATTERNS_H

#include "base/error.h"

/*
 * Changes *mask (bit n: events of kind n are wanted) by patterns separated by commas, in
 * their order: a glob turns on the events whose names it fits, with "-" before it off,
 * and @FILE stands for the patterns in a file, one or more a line, in which # begins a
 * comment. WM_E_RANGE for a pattern that fits nothing, WM_E_IO for a file that cannot be
 * read; then *mask is as it was.
 */
int events_apply(uint64_t *mask, const char *patterns, struct wm_error *err);

#endif
