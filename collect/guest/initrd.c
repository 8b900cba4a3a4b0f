// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Linux takes several archives one behind the other, with zeros between them, each compressed
 * or not. libarchive reads one. Where an uncompressed one ends, its headers say: 110 bytes of
 * hexadecimal numbers, a name, and data, both padded to 4 bytes. What is behind the first
 * archive of a compressed stream is known when the stream is expanded, into a file without a
 * name.
 *
 * Names of one file (hard links) are made last: cpio has its data behind the last name.
 *
 * Example: microcode for the processor as a plain archive of 5 MB, and behind it, by zstd, the
 * initrd itself. Or Debian's installer, initrd.gz, and firmware.cpio.gz behind it.
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

#include "base/append.h"
#include "collect/guest/file.h"

enum { HEADER = 110, NAME = 16, PIECE = 1 << 16, ELF_MAGIC = 4 };

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

struct name {
	char *path, *target;
};

struct unpacking {
	struct archive *archive;
	const char *root;
	uint64_t left; /* bytes that may still be written */
	unsigned entries;
	struct name *names; /* hard links, which are still to be made */
	size_t n_names;
	char why[128]; /* the archive is damaged */
};

/* False: the archive is damaged. What cannot be written is left out. */
static bool unpack_file(struct unpacking *to, const char *path, time_t modified)
{
	char *piece = malloc(PIECE);
	ssize_t n = piece ? archive_read_data(to->archive, piece, PIECE) : 0;
	struct guest_file file;
	bool good = true;

	if (n < ELF_MAGIC || memcmp(piece, "\177ELF", ELF_MAGIC) != 0 ||
	    !guest_file_begin(&file, to->root, path)) {
		free(piece);
		return n >= 0;
	}
	for (; good && n > 0; n = archive_read_data(to->archive, piece, PIECE)) {
		good = (uint64_t)n <= to->left &&
		       guest_file_write(&file, piece, (size_t)n);
		to->left -= good ? (uint64_t)n : 0;
	}
	guest_file_end(&file, good && !n, modified);
	free(piece);
	return n >= 0;
}

static void note_name(struct unpacking *to, const char *path, const char *target)
{
	struct name name = { strdup(path), strdup(target) };

	if (name.path && name.target && APPEND(to->names, to->n_names, name))
		return;
	free(name.path);
	free(name.target);
}

static void make_names(struct unpacking *to)
{
	for (size_t i = 0; i < to->n_names; i++) {
		guest_file_name(to->root, to->names[i].path, to->names[i].target);
		free(to->names[i].path);
		free(to->names[i].target);
	}
	free(to->names);
	to->names = NULL;
	to->n_names = 0;
}

static bool unpack_entry(struct unpacking *to, struct archive_entry *entry)
{
	const char *path = archive_entry_pathname(entry);
	const char *target = archive_entry_hardlink(entry);

	if (path && archive_entry_filetype(entry) == AE_IFLNK &&
	    archive_entry_symlink(entry))
		guest_file_link(to->root, path, archive_entry_symlink(entry));
	if (path && target)
		note_name(to, path, target);
	/* Of a further name tar tells no type. */
	if (!path || archive_entry_filetype(entry) != AE_IFREG)
		return true;
	return unpack_file(to, target ? target : path, archive_entry_mtime(entry));
}

/* A cpio archive in a compressed stream: others may be behind it there. */
static bool is_packed(struct archive *archive)
{
	int format = archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK;

	return format == ARCHIVE_FORMAT_CPIO && archive_filter_count(archive) > 1;
}

/* *packed, unless NULL: nothing has been unpacked, because is_packed(). */
static bool unpack_entries(struct unpacking *to, bool *packed)
{
	struct archive_entry *entry;
	int ret;

	while ((ret = archive_read_next_header(to->archive, &entry)) >= ARCHIVE_WARN &&
	       ret != ARCHIVE_EOF) {
		to->entries++;
		if (packed && is_packed(to->archive))
			return *packed = true;
		if (!unpack_entry(to, entry))
			return false;
	}
	return ret == ARCHIVE_EOF;
}

/* Opens what is at `off` of the file, compressed or not. */
static bool open_at(struct archive *archive, int fd, uint64_t off)
{
	return archive && !archive_read_support_filter_all(archive) &&
	       lseek(fd, (off_t)off, SEEK_SET) == (off_t)off &&
	       !archive_read_open_fd(archive, fd, PIECE);
}

static void note_why(struct unpacking *to, struct archive *archive)
{
	const char *why = archive_error_string(archive);

	if (why && *why)
		snprintf(to->why, sizeof(to->why), "%s", why);
}

