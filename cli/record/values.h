/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `record` writes beside the path: accesses to memory, and registers. */
#ifndef CLI_RECORD_VALUES_H
#define CLI_RECORD_VALUES_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "collect/steering.h"
#include "query/position.h"
#include "waymark.h"

struct record_values {
	uint32_t accesses; /* enum values_wanted: of --mem */
	bool data, commits;
	struct record_value {
		struct position place;
		const char *text, *items; /* all of the option, and the items in it */
	} places[ORDER_VALUES_MAX];
	uint32_t n_places;
	struct buf lines; /* their texts, for the file */
};

/* For a parser's children; the input is a struct record_values of zeros. */
extern const struct argp record_values_argp;

/* All that is wanted: enum values_wanted. */
uint32_t record_values_wanted(const struct record_values *values);
/*
 * Adds the values at places to *steering, which then points into *values. `isa` is the
 * guest's, for the names of registers. WM_E_RANGE with a sentence, WM_E_NOMEM.
 */
int record_values_apply(struct record_values *values, const char *isa,
			struct steering *steering, struct wm_error *err);
/* Checks that nothing of it is of machines only, for a recording of a program. WM_E_RANGE. */
int record_values_check_program(const struct steering *steering, const char *isa,
				struct wm_error *err);
void record_values_fini(struct record_values *values);
/*
 * Checks that a QEMU of that version ("7.2.22") shows what is wanted of a guest of that
 * ISA; *steering has what record_values_apply() added. WM_E_RANGE, with what to do.
 */
int record_values_check(const struct record_values *values,
			const struct steering *steering, const char *isa,
			const char *version, struct wm_error *err);
/* Whether QEMU must translate each instruction by itself (-singlestep) for it. */
bool record_values_need_steps(const struct record_values *values, const char *version);

#endif
