// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of a program: which file and byte an address had at a moment, and whether the
 * file is still the one that ran.
 *
 * There are two tables: the mappings as extents, each with the number of its file, and
 * the files.
 *
 * A file may have been rebuilt since the recording, and wrong names are worse than none.
 * So a file is used only when its build-id is the recorded one. If none was recorded, the
 * code that ran decides (program/sample.h). The check is made once, and what it finds is
 * reported once.
 *
 * Example: /lib/libc.so.6 with build-id 4f2a is mapped by three processes, twice each:
 * six extents and one file. /tmp/x without a build-id, mapped twice: two files.
 *
 * Invariant: numbers[i] is the file of mappings[i] once number_files() has sorted them.
 */
#include "program/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "program/elf/file.h"
#include "program/elf/search.h"
#include "program/extents.h"
#include "program/kernel/image.h"
#include "program/made/name.h"
#include "program/sample.h"
#include "trace/made.h"
#include "trace/symtabs.h"

/* A bound on the time of a trace that lists many files without build-ids. */
enum { SAMPLED_MAX = 256 }; /* files: each takes some histograms to be decoded */

struct file {
	const char *path, *build_id;
	uint32_t module; /* one of its modules: index in the trace */
	char *found;	 /* where it is, ours; NULL: nowhere, or not looked for */
	bool named, told, looked, there;
};

/*
 * A module, with its index in the trace. The copy is sorted; the index says which one it
 * was.
 */
struct mapping {
	struct wm_module is;
	uint32_t module;
};

struct files {
	const struct wm_trace *trace;
	struct extents extents; /* extent.what is an index in mappings[] */
	struct mapping *mappings;
	uint32_t *numbers;   /* [n_mappings] of their files */
	uint32_t *of_module; /* [n_modules] number of its file */
	uint32_t n_modules;
	struct file *all;
	uint32_t n_mappings, n, sampled;
	bool for_more;
	void (*tell)(void *cookie, const struct missing_file *missing);
	void *tell_cookie;
};

/* ---- the tables ---------------------------------------------------------- */

/*
 * The order that makes mappings of one file neighbours. Without a build-id nothing says
 * that two mappings are of the same file, so the module's index keeps them apart.
 */
static int by_file(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;
	int order = strcmp(x->is.path, y->is.path);

	if (!order)
		order = strcmp(x->is.build_id, y->is.build_id);
	if (!order && !*x->is.build_id)
		order = x->module < y->module ? -1 : x->module > y->module;
	return order;
}

static bool read_mappings(struct files *files)
{
	struct wm_summary summary;
	size_t room;

	wm_trace_summary(files->trace, &summary);
	files->n_modules = summary.modules + trace_made_count(files->trace);
	/* 1 more, because calloc() of nothing may return NULL. */
	room = (size_t)files->n_modules + 1;
	files->mappings = calloc(room, sizeof(*files->mappings));
	files->numbers = calloc(room, sizeof(*files->numbers));
	files->all = calloc(room, sizeof(*files->all));
	files->of_module = calloc(room, sizeof(*files->of_module));
	if (!files->mappings || !files->numbers || !files->all || !files->of_module)
		return false;
	for (uint32_t i = 0; i < summary.modules; i++) {
		struct mapping *mapping = &files->mappings[files->n_mappings];

		mapping->module = i;
		if (wm_trace_module(files->trace, i, &mapping->is) == 0)
			/* A module that cannot be read leaves no hole. */
			files->n_mappings++;
	}
	/* Code that was made at run time is a file, too: format/made.h. */
	for (uint32_t i = summary.modules; i < files->n_modules; i++) {
		struct mapping *mapping = &files->mappings[files->n_mappings++];

		mapping->module = i;
		trace_made(files->trace, i - summary.modules, &mapping->is);
	}
	return true;
}

/* Sorts mappings by file and gives equal neighbours one number. n_mappings may be 0. */
static void number_files(struct files *files)
{
	struct mapping *mappings = files->mappings;

	qsort(mappings, files->n_mappings, sizeof(*mappings), by_file);
	for (uint32_t i = 0; i < files->n_mappings; i++) {
		if (!i || by_file(&mappings[i - 1], &mappings[i]) != 0)
			files->all[files->n++] = (struct file){
				.path = mappings[i].is.path,
				.build_id = mappings[i].is.build_id,
			};
		/*
		 * A file's number is that of the first of its mappings, which are
		 * neighbours now.
		 */
		files->numbers[i] = files->n - 1;
		files->of_module[mappings[i].module] = files->n - 1;
	}
}

