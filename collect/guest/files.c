// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An initrd and the disk that it mounts have different files by one name, and a disk is mounted
 * below /root first, later at /, or at /mnt: so the path alone does not say which file it is. On a
 * disk the inode's number does: the file is the one that has it and whose path ends the guest's.
 * Where it is on no such place, it is the initrd's, and only what the initrd has not is looked
 * for by its path alone, on a disk that is a copy of the guest's.
 *
 * Example: the guest maps /root/usr/bin/sh, inode 77. The disk has it as /usr/bin/sh. Before,
 * it has mapped /usr/bin/sh, inode 5, which on the disk is another one's: that was the initrd's.
 */
#include "collect/guest/files.h"

#include <stdlib.h>
#include <string.h>

#include "collect/guest/disk.h"
#include "collect/guest/root.h"

enum { MINOR_BITS = 20 }; /* of a device's number in Linux */

/* *path becomes the host's of the file that the disk has at the end of it, `where`. */
static bool find_on_disk(const struct guest_files *files, const char *where,
			 struct message_module *message, char **path)
{
	char *found = where ? strdup(where) : NULL;

	if (!found)
		return false;
	if (!guest_root_find(files->root, message, &found)) {
		free(found);
		return false;
	}
	free(*path);
	*path = found;
	return true;
}

bool guest_files_find(const struct guest_files *files, struct message_module *message,
		      char **path)
{
	const char *disk = **path == '/' ? files->disk : NULL, *where = NULL;

	if (!disk)
		return guest_root_find(files->root, message, path) ||
		       guest_root_find(files->initrd, message, path);
	/* What is on no block device, an initrd's file, has major number 0. */
	if (message->dev >> MINOR_BITS && message->ino)
		where = guest_disk_copy(disk, files->root, *path, message->ino);
	return find_on_disk(files, where, message, path) ||
	       guest_root_find(files->initrd, message, path) ||
	       find_on_disk(files, guest_disk_copy(disk, files->root, *path, 0), message,
			    path);
}
