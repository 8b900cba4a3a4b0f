/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that is run under limits, and ended when it exceeds one. */
#ifndef CLI_SUITE_LIMITS_H
#define CLI_SUITE_LIMITS_H

#include <sys/types.h>

#include "cli/suite/suite.h"

struct limited {
	pid_t group; /* of processes: the program leads it */
	const struct suite_limits *limits;
	const char *trace;    /* the file whose size is limited */
	int status;	      /* at the end: of waitpid() */
	const char *exceeded; /* the limit that ended it: "max-seconds"; NULL: none */
	uint64_t allowed;     /* by that limit */
	uint64_t milliseconds;
};

/* Waits for the end of the program. WM_E_IO when that is impossible. */
int limited_wait(struct limited *limited, struct wm_error *err);

#endif
