/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The QEMU to run under, and the plugin that fits it. */
#ifndef CLI_RECORD_EMULATOR_H
#define CLI_RECORD_EMULATOR_H

#include "waymark.h"

#include <limits.h>
#include <stdbool.h>

struct emulator {
	bool system;  /* wanted: one that emulates a whole machine */
	bool inexact; /* of a machine: one that does not tell traps will do */
	bool blind;   /* found: such a one */
	bool silent;  /* of a machine: it does not tell traps; of some they are seen */
	char path[PATH_MAX];   /* absolute */
	char plugin[PATH_MAX]; /* absolute */
	char version[32];      /* "7.2.22" */
};

/*
 * Finds the emulator for `arch`. `asked` is the user's choice: a path, a version of one
 * in the cache, or a name in PATH. If it is NULL: qemu-<arch> in PATH, and if that does
 * not exist or cannot be used, the newest in the cache. WM_E_IO or WM_E_FORMAT, with
 * advice.
 */
int emulator_find(struct emulator *emulator, const char *arch, const char *asked,
		  struct wm_error *err);

/*
 * The same for a whole machine: `name` is a path when it has a slash, otherwise a name in
 * PATH or, if that cannot be used, of one in the cache.
 */
int emulator_find_system(struct emulator *emulator, const char *name,
			 struct wm_error *err);

/*
 * Starts the emulator at emulator->path once to learn its version and whether it takes
 * plugins, and picks the plugin; the caller has set emulator->system. Errors as above;
 * `version` is filled in when it is known.
 */
int emulator_check(struct emulator *emulator, struct wm_error *err);

/* Puts the version of the QEMU at `path` into version[size]; empty: it prints none. */
void emulator_version(const char *path, char *version, size_t size);

/*
 * Runs argv[] (NULL-terminated, argv[0] a path) and puts its output into text[size].
 * Returns its exit status, or -1 with errno when it did not start.
 */
int emulator_ask(const char *const argv[], char *text, size_t size);

/* The files of the plugins by index from 0; NULL after the last. */
const char *emulator_plugin(unsigned index);

#endif
