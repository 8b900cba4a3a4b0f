// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes an address to the module that held it, to the byte of that module's file, and to
 * the symbol there. Modules are sorted by process and address; ranges of a process may
 * overlap, because a trace lists every mapping a process ever had, so the search walks
 * back from the last module that starts at or before the address, as far as the longest
 * range seen so far could reach. Of those over the address the block tells which it was:
 * the last one before the block was new. A forked process begins with its parent's.
 *
 * The file may have been rebuilt since the recording, and old names would be worse than
 * none. Its build-id must be the one that was recorded. Where there is none, the trace has
 * the code that ran, so a file counts only when most of a sample of the module's blocks is
 * found in it byte for byte.
 */
#include "program/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/error.h"
#include "base/intern.h"
#include "program/elf/file.h"
#include "program/elf/symbols.h"
#include "trace/symtabs.h"
#include "trace/u64map.h"

enum { PAGE_BYTES = 4096 };
enum { SAMPLE_BLOCKS = 64, SAMPLE_BYTES = 64, SAMPLE_CHUNKS = 8, SAMPLED_MAX = 256 };

#define NAMES_BYTES_MAX (UINT64_C(1) << 30) /* of all files: a trace may lie */

struct file {
	const char *path, *build_id;
	const struct module *module; /* one of it */
	bool read, told, compared, ranked;
	bool packed;	     /* its names are in the trace */
	bool is_what_ran;    /* once it was compared */
	struct symtab names; /* empty: there are none */
	struct u64map ranks; /* place of a name -> its rank, when that is not 0 */
};

struct module {
	struct wm_module is;
	uint64_t reach; /* the furthest end, here and before, within the process */
	uint32_t order; /* in the trace */
	uint32_t file;
};

struct symbols {
	const struct wm_trace *trace;
	struct module *modules;
	struct file *files;
	uint32_t modules_n, files_n;
	uint64_t names_bytes;
	uint32_t sampled; /* files */
	void (*tell)(const struct symbols_lack *lack);
};

/* ---- the modules -------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct module *x = a, *y = b;

	if (x->is.process != y->is.process)
		return x->is.process < y->is.process ? -1 : 1;
	if (x->is.start != y->is.start)
		return x->is.start < y->is.start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int by_file(const void *a, const void *b)
{
	const struct module *x = a, *y = b;
	int order = strcmp(x->is.path, y->is.path);

	if (!order)
		order = strcmp(x->is.build_id, y->is.build_id);
	/* What is not known of cannot be the same. */
	if (!order && !*x->is.build_id)
		order = x->order < y->order ? -1 : x->order > y->order;
	return order;
}

/* Gives modules of one path and build one file; they are sorted by these for it. */
static void name_files(struct symbols *symbols)
{
	qsort(symbols->modules, symbols->modules_n, sizeof(*symbols->modules), by_file);
	for (uint32_t i = 0; i < symbols->modules_n; i++) {
		struct module *module = &symbols->modules[i];

		if (!i || by_file(module - 1, module) != 0)
			symbols->files[symbols->files_n++] = (struct file){
				.path = module->is.path,
				.build_id = module->is.build_id,
			};
		module->file = symbols->files_n - 1;
	}
}

static void sort_by_place(struct symbols *symbols)
{
	uint64_t reach = 0;

	qsort(symbols->modules, symbols->modules_n, sizeof(*symbols->modules), by_place);
	for (uint32_t i = 0; i < symbols->modules_n; i++) {
		struct module *module = &symbols->modules[i];

		if (i && module->is.process != module[-1].is.process)
			reach = 0;
		if (module->is.end > reach)
			reach = module->is.end;
		module->reach = reach;
		symbols->files[module->file].module = module;
	}
}

