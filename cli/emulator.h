/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The QEMU to run under, and the plugin that fits it. */
#ifndef CLI_EMULATOR_H
#define CLI_EMULATOR_H

#include "waymark.h"

#include <limits.h>

struct emulator {
	char path[PATH_MAX];   /* absolute */
	char plugin[PATH_MAX]; /* absolute */
	char version[32];      /* "7.2.22" */
};

/*
 * Finds the emulator for `arch`, or the one the user `asked` for (a path or a name in
 * PATH; NULL for none), starts it once to learn its version and whether it takes
 * plugins, and picks the plugin. WM_E_IO or WM_E_FORMAT, with what to do about it.
 */
int emulator_find(struct emulator *emulator, const char *arch, const char *asked,
		  struct wm_error *err);

#endif
