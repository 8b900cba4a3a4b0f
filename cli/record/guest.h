/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest program: where it is, and which emulator it needs. */
#ifndef CLI_RECORD_GUEST_H
#define CLI_RECORD_GUEST_H

#include "waymark.h"

#include <limits.h>

struct guest {
	char path[PATH_MAX]; /* what QEMU is to open */
	char name[PATH_MAX]; /* what the program is to be told that it is: argv[0] */
	const char *arch;    /* as in qemu-<arch>; static */
};

/*
 * Finds `name` (a path when it has a slash; otherwise in the current directory, then in
 * the folders of programs of `sysroot`, unless that is NULL, then in PATH) and reads its
 * header. WM_E_IO, or WM_E_FORMAT for what no emulator here runs.
 */
int guest_find(struct guest *guest, const char *name, const char *sysroot,
	       struct wm_error *err);

/* The machines there are, as in qemu-<arch>, by index; NULL behind the last. */
const char *guest_arch(unsigned index);

#endif
