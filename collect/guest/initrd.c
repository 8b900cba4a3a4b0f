// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Linux takes several archives one behind the other, with zeros between them; only the last
 * one may be compressed. libarchive reads one. Where an uncompressed one ends, its headers
 * say: 110 bytes of hexadecimal numbers, a name, and data, both padded to 4 bytes.
 *
 * Example: microcode for the processor as a plain archive of 5 MB, and behind it, by zstd, the
 * initrd itself.
 */
#include "collect/guest/initrd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "collect/guest/file.h"

enum { HEADER = 110, NAME = 16, PIECE = 1 << 16, ELF_MAGIC = 4 };

#define UNPACKED_MAX \
	(UINT64_C(4) << 30) /* bytes: an archive may be made to fill a disk */

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 3) & ~UINT64_C(3);
}

static uint64_t field(const char *header, unsigned number)
{
	char text[9] = { 0 };

	memcpy(text, header + 6 + 8 * number, 8);
	return strtoul(text, NULL, 16);
}

/* The first byte at or behind `off` that is not 0; the end of the file. */
static uint64_t pass_zeros(int fd, uint64_t off)
{
	char bytes[512];
	ssize_t n;

	while ((n = pread(fd, bytes, sizeof(bytes), (off_t)off)) > 0)
		for (ssize_t i = 0; i < n; i++, off++)
			if (bytes[i])
				return off;
	return off;
}

/* Where the plain archive at `off` ends and the next one begins; 0: it is no plain one. */
static uint64_t end_of_plain(int fd, uint64_t off)
{
	char header[HEADER + NAME] = { 0 };

	/* Each step is at least a header: a file is passed once. */
	while (pread(fd, header, sizeof(header), (off_t)off) >= HEADER &&
	       !memcmp(header, "07070", 5)) {
		off += padded(HEADER + field(header, 11)) + padded(field(header, 6));
		if (!memcmp(header + HEADER, "TRAILER!!!", 10))
			return pass_zeros(fd, off);
	}
	return 0;
}

/* ---- unpacking -------------------------------------------------------------------------- */

struct unpacking {
	struct archive *archive;
	const char *root;
	uint64_t left; /* bytes that may still be written */
};

/* False: the archive is damaged. What cannot be written is left out. */
static bool unpack_file(struct unpacking *to, struct archive_entry *entry)
{
	char *piece = malloc(PIECE);
	ssize_t n = piece ? archive_read_data(to->archive, piece, PIECE) : 0;
	struct guest_file file;
	bool good = true;

	if (n < ELF_MAGIC || memcmp(piece, "\177ELF", ELF_MAGIC) != 0 ||
	    !guest_file_begin(&file, to->root, archive_entry_pathname(entry))) {
		free(piece);
		return n >= 0;
	}
	for (; good && n > 0; n = archive_read_data(to->archive, piece, PIECE)) {
		good = (uint64_t)n <= to->left &&
		       guest_file_write(&file, piece, (size_t)n);
		to->left -= good ? (uint64_t)n : 0;
	}
	guest_file_end(&file, good && !n, archive_entry_mtime(entry));
	free(piece);
	return n >= 0;
}

static bool unpack_entries(struct unpacking *to)
{
	struct archive_entry *entry;
	int ret;

	while ((ret = archive_read_next_header(to->archive, &entry)) >= ARCHIVE_WARN &&
	       ret != ARCHIVE_EOF) {
		const char *path = archive_entry_pathname(entry);

		if (path && archive_entry_filetype(entry) == AE_IFLNK &&
		    archive_entry_symlink(entry))
			guest_file_link(to->root, path, archive_entry_symlink(entry));
		else if (path && archive_entry_filetype(entry) == AE_IFREG &&
			 !unpack_file(to, entry))
			return false;
	}
	return ret == ARCHIVE_EOF;
}

static bool unpack_at(int fd, uint64_t off, struct unpacking *to)
{
	bool good;

	to->archive = archive_read_new();
	good = to->archive && !archive_read_support_filter_all(to->archive) &&
	       !archive_read_support_format_cpio(to->archive) &&
	       !archive_read_support_format_tar(to->archive) &&
	       lseek(fd, (off_t)off, SEEK_SET) == (off_t)off &&
	       !archive_read_open_fd(to->archive, fd, PIECE) && unpack_entries(to);
	archive_read_free(to->archive);
	return good;
}

static bool unpack_all(int fd, const char *root)
{
	struct unpacking to = { .root = root, .left = UNPACKED_MAX };
	uint64_t size = (uint64_t)lseek(fd, 0, SEEK_END), off = 0;

	do {
		if (!unpack_at(fd, off, &to))
			return false;
		off = end_of_plain(fd, off);
	} while (off && off < size);
	return true;
}

/* Two recordings of one initrd do not unpack it at once. */
int guest_initrd_unpack(const char *path, const char *root, struct wm_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0 || folder < 0 || flock(folder, LOCK_EX))
		ret = wm_fail(err, WM_E_IO, 0, "--sysroot %s: %s", path, strerror(errno));
	else if (!unpack_all(fd, root))
		ret = wm_fail(err, WM_E_FORMAT, 0,
			      "--sysroot %s is no folder, no initrd (cpio, compressed or "
			      "not), no tar archive, and no raw image of a disk with a "
			      "file system ext2, ext3 or ext4",
			      path);
	if (fd >= 0)
		close(fd);
	if (folder >= 0)
		close(folder);
	return ret;
}
