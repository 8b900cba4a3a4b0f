// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A disk has far more files than a guest runs: each is copied when the guest maps it. The
 * guest may be writing to its disk meanwhile. What it runs is mostly older than its boot, and
 * a copy that is something else has another build-id, or other code.
 *
 * Example: a GPT's second partition begins at 1 MiB: its superblock is at 1 MiB + 1024, and
 * has the magic number 0xef53 at byte 56.
 */
#include "collect/guest/disk.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ext2fs/ext2fs.h>

#include "collect/guest/file.h"

enum {
	SECTOR = 512,
	TABLE_OFF = 446, /* of the MBR's four entries, 16 bytes each */
	GPT_ENTRY = 128,
	GPT_ENTRIES = 128,
	PIECE = 1 << 16,
};

static bool read_at(int fd, void *to, size_t bytes, uint64_t off)
{
	return off < INT64_MAX && pread(fd, to, bytes, (off_t)off) == (ssize_t)bytes;
}

static uint64_t number(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

static bool is_ext(int fd, uint64_t start)
{
	uint8_t magic[2];

	return start < INT64_MAX / 2 && read_at(fd, magic, 2, start + 1024 + 56) &&
	       number(magic, 2) == EXT2_SUPER_MAGIC;
}

static bool find_in_gpt(int fd, uint64_t *start)
{
	uint8_t entry[GPT_ENTRY];

	for (unsigned i = 0; i < GPT_ENTRIES; i++) {
		if (!read_at(fd, entry, sizeof(entry), 2 * SECTOR + i * sizeof(entry)))
			return false;
		*start = number(entry + 32, 8) * SECTOR;
		if (*start && is_ext(fd, *start))
			return true;
	}
	return false;
}

bool guest_disk_find(int fd, uint64_t *start)
{
	uint8_t sector[SECTOR], gpt[8];

	*start = 0;
	if (is_ext(fd, 0))
		return true;
	if (read_at(fd, gpt, sizeof(gpt), SECTOR) && !memcmp(gpt, "EFI PART", 8))
		return find_in_gpt(fd, start);
	if (!read_at(fd, sector, sizeof(sector), 0) ||
	    number(sector + SECTOR - 2, 2) != 0xaa55)
		return false;
	for (unsigned i = 0; i < 4; i++) {
		*start = number(sector + TABLE_OFF + 16 * i + 8, 4) * SECTOR;
		if (*start && is_ext(fd, *start))
			return true;
	}
	return false;
}

/* ---- copying ---------------------------------------------------------------------------- */

static bool is_there(const char *root, const char *path, const struct ext2_inode *inode)
{
	char there[PATH_MAX];
	struct stat st;

	return snprintf(there, sizeof(there), "%s%s", root, path) < PATH_MAX &&
	       lstat(there, &st) == 0 && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size == EXT2_I_SIZE(inode) &&
	       st.st_mtime == (time_t)inode->i_mtime;
}

static bool copy(ext2_file_t from, struct guest_file *to)
{
	char *piece = malloc(PIECE);
	unsigned got = 1;
	bool good = piece;

	while (good && got)
		good = !ext2fs_file_read(from, piece, PIECE, &got) &&
		       guest_file_write(to, piece, got);
	free(piece);
	return good;
}

static void copy_inode(ext2_filsys fs, ext2_ino_t ino, const char *root, const char *path)
{
	struct ext2_inode inode;
	struct guest_file to;
	ext2_file_t from;

	/* One that is mostly holes may say any size. */
	if (ext2fs_read_inode(fs, ino, &inode) || !LINUX_S_ISREG(inode.i_mode) ||
	    EXT2_I_SIZE(&inode) > GUEST_BYTES_MAX || is_there(root, path, &inode) ||
	    ext2fs_file_open(fs, ino, 0, &from))
		return;
	if (guest_file_begin(&to, root, path))
		guest_file_end(&to, copy(from, &to), (time_t)inode.i_mtime);
	ext2fs_file_close(from);
}

/* See guest_disk_copy(). A path without any "/" names nothing. */
static const char *find_inode(ext2_filsys fs, const char *path, uint64_t ino,
			      ext2_ino_t *found)
{
	for (; path; path = ino ? strchr(path + 1, '/') : NULL)
		if (!ext2fs_namei_follow(fs, EXT2_ROOT_INO, EXT2_ROOT_INO, path, found) &&
		    (!ino || *found == ino))
			return path;
	return NULL;
}

const char *guest_disk_copy(const char *disk, const char *root, const char *path,
			    uint64_t ino)
{
	int fd = open(disk, O_RDONLY | O_CLOEXEC);
	char options[40];
	uint64_t start;
	ext2_filsys fs;
	ext2_ino_t inode;
	bool found = fd >= 0 && guest_disk_find(fd, &start);

	if (fd >= 0)
		close(fd);
	if (!found)
		return NULL;
	snprintf(options, sizeof(options), "offset=%llu", (unsigned long long)start);
	if (ext2fs_open2(disk, options, EXT2_FLAG_64BITS | EXT2_FLAG_SOFTSUPP_FEATURES, 0,
			 0, unix_io_manager, &fs))
		return NULL;
	path = find_inode(fs, path, ino, &inode);
	if (path)
		copy_inode(fs, inode, root, path);
	ext2fs_close_free(&fs);
	return path;
}
