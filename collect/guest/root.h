/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of what runs in a machine, in a folder of the host that has the same. */
#ifndef COLLECT_GUEST_ROOT_H
#define COLLECT_GUEST_ROOT_H

#include "format/arena.h"

/*
 * If folder `root` (NULL: there is none) has the file that the guest calls *path, puts the
 * host's path in its place, which is malloc()ed as the old one was, and the host's numbers of
 * the file into the message. Symbolic links, also absolute ones, stay inside the folder.
 * False: it does not have it.
 */
bool guest_root_find(const char *root, struct message_module *message, char **path);

#endif