static bool unpack_at(int fd, uint64_t off, struct unpacking *to, bool *packed)
{
	struct archive *archive = archive_read_new();
	bool good = archive && !archive_read_support_format_cpio(archive) &&
		    !archive_read_support_format_tar(archive) &&
		    open_at(archive, fd, off);

	to->archive = archive;
	good = good && unpack_entries(to, packed);
	make_names(to);
	if (!good && archive)
		note_why(to, archive);
	archive_read_free(archive);
	return good;
}

/*
 * Puts the content of the compressed stream at `off` into file `plain`. Above 0: there is no
 * room; below 0: the stream is damaged, or what is behind it is an error to its filter.
 */
static int expand_at(int fd, uint64_t off, struct archive *archive, int plain)
{
	struct archive_entry *entry;
	char *piece = malloc(PIECE);
	uint64_t left = GUEST_BYTES_MAX;
	ssize_t n = -1;

	if (piece && !archive_read_support_format_raw(archive) &&
	    open_at(archive, fd, off) && !archive_read_next_header(archive, &entry))
		while ((n = archive_read_data(archive, piece, PIECE)) > 0 &&
		       (uint64_t)n <= left && write(plain, piece, (size_t)n) == n)
			left -= (uint64_t)n;
	free(piece);
	return n > 0 ? 1 : (int)n;
}

/* What expand_at() returns; *end: where the stream ends. The file has no name. */
static int expand(int fd, uint64_t off, const char *root, int *plain, uint64_t *end)
{
	struct archive *archive = archive_read_new();
	int ret = 1;

	*plain = open(root, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (archive && *plain >= 0)
		ret = expand_at(fd, off, archive, *plain);
	*end = ret ? 0 : off + (uint64_t)archive_filter_bytes(archive, -1);
	archive_read_free(archive);
	return ret;
}

static bool unpack_plain(int plain, struct unpacking *to)
{
	uint64_t next = 0, size = (uint64_t)lseek(plain, 0, SEEK_END);

	do {
		if (!unpack_at(plain, next, to, NULL))
			return false;
		next = end_of_plain(plain, next);
	} while (next && next < size);
	return true;
}

/* All archives in the compressed stream at `off`, or the first one; *end as above, or 0. */
static bool unpack_stream(int fd, uint64_t off, struct unpacking *to, uint64_t *end)
{
	int plain, ret = expand(fd, off, to->root, &plain, end);
	bool good = false;

	if (ret > 0)
		snprintf(to->why, sizeof(to->why),
			 "there is no room in the cache to expand it");
	else
		good = ret ? unpack_at(fd, off, to, NULL) : unpack_plain(plain, to);
	if (plain >= 0)
		close(plain);
	return good;
}

/* Behind a compressed stream Linux passes over what is no archive. */
static bool unpack_all(int fd, struct unpacking *to)
{
	uint64_t size = (uint64_t)lseek(fd, 0, SEEK_END), off = 0, end;
	bool packed = false;

	do {
		bool behind = packed;
		unsigned before = to->entries;

		packed = false;
		if (!unpack_at(fd, off, to, &packed))
			return behind && to->entries == before;
		if (packed && !unpack_stream(fd, off, to, &end))
			return false;
		if (!packed)
			off = end_of_plain(fd, off);
		else /* each step is longer than nothing: the file is passed once */
			off = end > off ? pass_zeros(fd, end) : 0;
	} while (off && off < size);
	return true;
}

static int unpack(int fd, const char *path, const char *root, struct wm_error *err)
{
	struct unpacking to = { .root = root, .left = GUEST_BYTES_MAX };

	if (unpack_all(fd, &to))
		return WM_OK;
	if (to.entries)
		return wm_fail(err, WM_E_FORMAT, 0,
			       "--sysroot %s cannot be unpacked to its end: %s", path,
			       *to.why ? to.why : "it is cut or damaged");
	return wm_fail(
		err, WM_E_FORMAT, 0,
		"--sysroot %s is no folder, no initrd (cpio, compressed or not), no "
		"tar archive, and no raw image of a disk with a file system ext2, "
		"ext3 or ext4",
		path);
}

/* Two recordings of one initrd do not unpack it at once. */
int guest_initrd_unpack(const char *path, const char *root, struct wm_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret;

	if (fd < 0 || folder < 0 || flock(folder, LOCK_EX))
		ret = wm_fail(err, WM_E_IO, 0, "--sysroot %s: %s", path, strerror(errno));
	else
		ret = unpack(fd, path, root, err);
	if (fd >= 0)
		close(fd);
	if (folder >= 0)
		close(folder);
	return ret;
}
