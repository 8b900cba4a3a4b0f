/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of the guest that is copied into a folder of the host. */
#ifndef COLLECT_GUEST_FILE_H
#define COLLECT_GUEST_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Of an archive, or of one file of a disk: either may be made to fill the host's disk. */
#define GUEST_BYTES_MAX (UINT64_C(4) << 30)

struct guest_file {
	int folder, fd;
	char name[NAME_MAX + 1], temporary[32];
};

/*
 * A new file at `path`, as the guest has it, in folder `root`; folders on the way are made.
 * No symbolic link is followed. False: it cannot be made there. After true guest_file_end()
 * is to be called.
 */
bool guest_file_begin(struct guest_file *file, const char *root, const char *path);
bool guest_file_write(struct guest_file *file, const void *data, size_t bytes);
/* It takes the place of what was at its path, or, not `good`, is dropped. False: dropped. */
bool guest_file_end(struct guest_file *file, bool good, time_t modified);
/* A symbolic link, in the place of what was at its path. False: it cannot be made. */
bool guest_file_link(const char *root, const char *path, const char *target);
/* One more name (hard link) of the file at `target`, both as the guest has them; as above. */
bool guest_file_name(const char *root, const char *path, const char *target);

#endif
