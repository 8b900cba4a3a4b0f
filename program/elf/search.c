// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A candidate is a path that is tried. It is accepted when the file there has the
 * build-id, so the order of candidates decides how long a search takes, never what it
 * finds. Only a debug link of a file without a build-id is checked by its CRC.
 *
 * Example: /usr/bin/app of build 4f2a, linked to app.debug. Tried are, among others,
 *
 *	/usr/bin/usr/lib/debug/.build-id/4f/2a.debug	a sysroot may be any folder above
 *	/usr/lib/debug/.build-id/4f/2a.debug
 *	/usr/bin/app.debug, /usr/bin/.debug/app.debug, /usr/lib/debug/usr/bin/app.debug
 *	~/.cache/waymark/build-id/4f/2a.debug
 *
 * libdebuginfod is loaded only when it is needed and installed: most users have no
 * servers.
 */
#include "program/elf/search.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cache.h"
#include "program/elf/file.h"
#include "trace/code_source.h"

/* Of the whole process; several threads may set them, each to the same. */
static const char *_Atomic symfs_folder;
static _Atomic bool may_ask_servers;

void elf_search_below(const char *symfs)
{
	symfs_folder = symfs;
	code_source_below(symfs);
}

const char *elf_search_folder(void)
{
	return symfs_folder;
}

void elf_search_online(bool online)
{
	may_ask_servers = online;
}

/* ---- candidates ---------------------------------------------------------- */

struct search {
	const char *build_id; /* "": not known */
	bool debug;	      /* search for debugging symbols, not for the file */
	const uint32_t *crc;  /* of a debug link, where there is no build-id; or NULL */
	char path[PATH_MAX];  /* tried last */
	int fd;		      /* found, or -1 */
};

/*
 * CRC-32 of a file, as a debug link has it. Bit by bit, without a table: it is needed
 * only for files without a build-id.
 */
static uint32_t crc_of(int fd)
{
	uint8_t bytes[65536];
	uint32_t crc = UINT32_MAX;
	off_t at = 0;
	ssize_t n;

	for (; (n = pread(fd, bytes, sizeof(bytes), at)) > 0; at += n)
		for (ssize_t i = 0; i < n; i++) {
			crc ^= bytes[i];
			for (int bit = 0; bit < 8; bit++)
				crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
		}
	return ~crc;
}

/*
 * Without a build-id, a file that is found by its name is accepted here and checked by
 * the caller; a debug file must have the CRC of the link.
 */
static bool is_it(const struct search *search, int fd)
{
	char its_own[ELF_BUILD_ID_TEXT];

	if (!*search->build_id)
		return search->crc ? crc_of(fd) == *search->crc : !search->debug;
	elf_file_build_id(fd, its_own);
	return !strcmp(its_own, search->build_id);
}

/*
 * Tries a path. Does nothing once a file is found, so callers list candidates without
 * checks. A path that does not fit is no candidate.
 */
__attribute__((format(printf, 2, 3))) static void try(struct search *search,
						      const char *format, ...)
{
	va_list list;
	int n;

	if (search->fd >= 0)
		return;
	va_start(list, format);
	n = vsnprintf(search->path, sizeof(search->path), format, list);
	va_end(list);
	if (n < 0 || n >= (int)sizeof(search->path))
		return;
	search->fd = elf_file_open(search->path);
	if (search->fd < 0 || is_it(search, search->fd))
		return;
	/* Another build: a place further out may have the right one. */
	close(search->fd);
	search->fd = -1;
}

/* A build-id from a trace becomes part of a path: it must not lead elsewhere. */
static bool is_build_id(const char *build_id)
{
	return strlen(build_id) > 2 && !build_id[strspn(build_id, "0123456789abcdef")];
}

/* ---- places -------------------------------------------------------------- */

static void try_build_id(struct search *search, const char *root, size_t length)
{
	try(search, "%.*s/usr/lib/debug/.build-id/%.2s/%s%s", (int)length, root,
	    search->build_id, search->build_id + 2, search->debug ? ".debug" : "");
}

/* From the innermost folder outwards, the root last. */
static void try_folders(struct search *search, const char *path)
{
	size_t length = strlen(path);

	while (length-- > 0)
		if (path[length] == '/')
			try_build_id(search, path, length);
}

/*
 * The folder may hold a copy of the whole tree, a flat list of files, or one by build-id.
 */
