// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A candidate is accepted when its program headers say that it is of the build, so the order
 * of candidates decides only how long a search takes. Example: code of /usr/bin/app, build
 * 4f2a, with --symfs copies. Tried are
 *
 *	~/.cache/waymark/code/4f/2a
 *	copies/usr/bin/app, copies/app, copies/.build-id/4f/2a
 *	/usr/bin/app
 *	/usr/bin/usr/lib/debug/.build-id/4f/2a, /usr/usr/lib/..., /usr/lib/debug/...
 *	~/.cache/waymark/build-id/4f/2a, ~/.cache/debuginfod_client/4f2a/executable
 *
 * The library that opens traces has no libelf; program/elf/search.c looks for names with it.
 */
#include "trace/code_source.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/append.h"
#include "base/cache.h"
#include "base/elf_head.h"

enum { PATH_SHOWN = 90 }; /* bytes of a path in a message */

struct code_opened_file {
	char *build_id;
	int fd;
};

/* Of the whole process; several threads may set it, each to the same. */
static const char *_Atomic symfs_folder;

void code_source_below(const char *symfs)
{
	symfs_folder = symfs;
}

struct search {
	const char *path, *build_id;
	int fd; /* found, or -1 */
};

/* Without waiting for a FIFO, and no device becomes our terminal. */
static int open_build(const char *path, const char *build_id)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct elf_head head;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    elf_head_read(fd, &head) && !strcmp(head.build_id, build_id))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Does nothing once a file is found; a path that does not fit is no candidate. */
__attribute__((format(printf, 2, 3))) static void try(struct search *search,
						      const char *format, ...)
{
	char path[PATH_MAX];
	va_list list;
	int n;

	if (search->fd >= 0)
		return;
	va_start(list, format);
	n = vsnprintf(path, sizeof(path), format, list);
	va_end(list);
	if (n >= 0 && n < (int)sizeof(path))
		search->fd = open_build(path, search->build_id);
}

static void try_symfs(struct search *search)
{
	const char *path = search->path, *slash = strrchr(path, '/');

	if (!symfs_folder)
		return;
	try(search, "%s%s%s", symfs_folder, *path == '/' ? "" : "/", path);
	try(search, "%s/%s", symfs_folder, slash ? slash + 1 : path);
	try(search, "%s/.build-id/%.2s/%s", symfs_folder, search->build_id,
	    search->build_id + 2);
	try(search, "%s/usr/lib/debug/.build-id/%.2s/%s", symfs_folder, search->build_id,
	    search->build_id + 2);
}

static void try_copies(struct search *search)
{
	size_t length = strlen(search->path);
	char folder[PATH_MAX];

	/* From the innermost folder outwards: any of them may be a sysroot. */
	while (length-- > 0)
		if (search->path[length] == '/')
			try(search, "%.*s/usr/lib/debug/.build-id/%.2s/%s", (int)length,
			    search->path, search->build_id, search->build_id + 2);
	if (!cache_home(folder))
		return;
	try(search, "%s/waymark/build-id/%.2s/%s", folder, search->build_id,
	    search->build_id + 2);
	try(search, "%s/debuginfod_client/%s/executable", folder, search->build_id);
}

static int search_for(const char *path, const char *build_id)
{
	struct search search = { .path = path, .build_id = build_id, .fd = -1 };
	char kept[PATH_MAX];
	bool is_one = strlen(build_id) > 2 &&
		      !build_id[strspn(build_id, "0123456789abcdef")];

	/* A build-id becomes part of paths: it must not lead elsewhere. */
	if (!is_one)
		return -1;
	if (cache_code(kept, build_id))
		try(&search, "%s", kept);
	try_symfs(&search);
	try(&search, "%s", path);
	try_copies(&search);
	return search.fd;
}

/* What of a path leaves room for the rest of a message: its end says more. */
static const char *end_of(const char *path)
{
	size_t length = strlen(path);

	return length > PATH_SHOWN ? path + length - PATH_SHOWN : path;
}

int code_opened_find(struct code_opened *opened, const char *path, const char *build_id,
		     struct wm_error *err)
{
	struct code_opened_file file = { .build_id = NULL };

	for (size_t i = 0; i < opened->n; i++)
		if (!strcmp(opened->files[i].build_id, build_id))
			return opened->files[i].fd;
	file.fd = search_for(path, build_id);
	if (file.fd < 0)
		return wm_fail(err, WM_E_IO, 0,
			       "code that ran is not in the trace; --symfs DIR says "
			       "where its file is, of build %s: %s%s",
			       build_id, end_of(path) == path ? "" : "...", end_of(path));
	file.build_id = strdup(build_id);
	if (file.build_id && APPEND(opened->files, opened->n, file))
		return file.fd;
	free(file.build_id);
	close(file.fd);
	return wm_fail_nomem(err, "the files of a trace");
}

void code_opened_fini(struct code_opened *opened)
{
	for (size_t i = 0; i < opened->n; i++) {
		free(opened->files[i].build_id);
		close(opened->files[i].fd);
	}
	free(opened->files);
	*opened = (struct code_opened){ 0 };
}
