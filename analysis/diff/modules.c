// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds out which files of two runs are the same.
 *
 * Files with the same build-id are the same, whatever their names. Other files are paired
 * by their role: the base name of the path, or being the program of the process with the
 * same number. A role that several files of one side have is ambiguous, so these keep
 * their paths as roles.
 *
 * Example: A has /lib/libc.so.6 of build 1 and ./a.out, B has /lib64/libc.so.6 of build 1
 * and ./b.out, each run by process 0. libc is the same build; a.out and b.out have the
 * same role, and their code is compared by symbol.
 *
 * A path stands for one file. Where it had several builds in a run, a place cannot tell
 * which one it is in, so its build counts as unknown.
 *
 * Invariant: two files have the same identity if and only if they count as the same.
 */
#include "analysis/diff/modules.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "base/intern.h"
#include "trace/u64map.h"

/* A file of one side. */
struct file {
	const char *path, *build_id; /* the trace's; "" when not known */
	const char *role;	     /* by which files of the two sides are paired */
	struct diff_module is;
};

struct side {
	const struct wm_trace *trace;
	struct interner paths; /* the id of a path is its index in files plus 1 */
	struct file *files;    /* [n_files] */
	uint32_t n_files;
	struct u64map pages; /* by number: pages in which blocks begin */
	bool has_pages;
};

struct diff_modules {
	struct side sides[2];
	struct interner names; /* of identities */
};

static uint32_t text_bytes(const char *text)
{
	return (uint32_t)strlen(text) + 1;
}

static struct file *find_file(const struct side *side, const char *path)
{
	uint32_t id =
		intern_find(&side->paths, 0, (const uint8_t *)path, text_bytes(path));

	return id ? &side->files[id - 1] : NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool add_file(struct side *side, const struct wm_module *module)
{
	struct file *known = find_file(side, module->path);
	bool fresh;

	if (known) {
		/*
		 * Several builds under one path: which of them code is in is not known.
		 */
		if (strcmp(known->build_id, module->build_id) != 0)
			known->build_id = "";
		return true;
	}
	/*
	 * Ids count from 1 in the order of files, so a path's id minus 1 is the index of
	 * its file.
	 */
	return intern(&side->paths, 0, (const uint8_t *)module->path,
		      text_bytes(module->path), &fresh) &&
	       APPEND(side->files, side->n_files,
		      ((struct file){ .path = module->path,
				      .build_id = module->build_id,
				      .role = base_name(module->path) }));
}

static bool add_files(struct side *side)
{
	struct wm_module module;

	for (unsigned i = 0; wm_trace_module(side->trace, i, &module) == 0; i++)
		if (!add_file(side, &module))
			return false;
	return true;
}

/*
 * The file of a process's program, found by its base name, because a program's path may
 * be relative. NULL: none, or several.
 */
static struct file *program_of(const struct side *side, unsigned process)
{
	struct wm_process is;
	struct file *found = NULL;

