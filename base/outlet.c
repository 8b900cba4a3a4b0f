// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compared by device and inode, and for a character device by the device it stands for. A
 * regular file is never accepted: a guest that has opened a data file as its descriptor 2
 * must not find our messages in it.
 */
#include "base/outlet.h"

#include <sys/stat.h>

/* Type 0 is no file's: outlet_is() is false for it. */
struct outlet outlet_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return (struct outlet){ .type = 0 };
	return (struct outlet){ .dev = st.st_dev,
				.ino = st.st_ino,
				.rdev = st.st_rdev,
				.type = st.st_mode & S_IFMT };
}

bool outlet_is(const struct outlet *outlet, int fd)
{
	struct outlet now = outlet_of(fd);

	return now.type && now.type != S_IFREG && now.type == outlet->type &&
	       now.dev == outlet->dev && now.ino == outlet->ino &&
	       now.rdev == outlet->rdev;
}
