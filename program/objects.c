// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The variables of each space. For each file its objects are read once, at virtual
 * addresses; for each space those of its modules are moved to where the module is mapped.
 * A module is a mapping of code: everything else that is loaded of its file is as far
 * from it in memory as it is in the file's virtual addresses.
 *
 * Invariant: after settle() the places of a space are sorted and disjoint. Where objects
 * overlap, as aliases of one variable do, the one that starts first counts, and of equal
 * ones the first in the file. A forked process has its parent's modules, too.
 *
 * Example: a module at 0x7000 of code at virtual address 0x1000, and `counter` at 0x4010
 * of 4 bytes: the space has it at 0xa010.
 */
#include "program/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "program/demangle.h"
#include "program/elf/objects.h"

/* In a file or a space: start <= address < end. */
struct place {
	uint64_t start, end;
	uint32_t number;
};

struct places {
	struct place *all; /* [n] */
	size_t n;
};

struct file {
	bool read, good;
	bool absent;		  /* it is not there, or is not what ran */
	uint64_t file_off, vaddr; /* of its code */
	struct places symbols, segments;
};

struct objects {
	const struct wm_trace *trace;
	struct symbols *symbols;
	struct object *all; /* [n], of numbers 1 to n */
	uint32_t n;
	struct file *files;			 /* [symbols_files()] */
	struct places *symbols_of, *segments_of; /* [spaces] sorted, none overlaps */
	uint32_t spaces;
};

/* ---- files ----------------------------------------------------------------------------------- */

struct reading {
	struct objects *objects;
	struct file *file;
	const char *path;
	uint32_t whole; /* number of the object for what has no symbol; 0: not made */
	bool failed;
};

/* Numbers start at 1, so objects->n after the append is the number of the new one. */
static uint32_t add_object(struct reading *reading, const char *name, uint64_t bytes)
{
	struct objects *objects = reading->objects;
	struct object object = { .symbol = strdup(name),
				 .module = reading->path,
				 .bytes = bytes };

	if (!object.symbol || !APPEND(objects->all, objects->n, object)) {
		free(object.symbol);
		reading->failed = true;
		return 0;
	}
	return objects->n;
}

/*
 * The object for everything of a file that has no symbol; made only when there is such a
 * thing.
 */
static uint32_t whole_of(struct reading *reading)
{
	const char *slash = strrchr(reading->path, '/');
	char name[256];

	if (!reading->whole) {
		snprintf(name, sizeof(name), "[%s]", slash ? slash + 1 : reading->path);
		reading->whole = add_object(reading, name, 0);
	}
	return reading->whole;
}

/*
 * The callback of elf_objects_each(): with a name it is a symbol, without one a loaded
 * segment.
 */
static bool take(void *cookie, const struct elf_object *object)
{
	struct reading *reading = cookie;
	struct places *places = object->name ? &reading->file->symbols :
					       &reading->file->segments;
	struct place place = { object->start, object->end, 0 };

	place.number = object->name ? add_object(reading, object->name,
						 object->end - object->start) :
				      whole_of(reading);
	if (!place.number || !APPEND(places->all, places->n, place))
		reading->failed = true;
	return !reading->failed;
}

/* A file that cannot be used stays "read" and not "good", so it is not opened again. */
static bool read_file(struct objects *objects, struct file *file,
		      const struct wm_module *module)
{
	struct reading reading = { objects, file, module->path, 0, false };
	int fd;

	if (file->read)
		return true;
	file->read = true;
	file->file_off = module->file_off;
	fd = symbols_open(objects->symbols, (uint32_t)(file - objects->files));
	file->absent = fd < 0;
	if (file->absent)
		return true;
	file->good = elf_objects_each(fd, module->path, module->build_id,
				      module->file_off, &file->vaddr, take, &reading);
	close(fd);
	return !reading.failed;
}

/*
 * The file of a module: those of one path and build-id are one. Without a build-id each
 * mapping is a file of its own for struct symbols; the first one of the path is taken for
 * all of them.
 */
static bool find_file(const struct objects *objects, const struct wm_module *module,
		      uint32_t *number)
{
	const char *build_id;

	for (*number = 0; *number < symbols_files(objects->symbols); ++*number)
		if (!strcmp(symbols_file(objects->symbols, *number, &build_id),
			    module->path) &&
		    !strcmp(build_id, module->build_id))
			return true;
	return false;
}

/* ---- spaces ----------------------------------------------------------------------------------- */

/* A range that wraps around the end of the address space is dropped. */
static bool add_moved(struct places *to, const struct places *from, uint64_t by)
{
	for (size_t i = 0; i < from->n; i++) {
		struct place place = from->all[i];

		place.start += by;
		place.end += by;
		if (place.end > place.start && !APPEND(to->all, to->n, place))
			return false;
	}
	return true;
}

