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
	char *root; /* absolute: a folder with the files of the guest; NULL: none */
	struct guest_linux layout;	 /* of the Linux among them */
	char unfollowed[PATH_MAX + 128]; /* see collect/layout.h */
};

/* For a parser's children; the input is a struct record_machine. */
extern const struct argp record_machine_argp;
void record_machine_fini(struct record_machine *machine);

/*
 * Takes the options -L DIR out of qemu_args, which are user mode's: here the last one is the
 * folder with the guest's files. *n is how many are left. WM_E_IO with advice.
 */
int record_machine_take_root(struct record_machine *machine, char **qemu_args,
			     unsigned *n, struct wm_error *err);
/*
 * Checks that the machine can be recorded with the options in `run`. Checks the files
 * with its code, and reads what is needed to follow a kernel among them. Prints on stderr
 * what of such a kernel cannot be followed. WM_E_RANGE, WM_E_IO or WM_E_FORMAT with
 * advice.
 */
int record_machine_check(struct record_machine *machine, const struct record_options *run,
			 struct wm_error *err);

#endif
