// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A path of the guest is looked for below the sysroot first, then as it is, as QEMU
 * does. A library of another machine is skipped, as a loader would. The loader's cache
 * (ld.so.cache) is not read: a library that only the cache knows is not found, and then
 * `complete` is false and the caller makes no promise.
 *
 * Files are found breadth first: the program, its preloaded libraries, then what each of
 * them needs. files[] is both the result and the queue:
 *
 * 	files[]	program  libfoo.so  libc.so.6  ld.so	what `program` needs is appended,
 * 		   ^ next to be read			unless it is there already
 */
#include "collect/foresight.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/append.h"
#include "base/clock.h"
#include "collect/kernels.h"
#include "program/elf/file.h"
#include "program/elf/needs.h"
#include "program/kernel/image.h"

enum { FILES_MAX = 1024 };

/* Folders that loaders know of; a pattern, because systems put their machine into it. */
static const char folders[] = "/lib/*-linux-*:/usr/lib/*-linux-*:/lib64/*:/usr/lib64/*:"
			      "/lib64:/usr/lib64:/lib:/usr/lib";

struct search {
	const struct foresight_view *view;
	struct foresight *found;
	struct elf_needs program; /* whose machine counts */
};

static bool is_of_machine(const struct search *search, const char *path)
{
	struct elf_needs needs;
	int fd = elf_file_open(path);
	bool good;

	if (fd < 0)
		return false;
	/*
	 * 32-bit and 64-bit RISC-V have one machine number, so the class counts as well.
	 */
	good = elf_needs_read(&needs, fd) && needs.machine == search->program.machine &&
	       needs.class == search->program.class;
	close(fd);
	elf_needs_fini(&needs);
	return good;
}

/* Adds a file, unless it is there already; false without room for it. */
static bool add_at(struct foresight *found, const char *path, uint64_t at)
{
	struct foreseen_file file = { .at = at };

	/*
	 * Linear: programs rarely need more than a hundred files. It also ends cycles
	 * among libraries.
	 */
	for (size_t i = 0; i < found->n; i++)
		if (found->files[i].at == at && !strcmp(found->files[i].path, path))
			return true;
	/* The limit is for broken files; programs need far fewer. */
	file.path = found->n < FILES_MAX ? strdup(path) : NULL;
	if (file.path && APPEND(found->files, found->n, file))
		return true;
	free(file.path);
	return false;
}

static bool add(struct foresight *found, const char *path)
{
	return add_at(found, path, 0);
}

/* Adds the first file of the machine that fits a pattern. */
static bool add_fitting(struct search *search, const char *pattern)
{
	glob_t fits = { 0 };
	bool added = false;

	if (!glob(pattern, 0, NULL, &fits))
		for (size_t i = 0; i < fits.gl_pathc && !added; i++)
			added = is_of_machine(search, fits.gl_pathv[i]) &&
				add(search->found, fits.gl_pathv[i]);
	globfree(&fits);
	return added;
}

/* Adds a file at a path of the guest's. */
static bool add_path(struct search *search, const char *path)
{
	const char *roots[] = { search->view->sysroot, "" };
	char full[PATH_MAX];

	for (unsigned i = 0; i < 2; i++)
		if (roots[i] && *path == '/' &&
		    snprintf(full, sizeof(full), "%s%s", roots[i], path) < PATH_MAX &&
		    add_fitting(search, full))
			return true;
	/* A relative path is the working directory's, never the sysroot's. */
	return *path != '/' && add_fitting(search, path);
}