/* The order of modules in a trace is that in which they were mapped. */
static bool add_extents(struct files *files)
{
	for (uint32_t i = 0; i < files->n_mappings; i++) {
		const struct mapping *mapping = &files->mappings[i];
		struct extent extent = {
			.start = mapping->is.start,
			.end = mapping->is.end,
			.space = mapping->is.space,
			.order = mapping->module,
			.from = mapping->is.known_blocks,
			.until = EXTENT_FOREVER,
			.ns = mapping->is.ns,
			.what = i,
		};

		if (!extents_add(&files->extents, &extent))
			return false;
	}
	extents_sort(&files->extents);
	/* The mapping that comes last in the order of extents represents its file. */
	for (size_t i = 0; i < files->extents.n; i++) {
		const struct extent *extent = &files->extents.all[i];

		files->all[files->numbers[extent->what]].module = extent->what;
	}
	return true;
}

int files_new(struct files **out, const struct wm_trace *trace, struct wm_error *err)
{
	struct files *files = calloc(1, sizeof(*files));

	*out = files;
	if (!files)
		return wm_fail_nomem(err, "files");
	files->trace = trace;
	if (read_mappings(files)) {
		number_files(files);
		if (add_extents(files))
			return 0;
	}
	files_free(files);
	*out = NULL;
	return wm_fail_nomem(err, "files");
}

void files_free(struct files *files)
{
	if (!files)
		return;
	extents_fini(&files->extents);
	for (uint32_t i = 0; files->all && i < files->n; i++)
		free(files->all[i].found);
	free(files->mappings);
	free(files->numbers);
	free(files->of_module);
	free(files->all);
	free(files);
}

void files_on_missing(struct files *files,
		      void (*tell)(void *cookie, const struct missing_file *missing),
		      void *cookie)
{
	files->tell = tell;
	files->tell_cookie = cookie;
}

uint32_t files_count(const struct files *files)
{
	return files->n;
}

const char *files_path(const struct files *files, uint32_t file, const char **build_id)
{
	*build_id = files->all[file].build_id;
	return files->all[file].path;
}

bool files_is_made(const struct files *files, uint32_t file)
{
	const struct file *is = &files->all[file];

	return is->module >= files->n_modules - trace_made_count(files->trace) &&
	       !strcmp(is->path, MADE_MODULE);
}

/* A mapping without a path is memory without a file; it has a number, but is no file. */
bool files_of_module(const struct files *files, uint32_t module, uint32_t *file)
{
	*file = module < files->n_modules ? files->of_module[module] : 0;
	return module < files->n_modules && *files->all[*file].path;
}

uint32_t files_module(const struct files *files, uint32_t file)
{
	return files->mappings[files->all[file].module].module;
}

void files_named(struct files *files, uint32_t file)
{
	files->all[file].named = true;
}

void files_for_more(struct files *files, bool on)
{
	files->for_more = on;
}

/* The extent of an address that is in a file, whose byte it fills in; NULL: it is in none. */
static const struct extent *extent_at(const struct files *files, uint32_t space,
				      uint64_t address, uint32_t id,
				      struct origin *origin)
{
	const struct extent *extent =
		extents_find(&files->extents, files->trace, space, address, id);
	const struct mapping *mapping = extent ? &files->mappings[extent->what] : NULL;

	/* Memory without a file has an extent too, with an empty path. */
	if (!mapping || !*mapping->is.path)
		return NULL;
	origin->file = files->numbers[extent->what];
	origin->file_off = mapping->is.file_off + (address - mapping->is.start);
	return extent;
}

bool files_at(const struct files *files, uint32_t space, uint64_t address, uint32_t id,
	      struct origin *origin)
{
	return extent_at(files, space, address, id, origin);
}

bool files_along(const struct files *files, uint32_t space, uint64_t address, uint32_t id,
		 struct origin *origin, struct along *along)
{
	const struct extent *extent = extent_at(files, space, address, id, origin);