static void try_symfs(struct search *search, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *end = search->debug ? ".debug" : "";

	if (!symfs_folder)
		return;
	try(search, "%s%s%s%s", symfs_folder, *path == '/' ? "" : "/", path, end);
	try(search, "%s/%s%s", symfs_folder, base, end);
	if (!is_build_id(search->build_id))
		return;
	try(search, "%s/.build-id/%.2s/%s%s", symfs_folder, search->build_id,
	    search->build_id + 2, end);
	try_build_id(search, symfs_folder, strlen(symfs_folder));
}

static void try_cache(struct search *search)
{
	char folder[PATH_MAX];

	if (!cache_home(folder))
		return;
	try(search, "%s/waymark/build-id/%.2s/%s%s", folder, search->build_id,
	    search->build_id + 2, search->debug ? ".debug" : "");
	try(search, "%s/debuginfod_client/%s/%s", folder, search->build_id,
	    search->debug ? "debuginfo" : "executable");
}

/* ---- servers ------------------------------------------------------------- */

/*
 * The functions of libdebuginfod: a client, what it found for a build-id (a length of 0: in
 * hexadecimal) as a descriptor, and the file's path.
 */
struct debuginfod {
	void *(*begin)(void);
	void (*end)(void *client);
	int (*find)(void *client, const unsigned char *build_id, int bytes, char **path);
};

static bool load_debuginfod(struct debuginfod *lib, bool debug)
{
	/* Never unloaded: its own libraries register things that must stay. */
	void *is = dlopen("libdebuginfod.so.1", RTLD_NOW);

	if (!is)
		return false;
	*(void **)&lib->begin = dlsym(is, "debuginfod_begin");
	*(void **)&lib->end = dlsym(is, "debuginfod_end");
	*(void **)&lib->find = dlsym(is, debug ? "debuginfod_find_debuginfo" :
						 "debuginfod_find_executable");
	return lib->begin && lib->end && lib->find;
}

static void try_servers(struct search *search)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct debuginfod lib;
	char *path = NULL;
	void *client;
	int fd;

	if (search->fd >= 0 || !may_ask_servers || !urls || !*urls ||
	    !load_debuginfod(&lib, search->debug))
		return;
	client = lib.begin();
	if (!client)
		return;
	fd = lib.find(client, (const unsigned char *)search->build_id, 0, &path);
	if (fd >= 0) {
		close(fd);
		/* It is in the library's cache. */
		try(search, "%s", path);
	}
	free(path);
	lib.end(client);
}

/* ---- all of it ----------------------------------------------------------- */

static void try_by_id(struct search *search, const char *path)
{
	if (!is_build_id(search->build_id))
		return;
	try_folders(search, path);
	try_cache(search);
	try_servers(search);
}

char *elf_search_file(const char *path, const char *build_id)
{
	struct search search = { .build_id = build_id, .fd = -1 };

	try_symfs(&search, path);
	try_by_id(&search, path);
	if (search.fd < 0)
		return NULL;
	close(search.fd);
	return strdup(search.path);
}

/* The name of the file with the symbols of the one open at `fd`; "" when it has none. */
static void read_link(int fd, char link[NAME_MAX + 1], uint32_t *crc)
{
	Elf *elf;
	const char *name = NULL;
	GElf_Word sum = 0;

	*link = 0;
	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		name = dwelf_elf_gnu_debuglink(elf, &sum);
	/* A name, and no path that leads elsewhere. */
	if (name && strlen(name) <= NAME_MAX && !strchr(name, '/'))
		strcpy(link, name);
	*crc = sum;
	elf_end(elf);
}

static void try_link(struct search *search, int fd, const char *path)
{
	const char *slash = strrchr(path, '/');
	int length = slash ? (int)(slash - path) : 0;
	char link[NAME_MAX + 1];
	uint32_t crc;

	read_link(fd, link, &crc);
	if (!slash || !*link)
		return;
	search->crc = &crc;
	try(search, "%.*s/%s", length, path, link);
	try(search, "%.*s/.debug/%s", length, path, link);
	try(search, "/usr/lib/debug%.*s/%s", length, path, link);
	if (symfs_folder) {
		try(search, "%s%.*s/%s", symfs_folder, length, path, link);
		try(search, "%s/%s", symfs_folder, link);
	}
	search->crc = NULL;
}

int elf_search_debug(int fd, const char *path, const char *build_id)
{
	struct search search = { .build_id = build_id, .debug = true, .fd = -1 };

	try_link(&search, fd, path);
	try_symfs(&search, path);
	try_by_id(&search, path);
	return search.fd;
}
