/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of `record` for a whole machine: --system and --kernel. */
#ifndef CLI_RECORD_MACHINE_H
#define CLI_RECORD_MACHINE_H

#include <argp.h>
#include <limits.h>
#include <stdbool.h>

#include "collect/record.h"

struct record_machine {
	bool on;
	char **kernels; /* [n_kernels] absolute paths, then NULL; to be freed */
	unsigned n_kernels;
	struct guest_linux layout;	 /* of the Linux among them */
	char unfollowed[PATH_MAX + 128]; /* see collect/layout.h */
};

/* For a parser's children; the input is a struct record_machine. */
extern const struct argp record_machine_argp;
void record_machine_fini(struct record_machine *machine);

/*
 * Whether that can be recorded of a machine: `run` has the options that were given. Checks
 * the files with its code, and reads what is needed to follow a kernel among them. Says on
 * stderr what of such a kernel cannot be followed. WM_E_RANGE, WM_E_IO or WM_E_FORMAT with
 * advice.
 */
int record_machine_check(struct record_machine *machine, const struct record_options *run,
			 struct wm_error *err);

#endif
