// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths come from guests and traces: they may name a FIFO, a device, or a file that is
 * made to attack its reader.
 *
 * libelf checks what it reads against the file's size. Files are read, never mapped,
 * because a file that shrinks under a mapping kills the process with SIGBUS. Example: a
 * compiler that rewrites a.out while `waymark hot` reads it causes a damaged or missing
 * name, not a crash.
 */
#include "program/elf/file.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int elf_file_open(const char *path)
{
	/*
	 * O_NONBLOCK: opening a FIFO does not wait for its writer. O_NOCTTY: a terminal
	 * does not become the controlling one. Both are harmless for the regular files
	 * that remain.
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

bool elf_file_is(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

/* A build-id becomes part of paths and is printed, so it is text from here on. */
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