	*along = extent ? extents_along(&files->extents, extent, space, address) :
			  (struct along){ .bytes = 0 };
	return extent;
}

/* ---- opening ------------------------------------------------------------- */

/*
 * Whether an open file is the build that ran. The recorded build-id decides; without one,
 * the code that ran is compared, which takes long and is limited to SAMPLED_MAX files.
 */
static bool is_the_build(struct files *files, const struct file *file, int fd)
{
	const struct mapping *mapping = &files->mappings[file->module];
	const struct sample_of of = {
		files->trace,
		&files->extents,
		file->module,
		&mapping->is,
	};
	char build_id[ELF_BUILD_ID_TEXT];

	/*
	 * The image of a Lisp or the like has no names that a change could take away, and
	 * its program changes the code as it loads it. A limit, because each comparison
	 * decodes histograms.
	 */
	if (!*file->build_id)
		return !elf_file_is(fd) ||
		       (files->sampled++ < SAMPLED_MAX && sample_is_what_ran(&of, fd));
	kernel_build_id(fd, build_id);
	return !strcmp(build_id, file->build_id);
}

/* Paths were read from /proc/PID/maps, where the kernel appends this mark. */
static bool was_deleted(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t bytes = strlen(path), length = sizeof(mark) - 1;

	return bytes > length && !strcmp(path + bytes - length, mark);
}

/*
 * Whether the trace has packed names of the file's code that ran. *lined: and also its
 * lines, so that nothing is missing at all.
 */
static bool is_packed(const struct files *files, const struct file *file, bool *lined)
{
	struct codemap map;

	if (trace_codemap(files->trace, files->mappings[file->module].module, &map, NULL))
		return false;
	*lined = map.complete;
	codemap_fini(&map);
	return true;
}

/* Names were packed, or have come from elsewhere. */
static bool has_names(const struct files *files, const struct file *file)
{
	return file->named || files->mappings[file->module].is.packed;
}

/*
 * Reports a file once, unless the trace has everything that it would give. A deleted file
 * cannot be brought back and [vdso] was never a file, so these are not reported as
 * missing.
 */
static void report_missing(struct files *files, struct file *file, bool changed)
{
	struct missing_file missing = { file->path, changed, has_names(files, file) };
	bool lined = false;
	/* Names such as [vdso] and [heap] are no paths. */
	bool is_file = *file->path == '/' && !was_deleted(file->path);

	if (files->for_more && missing.named)
		return;
	if (files->tell && !file->told && (changed || is_file))
		missing.named |= is_packed(files, file, &lined);
	if (files->tell && !file->told && (changed || is_file) && !lined)
		files->tell(files->tell_cookie, &missing);
	file->told = true;
}

/*
 * The path at which the file that ran is now; NULL: nowhere, which is reported. The
 * recorded path comes first, then debug directories and the like (program/elf/search.h).
 * What the search finds by build-id is right; what it finds by name alone must pass
 * is_the_build().
 */
static char *look_for(struct files *files, struct file *file)
{
	int fd = elf_file_open(file->path);
	bool there = fd >= 0, good = there && is_the_build(files, file, fd);
	char *found = NULL;

	if (there)
		close(fd);
	if (good)
		return strdup(file->path);
	/* Names such as [vdso] and [heap] are no paths. */
	if (*file->path == '/')
		found = elf_search_file(file->path, file->build_id);
	fd = found && !*file->build_id ? elf_file_open(found) : -1;
	/* Found by its name alone: its code decides. */
	if (fd >= 0 && !is_the_build(files, file, fd)) {
		free(found);
		found = NULL;
	}
	if (fd >= 0)
		close(fd);
	file->there = there;
	if (!found)
		report_missing(files, file, there);
	return found;
}

const char *files_found(struct files *files, uint32_t number)
{
	struct file *file = &files->all[number];

	/* Looked for once: the answer must not change while the trace is open. */
	if (!file->looked) {
		file->looked = true;
		file->found = look_for(files, file);
	} else if (!file->found && !file->told) {
		/* Who looked first may have asked for more than names (files_for_more()). */
		report_missing(files, file, file->there);
	}
	return file->found;
}

int files_open(struct files *files, uint32_t number)
{
	const char *found = files_found(files, number);

	return found ? elf_file_open(found) : -1;
}
