/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that a program will be loaded with, found before it runs: itself, its
 * interpreter, and the shared libraries it names, searched for as its loader does under
 * QEMU (ld.so(8)). What it loads later by dlopen() is not among them.
 */
#ifndef COLLECT_FORESIGHT_H
#define COLLECT_FORESIGHT_H

#include "program/landmarks.h"

struct kernel_file;

/* Where to look; the caller's. */
struct foresight_view {
	const char *program;
	const char *sysroot;	  /* QEMU's -L; NULL: none */
	const char *library_path; /* LD_LIBRARY_PATH of the guest; NULL: none */
	const char *preload;	  /* LD_PRELOAD of the guest; NULL: none */
};

struct foreseen_file {
	char *path;		     /* where we find it */
	uint64_t at;		     /* of a machine: see struct kernel_file */
	uint64_t dev, ino, mtime_ns; /* as stat() has them, once it was looked through */
};

struct foresight {
	struct foreseen_file *files; /* [n] the program is the first */
	size_t n;
	bool complete; /* every file that is needed was found */
	bool machine;  /* they are a machine's: places are at guest addresses */
	bool follows; /* what the machine's Linux maps and loads is looked through later */

	/* What foresight_find() has found in them. */
	struct landmark_find *finds;
	struct order_place *places; /* [n_places] */
	size_t n_places;
};

/* Fills it in as far as it can. */
void foresight_init(struct foresight *foresight, const struct foresight_view *view);
/*
 * The same of a machine's files. `follows`: there is a Linux among them
 * whose modules or processes are followed.
 */
void foresight_init_machine(struct foresight *foresight, const struct kernel_file *files,
			    bool follows);
void foresight_fini(struct foresight *foresight);

/* Looks for landmarks[n] in all the files. False without memory. */
bool foresight_find(struct foresight *foresight, const struct landmark *landmarks,
		    size_t n);
/* All names of code in them, *words[*n]; the caller's to free, as is each. */
bool foresight_names(const struct foresight *foresight, char ***words, size_t *n);

#endif
