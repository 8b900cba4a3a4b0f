// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of names: from an address at a moment to a file and a byte of it
 * (program/files.h), and from there to a name, by the providers (program/provider.h).
 *
 * Names of a file are read at the first lookup of an address in it, from the first
 * provider that has any. Where a file has no name for an address, or no file is mapped,
 * the tables that the user gave are searched. Example: in a JIT compiler's process the
 * interpreter at 0x10400 is named by the ELF file, the code at 0x40018200 by the map that
 * the compiler wrote.
 */
#include "program/symbols.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/append.h"
#include "base/error.h"
#include "program/given.h"
#include "program/packed.h"
#include "program/provider.h"
#include "program/ranks.h"

enum { PAGE_BYTES = 4096 };

#define NAMES_BYTES_MAX (UINT64_C(1) << 30) /* of all files: a trace may lie */

/* The names of a file. */
struct file_names {
	bool read;
	struct symtab names; /* empty: there are none */
	struct ranks ranks;
};

struct symbols {
	const struct wm_trace *trace;
	struct files *files;
	struct file_names *names; /* [files_count()] */
	uint64_t names_bytes;
	struct given *given; /* [n_given] tables */
	size_t n_given;
};

int symbols_new(struct symbols **out, const struct wm_trace *trace, struct wm_error *err)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	int ret;

	*out = symbols;
	if (!symbols)
		return wm_fail_nomem(err, "symbols");
	symbols->trace = trace;
	ret = files_new(&symbols->files, trace, err);
	if (!ret) {
		/* 1 more, because calloc() of nothing may return NULL. */
		symbols->names = calloc((size_t)files_count(symbols->files) + 1,
					sizeof(*symbols->names));
		if (!symbols->names)
			ret = wm_fail_nomem(err, "symbols");
	}
	if (ret) {
		symbols_free(symbols);
		*out = NULL;
	}
	return ret;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (uint32_t i = 0; symbols->names && i < files_count(symbols->files); i++) {
		symtab_fini(&symbols->names[i].names);
		ranks_fini(&symbols->names[i].ranks);
	}
	for (size_t i = 0; i < symbols->n_given; i++)
		given_fini(&symbols->given[i]);
	free(symbols->given);
	free(symbols->names);
	files_free(symbols->files);
	free(symbols);
}

void symbols_on_missing(struct symbols *symbols,
			void (*tell)(void *cookie, const struct missing_file *missing),
			void *cookie)
{
	files_on_missing(symbols->files, tell, cookie);
}

/* ---- files --------------------------------------------------------------- */

/*
 * The names of a file's code; empty when there are none. A file is tried once. A trace
 * may name any number of files, so beyond a bound on their sum no more are read.
 */
static const struct symtab *names_of(struct symbols *symbols, uint32_t file)
{
	struct file_names *known = &symbols->names[file];
	struct symtab *names = &known->names;

	if (known->read)
		return names;
	/* Set first: a file without names, or beyond the bound, is not tried again. */
	known->read = true;
	if (symbols->names_bytes > NAMES_BYTES_MAX)
		return names;
	for (unsigned i = 0; providers[i]; i++)
		if (providers[i]->of_file &&
		    providers[i]->of_file(names, symbols->files, symbols->trace, file))
			break;
	/* Also after a failure, when both are 0. */
	symbols->names_bytes +=
		names->names.len + names->n_ranges * sizeof(*names->ranges);
	return names;
}

bool symbols_origin(const struct symbols *symbols, uint32_t space, uint64_t address,
		    uint32_t id, struct origin *origin)
{
	return files_at(symbols->files, space, address, id, origin);
}

bool symbols_is_made(const struct symbols *symbols, uint32_t space, uint64_t address,
		     uint32_t id)
{
	struct origin origin;

	return !files_at(symbols->files, space, address, id, &origin) ||
	       files_is_made(symbols->files, origin.file);
}

/*
 * Whether a number is that of a file: code that is in no file may have a name, but no
 * origin.
 */
static bool is_file(const struct symbols *symbols, uint32_t file)
{
	return file < files_count(symbols->files);
}

uint32_t symbols_files(const struct symbols *symbols)
{
	return files_count(symbols->files);
}

const char *symbols_file(const struct symbols *symbols, uint32_t file,
			 const char **build_id)
{
	return files_path(symbols->files, file, build_id);
}

int symbols_open(struct symbols *symbols, uint32_t file)
{
	return files_open(symbols->files, file);
}

void symbols_for_more(struct symbols *symbols, bool on)
{
	files_for_more(symbols->files, on);
}

struct packed *symbols_packed(const struct symbols *symbols, uint32_t file,
			      struct interner *sources)
{
	return packed_new(symbols->trace, files_module(symbols->files, file), sources);
}

/* Reads fewer bytes at the end of the file. */
size_t symbols_read(struct symbols *symbols, uint32_t file, uint64_t file_off,
		    uint8_t *code, size_t bytes)
{
	int fd = is_file(symbols, file) ? files_open(symbols->files, file) : -1;
	ssize_t n;

	if (fd < 0)
		return 0;
	n = pread(fd, code, bytes, (off_t)file_off);
	close(fd);
	return n < 0 ? 0 : (size_t)n;
}

/* ---- an address ---------------------------------------------------------- */

/* The name in a table that the user gave. */
static bool find_given(const struct symbols *symbols, uint32_t space, uint64_t address,
		       uint32_t id, struct symbol *out)
{
	/* The first table that has a name wins: the order is that of the command line. */
	for (size_t i = 0; i < symbols->n_given; i++)
		if (given_find(&symbols->given[i], symbols->trace, space, address, id,
			       out))
			return true;
	return false;
}