/* The file of a module of space `of`; NULL: it is another space's, or has no file. */
static struct file *file_of(const struct objects *objects, uint32_t of,
			    const struct wm_module *module)
{
	uint32_t number;

	if (module->space != of || !*module->path || !find_file(objects, module, &number))
		return NULL;
	return &objects->files[number];
}

/* How far from its addresses a file is mapped. Wraps where these are higher. */
static uint64_t moved_by(const struct file *file, const struct wm_module *module)
{
	return module->start - module->file_off - (file->vaddr - file->file_off);
}

/* Adds the modules of space `of` to `space`, which is `of` itself or a descendant. */
static bool add_modules(struct objects *objects, uint32_t space, uint32_t of)
{
	struct wm_module module;

	for (uint32_t i = 0; !wm_trace_module(objects->trace, i, &module); i++) {
		struct file *file = file_of(objects, of, &module);
		uint64_t by;

		if (!file)
			continue;
		if (!read_file(objects, file, &module))
			return false;
		by = moved_by(file, &module);
		if (file->good &&
		    (!add_moved(&objects->symbols_of[space], &file->symbols, by) ||
		     !add_moved(&objects->segments_of[space], &file->segments, by)))
			return false;
	}
	return true;
}

static int by_start(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/*
 * Sorts places and makes them disjoint: each begins where the one before it ends, at the
 * earliest; one that lies in another vanishes.
 */
static void settle(struct places *places)
{
	uint64_t reach = 0;
	size_t n = 0;

	if (places->n)
		qsort(places->all, places->n, sizeof(*places->all), by_start);
	for (size_t i = 0; i < places->n; i++) {
		struct place place = places->all[i];

		if (place.start < reach)
			place.start = reach;
		if (place.start >= place.end)
			continue;
		reach = place.end;
		places->all[n++] = place;
	}
	places->n = n;
}

/* The same pid means execve(), which leaves nothing of the parent's memory. */
bool objects_parent(const struct wm_trace *trace, uint32_t space, uint32_t *parent)
{
	struct wm_process child, before;

	if (wm_trace_process(trace, space, &child) || child.parent >= space ||
	    wm_trace_process(trace, child.parent, &before) || before.pid == child.pid)
		return false;
	*parent = child.parent;
	return true;
}

/*
 * A descendant gets all modules of its ancestors, also those that were mapped after the
 * fork: unlike in program/extents.c, times are not compared.
 */
static bool fill_spaces(struct objects *objects)
{
	for (uint32_t space = 0; space < objects->spaces; space++) {
		uint32_t of = space;

		do
			if (!add_modules(objects, space, of))
				return false;
		while (objects_parent(objects->trace, of, &of));
		settle(&objects->symbols_of[space]);
		settle(&objects->segments_of[space]);
	}
	return true;
}

int objects_new(struct objects **out, const struct wm_trace *trace,
		struct symbols *symbols, struct wm_error *err)
{
	struct objects *objects = calloc(1, sizeof(*objects));
	struct wm_summary summary;

	*out = objects;
	if (!objects)
		return wm_fail_nomem(err, "names of data");
	wm_trace_summary(trace, &summary);
	objects->trace = trace;
	objects->symbols = symbols;
	objects->spaces = summary.spaces;
	objects->files = calloc(symbols_files(symbols) + 1ul, sizeof(*objects->files));
	objects->symbols_of = calloc(summary.spaces + 1ul, sizeof(struct places));
	objects->segments_of = calloc(summary.spaces + 1ul, sizeof(struct places));
	if (objects->files && objects->symbols_of && objects->segments_of &&
	    fill_spaces(objects))
		return 0;
	objects_free(objects);
	*out = NULL;
	return wm_fail_nomem(err, "names of data");
}

void objects_free(struct objects *objects)
{
	if (!objects)
		return;
	for (uint32_t i = 0; objects->files && i < symbols_files(objects->symbols); i++) {
		free(objects->files[i].symbols.all);
		free(objects->files[i].segments.all);
	}
	for (uint32_t i = 0; i < objects->spaces; i++) {
		if (objects->symbols_of)
			free(objects->symbols_of[i].all);
		if (objects->segments_of)
			free(objects->segments_of[i].all);
	}
	for (uint32_t i = 0; i < objects->n; i++) {
		free(objects->all[i].symbol);
		free(objects->all[i].name);
	}
	free(objects->files);
	free(objects->symbols_of);
	free(objects->segments_of);
	free(objects->all);
	free(objects);
}

/* ---- looking up -------------------------------------------------------------------------------- */

/*
 * Narrows *range to the place that holds `address`, or to the hole between two places.
 * Returns the place, or NULL. In both cases `next` is the first place after the address.
 */
static const struct place *narrow(const struct places *places, uint64_t address,
				  struct object_range *range)
{
	size_t next = BISECT(places->n, i, places->all[i].start <= address);
	const struct place *before = next ? &places->all[next - 1] : NULL;
	uint64_t start = 0, last = UINT64_MAX;

	if (next < places->n)
		last = places->all[next].start - 1;
	if (before && address < before->end) {
		start = before->start;
		last = before->end - 1;
	} else if (before) {
		start = before->end;
		before = NULL;
	}
	if (start > range->start)
		range->start = start;
	if (last < range->last)
		range->last = last;
	return before;
}

/*
 * Symbols come before segments: the whole of a file is the answer only where no symbol
 * is. Then the range is the intersection of the hole between symbols with the segment.
 */
void objects_at(const struct objects *objects, uint32_t space, uint64_t address,
		struct object_range *range)
{
	const struct place *place;

	*range = (struct object_range){ .last = UINT64_MAX };
	if (space >= objects->spaces)
		return;
	place = narrow(&objects->symbols_of[space], address, range);
	if (place)
		range->at = place->start;
	else
		place = narrow(&objects->segments_of[space], address, range);
	if (place)
		range->number = place->number;
}

/* Whether a symbol is meant by a name. */
typedef bool (*meaning)(const char *symbol, const char *name);

static bool is_symbol(const char *symbol, const char *name)
{
	return !strcmp(symbol, name);
}

static bool find_in_file(const struct objects *objects, const struct file *file,
			 meaning is_meant, const char *name, struct object_range *range)
{
	for (size_t i = 0; file->good && i < file->symbols.n; i++) {
		const struct place *place = &file->symbols.all[i];

		if (!is_meant(objects->all[place->number - 1].symbol, name))
			continue;
		*range = (struct object_range){
			.start = place->start,
			.last = place->end - 1,
			.number = place->number,
			.at = place->start,
		};
		return true;
	}
	return false;
}

/*
 * Looks into the files of a space and of those that it was forked from. Not among its places:
 * of the names of one variable only one has a place.
 */
static bool find(const struct objects *objects, uint32_t space, meaning is_meant,
		 const char *name, struct object_range *range)
{
	struct wm_module module;

	do {
		for (uint32_t i = 0; !wm_trace_module(objects->trace, i, &module); i++) {
			const struct file *file = file_of(objects, space, &module);
			uint64_t by;

			if (!file || !find_in_file(objects, file, is_meant, name, range))
				continue;
			by = moved_by(file, &module);
			range->start += by;
			range->last += by;
			range->at += by;
			return true;
		}
	} while (objects_parent(objects->trace, space, &space));
	return false;
}

bool objects_find(const struct objects *objects, uint32_t space, const char *name,
		  struct object_range *range)
{
	return find(objects, space, is_symbol, name, range) ||
	       find(objects, space, demangle_names, name, range);
}

const char *objects_unread(const struct objects *objects, uint32_t *next)
{
	while (*next < symbols_files(objects->symbols)) {
		uint32_t file = (*next)++;
		const char *build_id;
		const char *path = symbols_file(objects->symbols, file, &build_id);

		/* Names such as [vdso] are no paths. */
		if (objects->files[file].absent && *path == '/' &&
		    !strstr(path, " (deleted)"))
			return path;
	}
	return NULL;
}

const char *objects_suggest(char *text, const struct objects *objects, const char *typed)
{
	struct suggestion suggestion = { .nearest.typed = typed };
	const char *unread;
	uint32_t next = 0;

	for (uint32_t i = 0; i < objects->n; i++)
		suggest_symbol(&suggestion, objects->all[i].symbol);
	if (!*suggest_text(text, &suggestion)) {
		unread = objects_unread(objects, &next);
		if (unread)
			snprintf(
				text, SUGGEST_TEXT,
				"; those of %.120s are not known: the file is missing or "
				"was changed since it ran (--symfs)",
				unread);
	}
	return text;
}

uint32_t objects_count(const struct objects *objects)
{
	return objects->n;
}

/* Of many thousands few are asked for. Two threads may ask at once: the first one's stays. */
const char *objects_name(const struct objects *objects, uint32_t number)
{
	struct object *object = &objects->all[number - 1];
	char *name = __atomic_load_n(&object->name, __ATOMIC_ACQUIRE), *first = NULL;

	if (name)
		return name;
	name = demangle(object->symbol);
	if (!name || __atomic_compare_exchange_n(&object->name, &first, name, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return name;
	free(name);
	return first;
}

const struct object *objects_get(const struct objects *objects, uint32_t number)
{
	return &objects->all[number - 1];
}
