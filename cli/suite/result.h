/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of a case: the file result.toml in its folder. */
#ifndef CLI_SUITE_RESULT_H
#define CLI_SUITE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "waymark.h"

enum suite_status {
	SUITE_PASSED,
	SUITE_FAILED, /* another exit status, a budget that it exceeds, a run that differs */
	SUITE_LIMIT,   /* it was ended because of a limit */
	SUITE_ERROR,   /* it could not be recorded, or the trace is not sound */
	SUITE_MISSING, /* there is no result */
};
extern const char *const suite_statuses[]; /* in that order */

struct result {
	uint64_t checksum; /* of the case: struct suite_case */
	enum suite_status status;
	char reason[256]; /* "" when it passed */
	uint64_t exit_status;
	uint64_t insns, blocks, trace_bytes, milliseconds;
	uint64_t runs;	       /* how often it ran */
	uint64_t fewest, most; /* instructions of its runs */
};

/* Writes it to `path`. WM_E_OUTPUT. */
int result_write(const struct result *result, const char *path, struct wm_error *err);
/* Reads it; SUITE_MISSING when the file does not exist or is not a result. */
void result_read(struct result *result, const char *path);

#endif
