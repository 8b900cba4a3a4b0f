// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes an address to the module that held it, to the byte of that module's file, and to
 * the symbol there. Modules are sorted by process and address; ranges of a process may
 * overlap, because a trace lists every mapping a process ever had, so the search walks
 * back from the last module that starts at or before the address, as far as the longest
 * range seen so far could reach.
 *
 * The file may have been rebuilt since the recording, and old names would be worse than
 * none. The trace has the code that ran, so a file counts only when most of a sample of
 * the module's blocks is found in it byte for byte.
 */
#include "program/symbols.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "program/symtab.h"

enum { SAMPLE_BLOCKS = 64, SAMPLE_BYTES = 64, SAMPLE_CHUNKS = 8 };

struct file {
	const char *path;
	bool read;
	struct symtab *symtab; /* NULL: no names */
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

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct module *)a)->is.path,
		      ((const struct module *)b)->is.path);
}

/* Gives modules of one path one file; they are sorted by path for it. */
static void name_files(struct symbols *symbols)
{
	const char *last = NULL;

	qsort(symbols->modules, symbols->modules_n, sizeof(*symbols->modules), by_path);
	for (uint32_t i = 0; i < symbols->modules_n; i++) {
		struct module *module = &symbols->modules[i];

		if (!last || strcmp(last, module->is.path) != 0)
			symbols->files[symbols->files_n++].path = module->is.path;
		last = module->is.path;
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
		if (wm_trace_module(trace, i, &module->is) == 0 && module->is.path)
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
	for (uint32_t i = 0; i < symbols->files_n; i++)
		symtab_free(symbols->files[i].symtab);
	free(symbols->files);
	free(symbols->modules);
	free(symbols);
}

static bool is_before(const struct module *module, uint32_t process, uint64_t address)
{
	if (module->is.process != process)
		return module->is.process < process;
	return module->is.start <= address;
}

static struct module *find_module(struct symbols *symbols, uint32_t process,
				  uint64_t address)
{
	uint32_t low = 0, high = symbols->modules_n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (is_before(&symbols->modules[middle], process, address))
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- > 0) {
		struct module *module = &symbols->modules[low];

		if (module->is.process != process || module->reach <= address)
			return NULL;
		if (address < module->is.end)
			return module;
	}
	return NULL;
}

/* ---- the files ---------------------------------------------------------------- */

/* A sample of the code of one module, held against a file. */
struct sample {
	const struct wm_trace *trace;
	const struct wm_module *module;
	int fd;
	uint32_t blocks; /* compared */
	uint32_t equal;
};

static bool block_of(const struct sample *sample, uint32_t id, struct wm_block *block)
{
	const struct wm_module *module = sample->module;

	return wm_trace_block(sample->trace, id, block) == 0 &&
	       block->address >= module->start && block->address < module->end;
}

static void sample_block(struct sample *sample, const struct wm_block *block)
{
	uint64_t off = block->address - sample->module->start + sample->module->file_off;
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
static bool is_what_ran(const struct wm_trace *trace, const struct wm_module *module,
			int fd)
{
	struct sample sample = { .trace = trace, .module = module, .fd = fd };
	unsigned histograms = 0;
	struct wm_chunk chunk;

	for (uint64_t i = 0;
	     sample.blocks < SAMPLE_BLOCKS / 2 && histograms < SAMPLE_CHUNKS &&
	     wm_trace_chunk(trace, i, &chunk) == 0;
	     i++) {
		struct wm_count *counts;
		size_t n;

		if (!is_of_process(trace, chunk.stream, module->process) ||
		    wm_trace_histogram(trace, i, &counts, &n, NULL) != 0)
			continue;
		histograms++;
		sample_counts(&sample, counts, n);
		free(counts);
	}
	return sample.equal >= sample.blocks - sample.equal;
}

static void read_file(struct symbols *symbols, const struct module *module)
{
	struct file *file = &symbols->files[module->file];
	struct stat st;
	int fd;

	file->read = true;
	/* The path comes from the trace: it may name a FIFO or a device. */
	fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    is_what_ran(symbols->trace, &module->is, fd))
		file->symtab = symtab_new(fd);
	close(fd);
}

bool symbols_find(struct symbols *symbols, uint32_t process, uint64_t address,
		  struct symbol *out)
{
	const struct module *module = find_module(symbols, process, address);
	const struct file *file;
	uint64_t file_off;

	*out = (struct symbol){ 0 };
	if (!module)
		return false;
	file_off = module->is.file_off + (address - module->is.start);
	file = &symbols->files[module->file];
	out->module = file->path;
	out->offset = file_off;
	if (!file->read)
		read_file(symbols, module);
	if (file->symtab)
		out->name = symtab_find(file->symtab, file_off, &out->offset);
	return out->name;
}