	if (wm_trace_process(side->trace, process, &is))
		return NULL;
	for (uint32_t i = 0; i < side->n_files; i++) {
		if (strcmp(side->files[i].role, base_name(is.path)) != 0)
			continue;
		/* Two files with that name: neither is certain. */
		if (found)
			return NULL;
		found = &side->files[i];
	}
	return found;
}

/* Programs that processes of the same number run get the same role. */
static void pair_programs(struct diff_modules *modules)
{
	struct wm_summary summary;

	wm_trace_summary(modules->sides[DIFF_A].trace, &summary);
	for (unsigned i = 0; i < summary.processes; i++) {
		struct file *a = program_of(&modules->sides[DIFF_A], i);
		struct file *b = program_of(&modules->sides[DIFF_B], i);

		/*
		 * B's file takes A's role, which gives both the same name in identify().
		 */
		if (a && b)
			b->role = a->role;
	}
}

/* Marks the pages in which blocks begin, for diff_modules_share(). */
static bool add_pages(struct side *side)
{
	struct wm_block block;

	side->has_pages = u64map_init(&side->pages) == 0;
	for (uint32_t id = 1; side->has_pages; id++) {
		uint32_t *page;

		/* Ids have no holes, so the first one without a block ends the list. */
		if (wm_trace_block(side->trace, id, &block))
			return true;
		page = u64map_at(&side->pages, block.address / DIFF_PAGE_BYTES);
		if (!page)
			return false;
		*page = 1;
	}
	return false;
}

static int by_role(const void *a, const void *b)
{
	const struct file *const *x = a, *const *y = b;

	return strcmp((*x)->role, (*y)->role);
}

/*
 * A role that several files of a side have is ambiguous: these files get their paths as
 * roles.
 */
static bool part_roles(struct side *side)
{
	struct file **files = calloc((size_t)side->n_files + 1, sizeof(struct file *));
	uint32_t end;

	if (!files)
		return false;
	for (uint32_t i = 0; i < side->n_files; i++)
		files[i] = &side->files[i];
	qsort(files, side->n_files, sizeof(struct file *), by_role);
	for (uint32_t i = 0; i < side->n_files; i = end) {
		for (end = i + 1; end < side->n_files && !by_role(&files[i], &files[end]);
		     end++)
			;
		for (uint32_t j = i; end - i > 1 && j < end; j++)
			files[j]->role = files[j]->path;
	}
	free(files);
	return true;
}

/*
 * Gives each file an identity: by its build when both sides have that, else by its role.
 */
static bool identify(struct diff_modules *modules, struct side *side,
		     const struct interner *builds)
{
	for (uint32_t i = 0; i < side->n_files; i++) {
		struct file *file = &side->files[i];
		const char *name = file->build_id;
		bool fresh;

		file->is.same_build =
			*name &&
			intern_find(builds, 0, (const uint8_t *)name, text_bytes(name));
		if (!file->is.same_build)
			name = file->role;
		/*
		 * The first number keeps builds and roles apart: a role may look like a
		 * build-id.
		 */
		file->is.identity = intern(&modules->names, file->is.same_build,
					   (const uint8_t *)name, text_bytes(name),
					   &fresh);
		if (!file->is.identity)
			return false;
	}
	return true;
}

static bool list_builds(const struct side *side, struct interner *builds)
{
	for (uint32_t i = 0; i < side->n_files; i++) {
		const char *build_id = side->files[i].build_id;
		bool fresh;

		if (*build_id && !intern(builds, 0, (const uint8_t *)build_id,
					 text_bytes(build_id), &fresh))
			return false;
	}
	return true;
}

static bool make(struct diff_modules *modules)
{
	struct side *a = &modules->sides[DIFF_A], *b = &modules->sides[DIFF_B];
	struct interner builds[2] = { INTERNER_INIT, INTERNER_INIT };
	bool good = add_files(a) && add_files(b) && add_pages(a) && add_pages(b);

	/*
	 * Roles are paired first and made unambiguous afterwards, so a pair may be
	 * dissolved again.
	 */
	if (good)
		pair_programs(modules);
	good = good && part_roles(a) && part_roles(b) &&
	       list_builds(a, &builds[DIFF_A]) && list_builds(b, &builds[DIFF_B]) &&
	       identify(modules, a, &builds[DIFF_B]) &&
	       identify(modules, b, &builds[DIFF_A]);
	interner_fini(&builds[DIFF_A]);
	interner_fini(&builds[DIFF_B]);
	return good;
}

int diff_modules_new(struct diff_modules **out, const struct wm_trace *a,
		     const struct wm_trace *b, struct wm_error *err)
{
	struct diff_modules *modules = calloc(1, sizeof(*modules));

	*out = modules;
	if (!modules)
		return wm_fail_nomem(err, "modules");
	modules->sides[DIFF_A].trace = a;
	modules->sides[DIFF_B].trace = b;
	if (make(modules))
		return 0;
	diff_modules_free(modules);
	*out = NULL;
	return wm_fail_nomem(err, "modules");
}

void diff_modules_free(struct diff_modules *modules)
{
	if (!modules)
		return;
	for (unsigned i = 0; i < 2; i++) {
		interner_fini(&modules->sides[i].paths);
		free(modules->sides[i].files);
		if (modules->sides[i].has_pages)
			u64map_fini(&modules->sides[i].pages);
	}
	interner_fini(&modules->names);
	free(modules);
}

const struct diff_module *diff_modules_find(const struct diff_modules *modules,
					    enum diff_side side, const char *path)
{
	const struct file *file = find_file(&modules->sides[side], path);

	return file ? &file->is : NULL;
}

/* The file of a side with the same identity; NULL: there is none. */
static const struct file *find_same(const struct side *side, const struct diff_module *is)
{
	/* A linear search: it runs once for each file. */
	for (uint32_t i = 0; i < side->n_files; i++)
		if (side->files[i].is.identity == is->identity)
			return &side->files[i];
	return NULL;
}

bool diff_modules_next_other(const struct diff_modules *modules, uint32_t *at,
			     const char **a, const char **b)
{
	const struct side *side = &modules->sides[DIFF_A];

	while (*at < side->n_files) {
		const struct file *file = &side->files[(*at)++];
		const struct file *same = NULL;

		/* Only code of other builds is compared by symbol. */
		if (*file->path && !file->is.same_build)
			same = find_same(&modules->sides[DIFF_B], &file->is);
		if (!same)
			continue;
		*a = file->path;
		*b = same->path;
		return true;
	}
	return false;
}

static bool has_file(const struct side *side)
{
	for (uint32_t i = 0; i < side->n_files; i++)
		if (*side->files[i].path)
			return true;
	return false;
}

bool diff_modules_one_sided(const struct diff_modules *modules)
{
	return has_file(&modules->sides[DIFF_A]) != has_file(&modules->sides[DIFF_B]);
}

bool diff_modules_share(const struct diff_modules *modules, uint64_t address)
{
	uint64_t page = address / DIFF_PAGE_BYTES;

	return u64map_get(&modules->sides[DIFF_A].pages, page) &&
	       u64map_get(&modules->sides[DIFF_B].pages, page);
}
