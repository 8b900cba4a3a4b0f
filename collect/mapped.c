// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file is opened when the plugin reports its mapping, and must be the one that the
 * plugin saw then (same device, inode, modification time): the guest runs on, and may
 * have put another one in its place. A file whose names are to be packed stays open: its
 * names are read when the guest has ended, so that nobody waits for that, and by then
 * the file may be deleted.
 *
 * Paths come from a guest. They may lead anywhere, and a file may have been made to
 * attack a parser; all that is read from it is a build-id, and names of code.
 */
#include "collect/mapped-data.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/append.h"
#include "base/clock.h"
#include "collect/names_ahead.h"
#include "format/section.h"
#include "program/elf/file.h"
#include "program/kernel/image.h"

enum {
	FILES_MAX = 4096, /* remembered */
	OPEN_MAX = 256,	  /* kept open; at most half of our limit */
	MAPPINGS_MAX = 1 << 18,
};

void mapped_init(struct mapped *mapped, uint64_t pack_bytes, bool pack_code)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	*mapped = (struct mapped){ .pack_bytes = pack_bytes, .pack_code = pack_code };
	if (pack_bytes || pack_code)
		mapped->may_open = limit.rlim_cur / 2 < OPEN_MAX ?
					   (uint32_t)limit.rlim_cur / 2 :
					   OPEN_MAX;
}

static void close_file(struct mapped_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

void mapped_read_ahead(struct mapped *mapped)
{
	if (mapped->pack_bytes || mapped->pack_code)
		mapped->ahead = names_ahead_new();
}

void mapped_fini(struct mapped *mapped)
{
	names_ahead_free(mapped->ahead);
	for (uint32_t i = 0; i < mapped->count; i++) {
		close_file(&mapped->files[i]);
		free(mapped->files[i].path);
	}
	free(mapped->files);
	free(mapped->mappings);
}

/* ---- which builds they are ----------------------------------------------- */

static bool is_unchanged(int fd, const struct mapped_file *file)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == file->dev && st.st_ino == file->ino &&
	       timespec_ns(st.st_mtim) == file->mtime_ns;
}

bool mapped_is_unchanged(const struct mapped_file *file)
{
	return is_unchanged(file->fd, file);
}

