// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a machine's kernel has mapped is known by the guest's path, of a file that is in an
 * image of a disk. Who has that as a folder on the host, from which the image was made, names
 * it (record --sysroot). Nobody reads the guest's file, so nothing says that it is the same.
 *
 * Example: in folder /rootfs, whose bin is a link to /usr/bin, the guest's /bin/busybox is
 * the host's /rootfs/usr/bin/busybox.
 */
#include "collect/guest/root.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

/* A descriptor of the file, or -1; it may be anything but a FIFO that would be waited for. */
static int open_inside(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (folder < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
	close(folder);
	return fd;
}

static char *path_of(int fd)
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	return n > 0 && n < (ssize_t)sizeof(path) ? strndup(path, (size_t)n) : NULL;
}

bool guest_root_find(const char *root, struct message_module *message, char **path)
{
	int fd = root && **path == '/' ? open_inside(root, *path) : -1;
	char *found = NULL;
	struct stat st;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		found = path_of(fd);
	close(fd);
	if (!found)
		return false;
	free(*path);
	*path = found;
	message->dev = st.st_dev;
	message->ino = st.st_ino;
	message->mtime_ns = timespec_ns(st.st_mtim);
	return true;
}
