/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a part of a run that is asked for can be recorded: before, and afterwards. */
#ifndef CLI_RECORD_CHECK_H
#define CLI_RECORD_CHECK_H

#include "collect/steering.h"

/*
 * Looks whether the folders of libraries (-L) are there, and for the code that is named
 * where `program` will find it, started with qemu_args (NULL-terminated): *foresight, the
 * caller's to finish, is what *steering then points to. WM_E_RANGE with a sentence about the
 * first that is not there and cannot come later; what names its file may.
 */
int record_check(struct steering *steering, struct foresight *foresight,
		 const char *program, char *const *qemu_args, struct wm_error *err);

/*
 * Says on stderr what of it did not come to be. EXIT_ERROR when something that was asked for
 * was not recorded, else EXIT_OK.
 */
int record_judge(const struct steering *steering, const struct steering_outcome *outcome);

#endif
