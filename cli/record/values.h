/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `record` writes beside the path: accesses to memory, and registers. */
#ifndef CLI_RECORD_VALUES_H
#define CLI_RECORD_VALUES_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "waymark.h"

/* The options, to be initialized to zeros. */
struct record_values {
	uint32_t accesses; /* enum values_wanted: of --mem */
	bool data, commits;
};

/* Its options; the input is a struct record_values. */
extern const struct argp record_values_argp;

/* All that is wanted: enum values_wanted. */
uint32_t record_values_wanted(const struct record_values *values);
/*
 * Whether a QEMU of that version ("7.2.22") shows what is wanted of a guest of that ISA.
 * WM_E_RANGE, with what to do.
 */
int record_values_check(const struct record_values *values, const char *isa,
			const char *version, struct wm_error *err);
/* Whether QEMU must translate each instruction by itself (-singlestep) for it. */
bool record_values_need_steps(const struct record_values *values, const char *version);

#endif
