/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scripts: what runs is the interpreter that their first line names. */
#ifndef CLI_RECORD_SCRIPT_H
#define CLI_RECORD_SCRIPT_H

#include "cli/record/guest.h"

/*
 * The guest, which is a script, becomes its interpreter, and *argv the arguments that Linux gives
 * to that, in new memory for good. The interpreter is the one of `sysroot`, by its name; without a
 * sysroot (NULL) the file itself, if it is not for this machine. WM_E_FORMAT: it is not there.
 */
int script_interpret(struct guest *guest, char ***argv, const char *sysroot,
		     struct wm_error *err);

#endif
