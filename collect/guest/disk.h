/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The image of a guest's disk, with a file system ext2, ext3 or ext4. */
#ifndef COLLECT_GUEST_DISK_H
#define COLLECT_GUEST_DISK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the file open at `fd` is such an image: the file system alone, or a disk with
 * partitions (MBR, GPT), of which the first that has one counts. *start is where it begins.
 */
bool guest_disk_find(int fd, uint64_t *start);
/*
 * Copies a file out of the image at `disk` into folder `root`, unless it is there already as it
 * is in the image. Nothing else than a regular file is, of at most GUEST_BYTES_MAX (file.h).
 * It is the one that the guest calls `path`, or, wherever the guest has mounted the disk, the one
 * of inode `ino` that an end of `path` names; 0: the one at `path`, whichever its inode is. Returns
 * that end, which is the file's path on the disk; NULL: there is none.
 */
const char *guest_disk_copy(const char *disk, const char *root, const char *path,
			    uint64_t ino);

#endif