/* Opens the file where the process sees it, or else where we do; -1: it is not there. */
static int open_file(const struct mapped_file *file, uint32_t pid)
{
	char path[PATH_MAX];
	int fd = -1;

	if (!file->ino)
		return -1;
	/* The guest may have another root directory or mount namespace. */
	if (snprintf(path, sizeof(path), "/proc/%u/root%s", pid, file->path) < PATH_MAX)
		fd = elf_file_open(path);
	if (fd < 0)
		fd = elf_file_open(file->path);
	/* Checked on the descriptor, so nothing can be exchanged afterwards. */
	if (fd >= 0 && !is_unchanged(fd, file)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static struct mapped_file *find(const struct mapped *mapped,
				const struct message_module *message, const char *path)
{
	/*
	 * From the newest: a file is usually mapped in several parts, one right after the
	 * other.
	 */
	for (uint32_t i = mapped->count; i-- > 0;) {
		struct mapped_file *file = &mapped->files[i];

		if (file->ino == message->ino && file->dev == message->dev &&
		    file->mtime_ns == message->mtime_ns && !strcmp(file->path, path))
			return file;
	}
	return NULL;
}

/* False without memory, or when FILES_MAX is reached. */
static bool remember(struct mapped *mapped, const struct mapped_file *file)
{
	char *path;

	if (mapped->count == FILES_MAX)
		return false;
	if (mapped->count == mapped->allocated) {
		uint32_t n = mapped->allocated * 2 + 32;
		struct mapped_file *grown = realloc(mapped->files, n * sizeof(*grown));

		if (!grown)
			return false;
		mapped->files = grown;
		mapped->allocated = n;
	}
	path = strdup(file->path);
	if (!path)
		return false;
	mapped->files[mapped->count] = *file;
	mapped->files[mapped->count++].path = path;
	return true;
}

void mapped_build_id(struct mapped *mapped, uint32_t pid,
		     const struct message_module *message, const char *path,
		     char text[ELF_BUILD_ID_TEXT])
{
	/*
	 * A file that was not found is remembered, too, with an empty build-id: it is
	 * looked for once.
	 */
	const struct mapped_file *known = find(mapped, message, path);
	struct mapped_file file = { .dev = message->dev,
				    .ino = message->ino,
				    .mtime_ns = message->mtime_ns,
				    .path = (char *)path };

	if (known) {
		strcpy(text, known->build_id);
		return;
	}
	file.fd = open_file(&file, pid);
	if (file.fd >= 0)
		kernel_build_id(file.fd, file.build_id);
	strcpy(text, file.build_id);
	if (file.fd >= 0 && mapped->may_open)
		mapped->may_open--;
	else
		close_file(&file);
	if (!remember(mapped, &file))
		close_file(&file);
	else if (file.fd >= 0)
		names_ahead_want(mapped->ahead, mapped->count - 1, file.fd, path,
				 file.build_id);
}

void mapped_note(struct mapped *mapped, const struct message_module *message,
		 const char *path)
{
	const struct mapped_file *file = mapped->pack_code ? find(mapped, message, path) :
							     NULL;
	struct mapping mapping = { message->start, message->end, message->file_off, 0 };

	/* Without memory for it some names are missing from the trace, and no more. */
	if (!file || file->fd < 0 || mapped->n_mappings == MAPPINGS_MAX)
		return;
	mapping.file = (uint32_t)(file - mapped->files);
	if (!APPEND(mapped->mappings, mapped->n_mappings, mapping))
		mapped->pack_code = false;
}

int mapped_open(uint32_t pid, const struct message_module *message, const char *path)
{
	struct mapped_file file = { .dev = message->dev,
				    .ino = message->ino,
				    .mtime_ns = message->mtime_ns,
				    .path = (char *)path };

	return open_file(&file, pid);
}

/* ---- packing them -------------------------------------------------------- */

bool mapped_read_names(const struct mapped *mapped, const struct mapped_file *file,
		       struct symtab *names)
{
	uint32_t index = (uint32_t)(file - mapped->files);
	bool good;

	if (names_ahead_take(mapped->ahead, index, names, &good))
		return good;
	return kernel_names_read(names, file->fd, file->path, file->build_id);
}

/* The same build at two paths, or in two containers, is packed once. */
static bool is_packed_already(const struct mapped *mapped, const struct mapped_file *file)
{
	for (const struct mapped_file *it = mapped->files; it < file; it++)
		if (it->packed && *file->build_id &&
		    !strcmp(it->build_id, file->build_id))
			return true;
	return false;
}

/*
 * A file that does not fit the rest of the limit is left out; a smaller one may still
 * fit.
 */
static void put_names(struct mapped *mapped, struct mapped_file *file, struct output *out)
{
	struct symtab_head head = { (char *)file->build_id, file->path };
	struct buf payload = BUF_INIT;
	struct symtab names;

	/*
	 * The guest may have written to the file since it was mapped; its names would be
	 * those of other code.
	 */
	if (!mapped_is_unchanged(file) || !mapped_read_names(mapped, file, &names))
		return;
	if (symtab_put(&payload, &head, &names) && payload.len <= mapped->pack_bytes) {
		mapped->pack_bytes -= payload.len;
		file->packed = true;
		output_put(out, SECTION_SYMS, &payload, 0);
	}
	buf_fini(&payload);
	symtab_fini(&names);
}

static void put_all_names(struct mapped *mapped, struct output *out)
{
	/* Reading the names of a large program takes half a second: only if any may be put. */
	for (uint32_t i = 0; i < mapped->count && mapped->pack_bytes; i++) {
		struct mapped_file *file = &mapped->files[i];

		if (file->fd >= 0 && !is_packed_already(mapped, file))
			put_names(mapped, file, out);
	}
}

void mapped_put_names(struct mapped *mapped, const struct definitions *defs,
		      struct output *out)
{
	put_all_names(mapped, out);
	mapped_put_code(mapped, defs, out);
	for (uint32_t i = 0; i < mapped->count; i++)
		close_file(&mapped->files[i]);
}

void mapped_copy_names(struct mapped *mapped, const struct definitions *defs,
		       struct output *out)
{
	uint64_t pack_bytes = mapped->pack_bytes;

	put_all_names(mapped, out);
	mapped_put_code(mapped, defs, out);
	/* A snapshot's names must not use up the limit of the file itself. */
	mapped->pack_bytes = pack_bytes;
	for (uint32_t i = 0; i < mapped->count; i++)
		mapped->files[i].packed = false;
}
