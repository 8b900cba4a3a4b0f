/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that a program will be loaded with, found before it runs: itself, its
 * interpreter, and the shared libraries it names, searched for as its loader does under
 * QEMU (ld.so(8)). What it loads later by dlopen() is not among them.
 */
#ifndef COLLECT_FORESIGHT_H
#define COLLECT_FORESIGHT_H

#include "collect/landmarks.h"

/* What it goes by; the caller's. */
struct foresight_view {
	const char *program;
	const char *sysroot;	  /* QEMU's -L; NULL: none */
	const char *library_path; /* LD_LIBRARY_PATH of the guest; NULL: none */
	const char *preload;	  /* LD_PRELOAD of the guest; NULL: none */
};

struct foresight {
	char **files; /* [n] paths, where we find them; the program is the first */
	size_t n;
	bool complete; /* all of them have been found */
};

/* Fills it in as far as it can. */
void foresight_init(struct foresight *foresight, const struct foresight_view *view);
void foresight_fini(struct foresight *foresight);

/*
 * Looks for landmarks[n] in the files, one after the other, until all have been found, and
 * adds to finds[n]. False without memory.
 */
bool foresight_find(const struct foresight *foresight, const struct landmark *landmarks,
		    size_t n, struct landmark_find *finds);
/* All names of code in them, *words[*n]; the caller's to free, as is each. */
bool foresight_names(const struct foresight *foresight, char ***words, size_t *n);

#endif