/* Replaces $ORIGIN by the folder of the file that contains it; false: it is too long. */
static bool expand(char full[PATH_MAX], const char *folder, size_t length,
		   const char *origin)
{
	static const char *const words[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(origin, '/');
	int parent = slash ? (int)(slash - origin) : 0;

	/* Only at the beginning, where linker options put it. */
	for (unsigned i = 0; i < 2; i++) {
		size_t bytes = strlen(words[i]);

		if (length < bytes || strncmp(folder, words[i], bytes) != 0)
			continue;
		return snprintf(full, PATH_MAX, "%.*s%.*s", parent, origin,
				(int)(length - bytes), folder + bytes) < PATH_MAX;
	}
	return snprintf(full, PATH_MAX, "%.*s", (int)length, folder) < PATH_MAX;
}

/* Adds a library from the first of some folders, separated by colons. */
static bool add_from(struct search *search, const char *list, const char *name,
		     const char *origin)
{
	char folder[PATH_MAX], path[PATH_MAX];

	/* LD_LIBRARY_PATH allows semicolons as well. */
	for (const char *at = list ? list : ""; *at; at += strspn(at, ":;")) {
		size_t length = strcspn(at, ":;");

		if (expand(folder, at, length, origin) &&
		    snprintf(path, sizeof(path), "%s/%s", folder, name) < PATH_MAX &&
		    add_path(search, path))
			return true;
		at += length;
	}
	return false;
}

/* The order of ld.so(8) for a name without a slash; one with a slash is a path. */
static bool add_library(struct search *search, const char *name,
			const struct elf_needs *asked_by, const char *origin)
{
	if (strchr(name, '/'))
		return add_path(search, name);
	/*
	 * The program's run path applies to all libraries, as DT_RPATH does; a library's
	 * own applies to what it needs.
	 */
	return add_from(search, search->program.run_path, name, search->view->program) ||
	       add_from(search, asked_by->run_path, name, origin) ||
	       add_from(search, search->view->library_path, name, origin) ||
	       add_from(search, folders, name, origin);
}

/* Adds what one of the files needs. */
static bool add_needs(struct search *search, const char *path)
{
	struct elf_needs needs;
	int fd = elf_file_open(path);
	bool all = true;

	/* It is gone since it was found, so what it needs is not known. */
	if (fd < 0)
		return false;
	if (!elf_needs_read(&needs, fd))
		all = false;
	close(fd);
	/* The interpreter is the loader itself, whose code runs in the guest too. */
	if (needs.interpreter)
		all &= add_path(search, needs.interpreter);
	for (size_t i = 0; i < needs.n; i++)
		all &= add_library(search, needs.libraries[i], &needs, path);
	elf_needs_fini(&needs);
	return all;
}

static bool add_preloaded(struct search *search)
{
	const char *at = search->view->preload ? search->view->preload : "";
	char name[PATH_MAX];
	bool all = true;

	/* ld.so(8) allows blanks and colons. */
	for (; *at; at += strspn(at, ": ")) {
		size_t length = strcspn(at, ": ");

		if (length && length < sizeof(name)) {
			snprintf(name, sizeof(name), "%.*s", (int)length, at);
			all &= add_library(search, name, &search->program,
					   search->view->program);
		}
		at += length;
	}
	return all;
}

void foresight_init(struct foresight *foresight, const struct foresight_view *view)
{
	struct search search = { .view = view, .found = foresight };
	int fd = elf_file_open(view->program);

	*foresight = (struct foresight){ .files = NULL };
	if (fd < 0)
		return;
	foresight->complete = elf_needs_read(&search.program, fd);
	close(fd);
	foresight->complete &= add(foresight, view->program) && add_preloaded(&search);
	/* The list grows while it is walked: it is the queue as well. */
	for (size_t i = 0; i < foresight->n; i++)
		foresight->complete &= add_needs(&search, foresight->files[i].path);
	elf_needs_fini(&search.program);
}

void foresight_init_machine(struct foresight *foresight, const struct kernel_file *files,
			    bool follows)
{
	*foresight = (struct foresight){ .complete = true,
					 .machine = true,
					 .follows = follows };
	for (; files && files->path; files++)
		foresight->complete &= add_at(foresight, files->path, files->at);
}

void foresight_fini(struct foresight *foresight)
{
	for (size_t i = 0; i < foresight->n; i++)
		free(foresight->files[i].path);
	free(foresight->files);
	free(foresight->finds);
	free(foresight->places);
}

/* ---- what is in them ----------------------------------------------------- */

/* Opens a file and notes which it is; -1: it is gone. */
static int open_file(struct foreseen_file *file, char build_id[ELF_BUILD_ID_TEXT])
{
	int fd = elf_file_open(file->path);
	struct stat st;

	if (fd < 0)
		return -1;
	/* Through the descriptor: the path may lead to another file by now. */
	if (!fstat(fd, &st)) {
		file->dev = st.st_dev;
		file->ino = st.st_ino;
		file->mtime_ns = timespec_ns(st.st_mtim);
	}
	elf_file_build_id(fd, build_id);
	return fd;
}

/*
 * The parts of a place in a file that the machine has at some addresses. All of a file, which
 * is what a filter by its name means, is each of its loads.
 */
static bool add_loaded(struct foresight *foresight, const struct order_place *place,
		       const struct elf_load *loads, size_t n)
{
	bool good = true;

	for (size_t i = 0; i < n && good; i++) {
		struct order_place part = *place;

		if (landmarks_load(&part, &loads[i]))
			good = APPEND(foresight->places, foresight->n_places, part);
	}
	return good;
}

/*
 * Adds a place that was found. Orders name a file by device and inode, as the plugin sees it
 * when it is mapped.
 */
static bool add_place(struct foresight *foresight, const struct foreseen_file *file,
		      struct order_place *place, const struct elf_load *loads, size_t n)
{
	if (foresight->machine)
		return add_loaded(foresight, place, loads, n);
	place->dev = file->dev;
	place->ino = file->ino;
	return APPEND(foresight->places, foresight->n_places, *place);
}

static bool find_in(struct foresight *foresight, struct foreseen_file *file,
		    const struct landmark *landmarks, size_t n)
{
	char build_id[ELF_BUILD_ID_TEXT];
	int fd = open_file(file, build_id);
	struct elf_load loads[KERNEL_LOADS_MAX];
	struct order_place *places;
	size_t n_places, n_loads;
	bool good;

	/* A file that is gone cannot be mapped either. */
	if (fd < 0)
		return true;
	good = landmarks_find(landmarks, n, fd, file->path, build_id, foresight->finds,
			      &places, &n_places);
	n_loads = foresight->machine ? kernels_loads(fd, file->at, loads) : 0;
	for (size_t i = 0; i < n_places && good; i++)
		good = add_place(foresight, file, &places[i], loads, n_loads);
	free(places);
	close(fd);
	return good;
}

bool foresight_find(struct foresight *foresight, const struct landmark *landmarks,
		    size_t n)
{
	bool good = true;

	/* One more, because calloc(0) may return NULL. */
	foresight->finds = calloc(n + 1, sizeof(*foresight->finds));
	for (size_t i = 0; i < foresight->n && good; i++)
		good = foresight->finds &&
		       find_in(foresight, &foresight->files[i], landmarks, n);
	return good && foresight->finds;
}

struct words {
	char **all;
	size_t n;
};

static bool take_name(void *cookie, const struct elf_symbol *symbol)
{
	struct words *words = cookie;
	char *copy = strdup(symbol->name);

	if (copy && APPEND(words->all, words->n, copy))
		return true;
	free(copy);
	return false;
}

/* For suggestions: "did you mean ...". A file that cannot be read contributes nothing. */
bool foresight_names(const struct foresight *foresight, char ***out, size_t *n)
{
	char build_id[ELF_BUILD_ID_TEXT];
	struct words words = { .all = NULL };

	for (size_t i = 0; i < foresight->n; i++) {
		int fd = open_file(&foresight->files[i], build_id);

		if (fd < 0)
			continue;
		kernel_names_each(fd, foresight->files[i].path, build_id, take_name,
				  &words);
		close(fd);
	}
	*out = words.all;
	*n = words.n;
	/* NULL when there is no name: then nothing is suggested. */
	return words.all;
}