int symbols_new(struct symbols **out, const struct wm_trace *trace, struct wm_error *err)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	struct wm_summary summary;

	*out = symbols;
	if (!symbols)
		return wm_fail_nomem(err, "symbols");
	wm_trace_summary(trace, &summary);
	symbols->trace = trace;
	symbols->modules = calloc((size_t)summary.modules + 1, sizeof(*symbols->modules));
	symbols->files = calloc((size_t)summary.modules + 1, sizeof(*symbols->files));
	if (!symbols->modules || !symbols->files) {
		symbols_free(symbols);
		*out = NULL;
		return wm_fail_nomem(err, "symbols");
	}
	for (uint32_t i = 0; i < summary.modules; i++) {
		struct module *module = &symbols->modules[symbols->modules_n];

		module->order = i;
		if (wm_trace_module(trace, i, &module->is) == 0)
			symbols->modules_n++;
	}
	name_files(symbols);
	sort_by_place(symbols);
	return 0;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (uint32_t i = 0; i < symbols->files_n; i++) {
		symtab_fini(&symbols->files[i].names);
		if (symbols->files[i].ranked)
			u64map_fini(&symbols->files[i].ranks);
	}
	free(symbols->files);
	free(symbols->modules);
	free(symbols);
}

void symbols_on_lack(struct symbols *symbols,
		     void (*tell)(const struct symbols_lack *lack))
{
	symbols->tell = tell;
}

/* How many modules come before the first one behind an address of a process. */
static uint32_t starts_up_to(const struct symbols *symbols, uint32_t process,
			     uint64_t address)
{
	const struct module *modules = symbols->modules;

	return (uint32_t)BISECT(symbols->modules_n, i,
				modules[i].is.process < process ||
					(modules[i].is.process == process &&
					 modules[i].is.start <= address));
}

/* What is asked for, and the answers so far. */
struct query {
	uint64_t address;
	uint32_t id;
	uint64_t until_ns;	       /* later ones do not count */
	const struct module *earliest; /* over the address */
	const struct module *latest;   /* that is older than the block */
};

static void consider(struct query *query, const struct module *module)
{
	if (query->address >= module->is.end || module->is.ns > query->until_ns)
		return;
	if (!query->earliest || module->order < query->earliest->order)
		query->earliest = module;
	if ((!query->id || module->is.known_blocks < query->id) &&
	    (!query->latest || module->order > query->latest->order))
		query->latest = module;
}

/* Goes on to the process that this one was forked from; an exec() leaves nothing. */
static bool go_to_parent(const struct symbols *symbols, uint32_t *process,
			 uint64_t *until_ns)
{
	struct wm_process child, parent;

	if (wm_trace_process(symbols->trace, *process, &child) ||
	    wm_trace_process(symbols->trace, child.parent, &parent) ||
	    parent.pid == child.pid || child.parent >= *process)
		return false;
	if (child.begin_ns && child.begin_ns < *until_ns)
		*until_ns = child.begin_ns;
	*process = child.parent;
	return true;
}

static const struct module *find_module(const struct symbols *symbols, uint32_t process,
					uint64_t address, uint32_t id)
{
	struct query query = { .address = address, .id = id, .until_ns = UINT64_MAX };
	const struct module *earliest = NULL;

	do {
		uint32_t at = starts_up_to(symbols, process, address);

		query.earliest = NULL;
		while (at-- > 0 && symbols->modules[at].is.process == process &&
		       symbols->modules[at].reach > address)
			consider(&query, &symbols->modules[at]);
		if (query.latest)
			return query.latest;
		if (query.earliest)
			earliest = query.earliest;
	} while (go_to_parent(symbols, &process, &query.until_ns));
	return earliest;
}

/* ---- the files ---------------------------------------------------------------- */

/* A sample of the code of one module, held against a file. */
struct sample {
	const struct symbols *symbols;
	const struct module *module;
	int fd;
	uint32_t blocks; /* compared */
	uint32_t equal;
};

static bool block_of(const struct sample *sample, uint32_t id, struct wm_block *block)
{
	const struct wm_module *is = &sample->module->is;

	return wm_trace_block(sample->symbols->trace, id, block) == 0 &&
	       block->address >= is->start && block->address < is->end &&
	       find_module(sample->symbols, is->process, block->address, id) ==
		       sample->module;
}

static void sample_block(struct sample *sample, const struct wm_block *block)
{
	const struct wm_module *is = &sample->module->is;
	uint64_t off = block->address - is->start + is->file_off;
	size_t n = block->bytes < SAMPLE_BYTES ? block->bytes : SAMPLE_BYTES;
	uint8_t bytes[SAMPLE_BYTES];

	sample->blocks++;
	if (pread(sample->fd, bytes, n, (off_t)off) == (ssize_t)n &&
	    !memcmp(bytes, block->code, n))
		sample->equal++;
}

