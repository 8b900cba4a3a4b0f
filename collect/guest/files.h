/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What has the files of a guest, on the host: a folder, a disk that it is filled from, an initrd. */
#ifndef COLLECT_GUEST_FILES_H
#define COLLECT_GUEST_FILES_H

#include "format/arena.h"

/* Absolute paths. */
struct guest_files {
	const char *root;   /* the folder with the files; NULL: no folder */
	const char *disk;   /* the image that they are copied from to there; NULL: none */
	const char *initrd; /* a folder with what the machine starts with; NULL: none */
};

/*
 * Puts the host's path of the file that the guest calls *path, and the host's numbers of it, into
 * the message and *path, as guest_root_find() (root.h). False: nothing here has it.
 */
bool guest_files_find(const struct guest_files *files, struct message_module *message,
		      char **path);

#endif
