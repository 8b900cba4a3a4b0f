/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks before the run that what the user named can be recorded, and after it that it
 * was.
 */
#ifndef CLI_RECORD_CHECK_H
#define CLI_RECORD_CHECK_H

#include "collect/steering.h"

/*
 * Before `program` starts with qemu_args (NULL-terminated): checks that the folders of
 * libraries (-L) exist, and looks up the code that *steering names. Fills in *foresight,
 * to which *steering then points; the caller finishes it. WM_E_RANGE with a sentence
 * about the first name that does not exist and cannot appear later.
 */
int record_check(struct steering *steering, struct foresight *foresight,
		 const char *program, char *const *qemu_args, struct wm_error *err);

/*
 * What record_check() does, of a whole machine, whose code has the names of kernels[], which
 * ends with NULL.
 * `follows`: names may also be those of files and modules that its Linux comes to.
 */
int record_check_machine(struct steering *steering, struct foresight *foresight,
			 const struct kernel_file *kernels, bool follows,
			 struct wm_error *err);

/*
 * The value of a variable in the guest: that of QEMU's last -E VARIABLE=VALUE, or else of
 * this process, whose environment the guest inherits.
 */
const char *guest_variable(char *const *qemu_args, const char *name);

/*
 * Afterwards: reports on stderr what was not found or not reached. EXIT_ERROR when
 * something that the user named was not recorded, else EXIT_OK.
 */
int record_judge(const struct steering *steering, const struct steering_outcome *outcome);

#endif