/* Some of the module's blocks in a histogram, spread over all of them. */
static void sample_counts(struct sample *sample, const struct wm_count *counts, size_t n)
{
	size_t own = 0, stride, seen = 0;
	struct wm_block block;

	for (size_t i = 0; i < n; i++)
		own += block_of(sample, counts[i].id, &block);
	stride = own / SAMPLE_BLOCKS + 1;
	for (size_t i = 0; i < n; i++)
		if (block_of(sample, counts[i].id, &block) && seen++ % stride == 0)
			sample_block(sample, &block);
}

static bool is_of_process(const struct wm_trace *trace, uint32_t index, uint32_t process)
{
	struct wm_stream stream;

	return wm_trace_stream(trace, index, &stream) == 0 && stream.process == process;
}

/*
 * Does most of the module's code that ran stand in the file? Yes, when none of it ran.
 * Asks histograms, not the block table, because processes have different code at one
 * address; and only a few, because one usually has enough.
 */
static bool is_what_ran(const struct symbols *symbols, const struct module *module,
			int fd)
{
	struct sample sample = { .symbols = symbols, .module = module, .fd = fd };
	const struct wm_trace *trace = symbols->trace;
	unsigned histograms = 0;
	struct wm_chunk chunk;

	for (uint64_t i = 0;
	     sample.blocks < SAMPLE_BLOCKS / 2 && histograms < SAMPLE_CHUNKS &&
	     wm_trace_chunk(trace, i, &chunk) == 0;
	     i++) {
		struct wm_count *counts;
		size_t n;

		if (!is_of_process(trace, chunk.stream, module->is.process) ||
		    wm_trace_histogram(trace, i, &counts, &n, NULL) != 0)
			continue;
		histograms++;
		sample_counts(&sample, counts, n);
		free(counts);
	}
	return sample.equal >= sample.blocks - sample.equal;
}

static bool is_the_build(struct symbols *symbols, const struct module *module, int fd)
{
	char build_id[ELF_BUILD_ID_TEXT];

	if (!*module->is.build_id)
		return symbols->sampled++ < SAMPLED_MAX &&
		       is_what_ran(symbols, module, fd);
	elf_file_build_id(fd, build_id);
	return !strcmp(build_id, module->is.build_id);
}

/* As /proc/PID/maps has it. */
static bool was_deleted(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t bytes = strlen(path), length = sizeof(mark) - 1;

	return bytes > length && !strcmp(path + bytes - length, mark);
}

static void tell_lack(struct symbols *symbols, struct file *file, bool changed)
{
	struct symbols_lack lack = { file->path, changed, file->packed };
	bool is_file = *file->path == '/' && !was_deleted(file->path); /* not [vdso] */

	if (symbols->tell && !file->told && (changed || is_file))
		symbols->tell(&lack);
	file->told = true;
}

int symbols_open(struct symbols *symbols, uint32_t index)
{
	struct file *file = &symbols->files[index];
	int fd = elf_file_open(file->path);

	if (fd < 0) {
		tell_lack(symbols, file, false);
		return -1;
	}
	if (!file->compared) {
		file->compared = true;
		file->is_what_ran = is_the_build(symbols, file->module, fd);
	}
	if (file->is_what_ran)
		return fd;
	tell_lack(symbols, file, true);
	close(fd);
	return -1;
}

static void read_file(struct symbols *symbols, uint32_t index)
{
	struct file *file = &symbols->files[index];
	int fd = symbols_open(symbols, index);

	if (fd < 0)
		return;
	elf_symbols_read(&file->names, fd, file->path, file->build_id);
	close(fd);
}

/* The names of a file's code; empty when there are none. */
static const struct symtab *names_of(struct symbols *symbols, uint32_t index)
{
	struct file *file = &symbols->files[index];

	if (file->read)
		return &file->names;
	file->read = true;
	if (symbols->names_bytes > NAMES_BYTES_MAX)
		return &file->names;
	file->packed =
		!trace_symtab(symbols->trace, file->module->order, &file->names, NULL);
	if (!file->packed)
		read_file(symbols, index);
	symbols->names_bytes += file->names.names.len +
				file->names.n_ranges * sizeof(*file->names.ranges);
	return &file->names;
}

