/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest program: where it is, and which emulator it needs. */
#ifndef CLI_RECORD_GUEST_H
#define CLI_RECORD_GUEST_H

#include "waymark.h"

#include <limits.h>
#include <stdbool.h>

struct guest {
	char path[PATH_MAX]; /* for QEMU to open */
	char name[PATH_MAX]; /* the program's argv[0] */
	const char *arch;    /* as in qemu-<arch>; static */
	bool in_path;	     /* it was found in PATH only */
	bool is_script;	     /* and not a program: only the path is set */
};

/*
 * Finds `name` (a path when it has a slash; otherwise in the current directory, then in
 * the folders of programs of `sysroot`, unless that is NULL, then in PATH) and reads its
 * header. WM_E_IO, or WM_E_FORMAT for a file that no emulator runs.
 */
int guest_find(struct guest *guest, const char *name, const char *sysroot,
	       struct wm_error *err);

/* Whether it is a program of the machine that this is. */
bool guest_is_of_host(const struct guest *guest);

/* The machine of an open ELF file, as in qemu-<arch>; NULL: none of these. */
const char *guest_arch_of(int fd);
/* All machines, as in qemu-<arch>, by index; NULL after the last. */
const char *guest_arch(unsigned index);

#endif