/* What the file says of a byte of it. */
static void find_in_file(struct symbols *symbols, const struct origin *origin,
			 struct symbol *out)
{
	const char *build_id;

	out->module = symbols_file(symbols, origin->file, &build_id);
	/* Without a symbol the offset is that in the file. */
	out->file_off = out->offset = origin->file_off;
	out->name = symtab_find(names_of(symbols, origin->file), origin->file_off,
				&out->offset);
}

/*
 * *out is filled in as far as it is known even when there is no name: callers print the
 * module.
 */
bool symbols_find(struct symbols *symbols, uint32_t space, uint64_t address, uint32_t id,
		  struct symbol *out)
{
	struct origin origin;
	struct symbol given;

	*out = (struct symbol){ 0 };
	if (symbols_origin(symbols, space, address, id, &origin))
		find_in_file(symbols, &origin, out);
	/* A name of the file is preferred: a table is for code that no file names. */
	if (out->name || !find_given(symbols, space, address, id, &given))
		return out->name;
	/*
	 * In a file's code only the name is the table's: places stay bytes of the file.
	 */
	out->name = given.name;
	out->offset = given.offset;
	if (!out->module) {
		out->module = given.module;
		out->file_off = given.file_off;
	}
	return true;
}

/* Given tables name single addresses: where one has a say, nothing is known of the next. */
void symbols_along(struct symbols *symbols, uint32_t space, uint64_t address, uint32_t id,
		   struct symbol_along *out)
{
	struct along *along = &out->along;
	uint64_t named;

	*out = (struct symbol_along){ .symbol = { 0 } };
	out->in_file =
		files_along(symbols->files, space, address, id, &out->origin, along);
	if (out->in_file)
		find_in_file(symbols, &out->origin, &out->symbol);
	if (symbols->n_given && !out->symbol.name) {
		symbols_find(symbols, space, address, id, &out->symbol);
		along->bytes = 0;
	}
	if (!along->bytes)
		return;
	named = symtab_along(names_of(symbols, out->origin.file), out->origin.file_off);
	if (named < along->bytes)
		along->bytes = named;
}

/* ---- symbols of a file --------------------------------------------------- */

/* Ranges are in virtual addresses; callers count in bytes of the file. */
static void describe(const struct symtab *names, const struct symtab_range *range,
		     struct symbol_range *out)
{
	*out = (struct symbol_range){
		.name = (const char *)names->names.data + range->name,
	};
	/* A range in no segment of the file keeps 0 to 0. */
	if (symtab_file_off(names, range->start, &out->start))
		out->end = out->start + (range->end - range->start);
}

bool symbols_at(struct symbols *symbols, uint32_t file, uint32_t index,
		struct symbol_range *range)
{
	const struct symtab *names = names_of(symbols, file);

	if (index >= names->n_ranges)
		return false;
	describe(names, &names->ranges[index], range);
	return true;
}

bool symbols_over(struct symbols *symbols, const struct origin *origin,
		  struct symbol_range *range)
{
	const struct symtab_range *found;
	const struct symtab *names;
	uint64_t offset;

	if (!is_file(symbols, origin->file))
		return false;
	names = names_of(symbols, origin->file);
	found = symtab_range(names, origin->file_off, &offset);
	if (found)
		describe(names, found, range);
	return found;
}

/* The image begins on a page, at or below its lowest segment. */
uint64_t symbols_image_off(struct symbols *symbols, const struct origin *origin)
{
	const struct symtab *names = names_of(symbols, origin->file);
	uint64_t lowest = UINT64_MAX, vaddr;

	for (uint32_t i = 0; i < names->n_segments; i++)
		if (names->segments[i].vaddr < lowest)
			lowest = names->segments[i].vaddr;
	/* An address in no segment counts in bytes of the file. */
	if (!symtab_vaddr(names, origin->file_off, &vaddr))
		return origin->file_off;
	/* Rounded down: the kernel maps whole pages. */
	return vaddr - lowest / PAGE_BYTES * PAGE_BYTES;
}

uint64_t symbols_vaddr(struct symbols *symbols, const struct origin *origin)
{
	uint64_t vaddr;

	return symtab_vaddr(names_of(symbols, origin->file), origin->file_off, &vaddr) ?
		       vaddr :
		       origin->file_off;
}

/*
 * A name's address in memory shows from which table it is: tables do not overlap. Names
 * of given tables are in none of them and have rank 0.
 */
uint32_t symbols_rank(struct symbols *symbols, const struct symbol *symbol)
{
	for (uint32_t i = 0; symbol->name && i < files_count(symbols->files); i++) {
		struct file_names *file = &symbols->names[i];
		uintptr_t first = (uintptr_t)file->names.names.data;
		/* Unsigned: a name in front of the table wraps to a large number. */
		uintptr_t place = (uintptr_t)symbol->name - first;

		if (place < file->names.names.len)
			/* The rank among symbols of the same name, which differ by it. */
			return ranks_get(&file->ranks, &file->names, place);
	}
	return 0;
}

int symbols_add(struct symbols *symbols, const char *path, uint32_t pid,
		struct wm_error *err)
{
	struct given given;
	int ret = given_open(&given, symbols->trace, path, pid, err);

	if (ret || APPEND(symbols->given, symbols->n_given, given))
		return ret;
	given_fini(&given);
	return wm_fail_nomem(err, "names of code");
}