bool symbols_find(struct symbols *symbols, uint32_t process, uint64_t address,
		  uint32_t id, struct symbol *out)
{
	const struct module *module = find_module(symbols, process, address, id);

	*out = (struct symbol){ 0 };
	if (!module || !*module->is.path)
		return false;
	out->module = module->is.path;
	out->file_off = module->is.file_off + (address - module->is.start);
	out->offset = out->file_off;
	out->name =
		symtab_find(names_of(symbols, module->file), out->file_off, &out->offset);
	return out->name;
}

bool symbols_origin(const struct symbols *symbols, uint32_t process, uint64_t address,
		    uint32_t id, struct origin *origin)
{
	const struct module *module = find_module(symbols, process, address, id);

	if (!module || !*module->is.path)
		return false;
	origin->file = module->file;
	origin->file_off = module->is.file_off + (address - module->is.start);
	return true;
}

uint32_t symbols_files(const struct symbols *symbols)
{
	return symbols->files_n;
}

const char *symbols_file(const struct symbols *symbols, uint32_t file,
			 const char **build_id)
{
	*build_id = symbols->files[file].build_id;
	return symbols->files[file].path;
}

size_t symbols_read(struct symbols *symbols, uint32_t file, uint64_t file_off,
		    uint8_t *code, size_t bytes)
{
	int fd = symbols_open(symbols, file);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = pread(fd, code, bytes, (off_t)file_off);
	close(fd);
	return n < 0 ? 0 : (size_t)n;
}

static void describe(const struct symtab *names, const struct symtab_range *range,
		     struct symbol_range *out)
{
	*out = (struct symbol_range){
		.name = (const char *)names->names.data + range->name,
	};
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
	const struct symtab *names = names_of(symbols, origin->file);
	const struct symtab_range *found;
	uint64_t offset;

	found = symtab_range(names, origin->file_off, &offset);
	if (found)
		describe(names, found, range);
	return found;
}

uint64_t symbols_image_off(struct symbols *symbols, const struct origin *origin)
{
	const struct symtab *names = names_of(symbols, origin->file);
	uint64_t lowest = UINT64_MAX, vaddr;

	for (uint32_t i = 0; i < names->n_segments; i++)
		if (names->segments[i].vaddr < lowest)
			lowest = names->segments[i].vaddr;
	if (!symtab_vaddr(names, origin->file_off, &vaddr))
		return origin->file_off;
	return vaddr - lowest / PAGE_BYTES * PAGE_BYTES;
}

/* ---- several of one name ---------------------------------------------------------- */

/* How many there were so far, for the name of each id. */
struct namesakes {
	struct interner names;
	uint32_t *seen; /* [names.count + 1] */
};

static bool rank_name(struct file *file, struct namesakes *namesakes, uint32_t name)
{
	const uint8_t *text = file->names.names.data + name;
	bool fresh;
	uint32_t id = intern(&namesakes->names, 0, text,
			     (uint32_t)strlen((const char *)text) + 1, &fresh);
	uint32_t rank = id ? namesakes->seen[id]++ : 0;
	uint32_t *place = rank ? u64map_at(&file->ranks, name) : NULL;

	if (place)
		*place = rank;
	return id && (!rank || place);
}

/* Ranges are in the order of their addresses. */
static void rank_names(struct file *file)
{
	uint32_t n = file->names.n_ranges;
	struct namesakes namesakes = { .names = INTERNER_INIT,
				       .seen = calloc((size_t)n + 1, sizeof(uint32_t)) };

	file->ranked = u64map_init(&file->ranks) == 0;
	for (uint32_t i = 0; namesakes.seen && file->ranked && i < n; i++)
		if (!rank_name(file, &namesakes, file->names.ranges[i].name))
			break;
	interner_fini(&namesakes.names);
	free(namesakes.seen);
}

uint32_t symbols_rank(struct symbols *symbols, const struct symbol *symbol)
{
	for (uint32_t i = 0; symbol->name && i < symbols->files_n; i++) {
		struct file *file = &symbols->files[i];
		uintptr_t first = (uintptr_t)file->names.names.data;
		uintptr_t place = (uintptr_t)symbol->name - first;

		if (place >= file->names.names.len)
			continue;
		if (!file->ranked)
			rank_names(file);
		return file->ranked ? u64map_get(&file->ranks, place) : 0;
	}
	return 0;
}
