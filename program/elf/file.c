// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths come from guests and traces: they may name a FIFO, a device, or a file made to
 * hurt its reader. libelf checks what it reads against the file's size, and never maps
 * it, because a file that shrinks under a mapping kills the process.
 */
#include "program/elf/file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int elf_file_open(const char *path)
{
	/*
	 * Neither waits for the writer of a FIFO, nor makes a terminal the controlling
	 * one.
	 */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -1;
}

void elf_file_build_id(int fd, char text[ELF_BUILD_ID_TEXT])
{
	const void *found;
	ssize_t n = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		n = dwelf_elf_gnu_build_id(elf, &found);
	/* "" also for a build-id that is too long to be one. */
	*text = 0;
	for (ssize_t i = 0; n <= ELF_BUILD_ID_BYTES_MAX && i < n; i++)
		sprintf(text + 2 * i, "%02x", ((const uint8_t *)found)[i]);
	elf_end(elf);
}

/* The one below `root`, if it is that of the build. */
static int open_debug_below(const char *root, size_t root_length, const char *build_id)
{
	char path[PATH_MAX], its_own[ELF_BUILD_ID_TEXT];
	int n = snprintf(path, sizeof(path), "%.*s/usr/lib/debug/.build-id/%.2s/%s.debug",
			 (int)root_length, root, build_id, build_id + 2);
	int fd = n < (int)sizeof(path) ? elf_file_open(path) : -1;

	if (fd < 0)
		return -1;
	elf_file_build_id(fd, its_own);
	if (!strcmp(its_own, build_id))
		return fd;
	/*
	 * The debug file of another build: a folder further out may have the right one.
	 */
	close(fd);
	return -1;
}

int elf_file_open_debug(const char *path, const char *build_id)
{
	size_t length = strlen(path);
	int fd = -1;

	/* A build-id from a trace becomes part of a path: it must not lead elsewhere. */
	if (strlen(build_id) < 3 || build_id[strspn(build_id, "0123456789abcdef")] != 0 ||
	    length >= PATH_MAX)
		return -1;
	/* From the innermost folder outwards, the root last. */
	while (fd < 0 && length-- > 0)
		if (path[length] == '/')
			fd = open_debug_below(path, length, build_id);
	return fd;
}
