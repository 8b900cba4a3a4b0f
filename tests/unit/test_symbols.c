// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program/symbols: which module an address of a block was in, and whether its file is the
 * one that ran; names from this test's own executable, as a made-up trace's module.
 */
#include "program/symbols.h"

#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "program/elf/file.h"
#include "trace/made.h"
#include "trace/symtabs.h"

/* ---- a made-up trace: modules, and blocks that ran in them --------------- */

enum { MODULES = 6, BLOCKS = 8, PROCESSES = 4 };

struct wm_trace {
	struct wm_module modules[MODULES];
	struct wm_block blocks[BLOCKS + 1];
	unsigned n_modules, n_blocks;
	struct wm_process processes[PROCESSES];
	const char *packed; /* the one name in the trace, for all modules; or NULL */
};

void wm_trace_summary_sized(const struct wm_trace *trace, struct wm_summary *summary,
			    size_t bytes)
{
	(void)bytes;
	*summary = (struct wm_summary){ .modules = trace->n_modules };
}

int wm_trace_module_sized(const struct wm_trace *trace, unsigned index,
			  struct wm_module *module, size_t bytes)
{
	(void)bytes;
	if (index >= trace->n_modules)
		return WM_E_RANGE;
	*module = trace->modules[index];
	return 0;
}

int wm_trace_block_sized(const struct wm_trace *trace, uint32_t id,
			 struct wm_block *block, size_t bytes)
{
	(void)bytes;
	if (id < 1 || id > trace->n_blocks)
		return WM_E_RANGE;
	*block = trace->blocks[id];
	return 0;
}

int wm_trace_process_sized(const struct wm_trace *trace, unsigned index,
			   struct wm_process *process, size_t bytes)
{
	(void)bytes;
	if (index >= PROCESSES)
		return WM_E_RANGE;
	*process = trace->processes[index];
	return 0;
}

uint32_t trace_made_count(const struct wm_trace *trace)
{
	(void)trace;
	return 0;
}

void trace_made(const struct wm_trace *trace, uint32_t index, struct wm_module *module)
{
	(void)trace, (void)index, (void)module;
}

int trace_symtab(const struct wm_trace *trace, unsigned index, struct symtab *symtab,
		 struct wm_error *err)
{
	(void)index, (void)err;
	*symtab = SYMTAB_INIT;
	if (!trace->packed)
		return WM_END;
	symtab->segments = calloc(1, sizeof(*symtab->segments));
	symtab->ranges = calloc(1, sizeof(*symtab->ranges));
	assert_true(symtab->segments && symtab->ranges);
	symtab->segments[0] = (struct symtab_segment){ 0, UINT64_MAX, 0, true };
	symtab->ranges[0].end = UINT64_MAX;
	symtab->n_segments = symtab->n_ranges = 1;
	buf_put(&symtab->names, trace->packed, strlen(trace->packed) + 1);
	symtab_nest(symtab);
	return 0;
}

int trace_codemap(const struct wm_trace *trace, unsigned index, struct codemap *map,
		  struct wm_error *err)
{
	(void)trace, (void)index, (void)map, (void)err;
	return WM_END;
}

/* Each space is by itself. */
int wm_trace_space_sized(const struct wm_trace *trace, unsigned index,
			 struct wm_space *space, size_t bytes)
{
	(void)bytes;
	(void)trace, (void)index;
	*space = (struct wm_space){ .over = UINT32_MAX };
	return 0;
}

/* Process 1 has one stream, with one chunk, in which every block ran. */
int wm_trace_chunk_sized(const struct wm_trace *trace, uint64_t index,
			 struct wm_chunk *chunk, size_t bytes)
{
	(void)bytes;
	(void)trace;
	*chunk = (struct wm_chunk){ .stream = 0, .space = 1 };
	return index ? WM_E_RANGE : 0;
}

int wm_trace_histogram_sized(const struct wm_trace *trace, uint64_t chunk,
			     struct wm_count **counts, size_t bytes, size_t *n,
			     struct wm_error *err)
{
	(void)bytes;
	(void)chunk, (void)err;
	*n = trace->n_blocks;
	*counts = calloc(BLOCKS, sizeof(**counts));
	assert_non_null(*counts);
	for (uint32_t i = 0; i < trace->n_blocks; i++)
		(*counts)[i] = (struct wm_count){ i + 1, 1 };
	return 0;
}

/* ---- this program -------------------------------------------------------- */

#define SELF "/proc/self/exe"
#define BASE 0x4000000 /* where the guest would have had it */

__attribute__((noinline, noclone)) static int first_function(volatile int *x)
{
	return *x * 3 + 1;
}

__attribute__((noinline, noclone)) int waymark_second_function(volatile int *x);
int waymark_second_function(volatile int *x)
{
	return *x * 5 + 2;
}

/* The offset in the file of an address in this program. */
struct place {
	uintptr_t address;
	uint64_t file_off;
};

static int find_place(struct dl_phdr_info *info, size_t size, void *cookie)
{
	struct place *place = cookie;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + phdr->p_vaddr;

		if (phdr->p_type == PT_LOAD && place->address - start < phdr->p_filesz)
			place->file_off = phdr->p_offset + (place->address - start);
	}
	return 1; /* the program itself comes first */
}

static uint64_t offset_in_file(int (*function)(volatile int *))
{
	struct place place = { .address = (uintptr_t)function };

	dl_iterate_phdr(find_place, &place);
	assert_int_not_equal(place.file_off, 0);
	return place.file_off;
}

/* The block at the start of a function, as if it had run. */
static void add_block(struct wm_trace *trace, int (*function)(volatile int *),
		      const uint8_t *code)
{
	trace->blocks[++trace->n_blocks] = (struct wm_block){
		.address = BASE + offset_in_file(function),
		.bytes = 8,
		.code = code,
	};
}

static void add_module(struct wm_trace *trace, const struct wm_module *module)
{
	struct wm_module *mine = &trace->modules[trace->n_modules++];

	*mine = *module;
	if (!mine->build_id)
		mine->build_id = "";
}

/* Processes 0 and 1 are strangers; 2 and 3 are theirs to fill in. */
static struct wm_trace self_trace(const char *path)
{
	struct wm_trace trace = {
		.processes = { { .pid = 10, .parent = UINT32_MAX },
			       { .pid = 11, .parent = UINT32_MAX },
			       { .pid = 12, .parent = UINT32_MAX },
			       { .pid = 13, .parent = UINT32_MAX } },
	};

	add_module(&trace, &(struct wm_module){ 1, BASE, BASE + 0x1000000, 0, path });
	return trace;
}

static unsigned told, missing; /* files that were said to have changed, or gone */

static void tell(void *cookie, const struct missing_file *file)
{
	(void)cookie;
	if (!file->changed) {
		missing++;
		return;
	}
	assert_string_equal(file->path, SELF);
	told++;
}

static struct symbol look_up_block(const struct wm_trace *trace, uint32_t process,
				   uint64_t address, uint32_t id)
{
	struct symbols *symbols;
	struct symbol symbol;
	bool found;

	assert_int_equal(symbols_new(&symbols, trace, NULL), 0);
	symbols_on_missing(symbols, tell, NULL);
	found = symbols_find(symbols, process, address, id, &symbol);
	assert_int_equal(found, symbol.name != NULL);
	symbols_find(symbols, process, address, id, &symbol); /* read and reported once */
	assert_int_equal(found, symbol.name != NULL);
	if (symbol.name) /* it ends with `symbols` */
		symbol.name = !strcmp(symbol.name, "first_function") ?
				      "first_function" :
			      !strcmp(symbol.name, "waymark_second_function") ?
				      "waymark_second_function" :
			      trace->packed && !strcmp(symbol.name, trace->packed) ?
				      trace->packed :
				      "something else";
	symbols_free(symbols);
	return symbol;
}

static struct symbol look_up(const struct wm_trace *trace, uint32_t process,
			     uint64_t address)
{
	return look_up_block(trace, process, address, 0);
}

/* ---- tests --------------------------------------------------------------- */

static void test_names(void **state)
{
	struct wm_trace trace = self_trace(SELF);
	uint64_t first = BASE + offset_in_file(first_function);
	uint64_t second = BASE + offset_in_file(waymark_second_function);
	struct symbol symbol;

	(void)state;
	symbol = look_up(&trace, 1, first);
	assert_string_equal(symbol.name, "first_function");
	assert_int_equal(symbol.offset, 0);
	assert_string_equal(symbol.module, SELF);
	symbol = look_up(&trace, 1, second + 3);
	assert_string_equal(symbol.name, "waymark_second_function");
	assert_int_equal(symbol.offset, 3);
}

static void test_outside(void **state)
{
	struct wm_trace trace = self_trace(SELF);
	uint64_t first = BASE + offset_in_file(first_function);

	(void)state;
	assert_null(look_up(&trace, 0, first).module);
	assert_null(look_up(&trace, 2, first).module);
	assert_null(look_up(&trace, 1, BASE - 1).module);
	assert_null(look_up(&trace, 1, BASE + 0x1000000).module);
	/* In the module, in no symbol: the offset is the file's. */
	assert_null(look_up(&trace, 1, BASE + 16).name);
	assert_int_equal(look_up(&trace, 1, BASE + 16).offset, 16);
	assert_string_equal(look_up(&trace, 1, BASE + 16).module, SELF);
}

/* A module in the middle of another, and one that maps from elsewhere in its file. */
static void test_overlap(void **state)
{
	struct wm_trace trace = self_trace(SELF);
	uint64_t off = offset_in_file(first_function);

	(void)state;
	add_module(&trace,
		   &(struct wm_module){ 1, BASE + 0x800000, BASE + 0x801000, 0, "/b" });
	add_module(&trace, &(struct wm_module){ 1, 0x9000, 0xa000, off, SELF });
	add_module(&trace, &(struct wm_module){ 0, 0x9000, 0xa000, 0, "/c" });
	assert_string_equal(look_up(&trace, 1, BASE + 0x800000).module, "/b");
	assert_string_equal(look_up(&trace, 1, BASE + 0x801000).module, SELF);
	assert_string_equal(look_up(&trace, 1, 0x9000).name, "first_function");
	assert_string_equal(look_up(&trace, 0, 0x9000).module, "/c");
}

/* ---- mappings over time -------------------------------------------------- */

/* The path of the module that an address of a block of a process was in. */
static const char *module_of(const struct wm_trace *trace, uint32_t process,
			     uint64_t address, uint32_t id)
{
	const char *path = look_up_block(trace, process, address, id).module;

	return path ? path : "none";
}

static void map_over(struct wm_trace *trace, uint32_t process, const char *path,
		     uint32_t known_blocks, uint64_t ns)
{
	add_module(trace, &(struct wm_module){ .space = process,
					       .start = 0x1000,
					       .end = 0x3000,
					       .path = path,
					       .known_blocks = known_blocks,
					       .ns = ns });
}

static void test_over_time(void **state)
{
	struct wm_trace trace = self_trace("/self");

	(void)state;
	map_over(&trace, 1, "/a", 10, 1);
	map_over(&trace, 1, "/b", 20, 2);
	map_over(&trace, 1, "/a", 30, 3);
	map_over(&trace, 1, "", 40, 4);
	assert_string_equal(module_of(&trace, 1, 0x1000, 11), "/a");
	assert_string_equal(module_of(&trace, 1, 0x1000, 20), "/a");
	assert_string_equal(module_of(&trace, 1, 0x2fff, 21), "/b");
	assert_string_equal(module_of(&trace, 1, 0x2fff, 30), "/b");
	assert_string_equal(module_of(&trace, 1, 0x1800, 40), "/a");
	assert_string_equal(module_of(&trace, 1, 0x1800, 41), "none");
	assert_string_equal(module_of(&trace, 1, 0x1800, 0), "none");
	/* Older than all: from the first mapping (another process's block). */
	assert_string_equal(module_of(&trace, 1, 0x1000, 5), "/a");
}

/* A mapping over a part of another, and none of it where that part is not. */
static void test_parts(void **state)
{
	struct wm_trace trace = self_trace("/self");

	(void)state;
	map_over(&trace, 1, "/a", 10, 1);
	add_module(&trace, &(struct wm_module){ .space = 1,
						.start = 0x2000,
						.end = 0x2800,
						.path = "/part",
						.known_blocks = 20 });
	assert_string_equal(module_of(&trace, 1, 0x1fff, 21), "/a");
	assert_string_equal(module_of(&trace, 1, 0x2000, 21), "/part");
	assert_string_equal(module_of(&trace, 1, 0x2000, 20), "/a");
	assert_string_equal(module_of(&trace, 1, 0x2800, 21), "/a");
}

static void test_forked(void **state)
{
	struct wm_trace trace = self_trace("/self");

	(void)state;
	trace.processes[2] =
		(struct wm_process){ .pid = 12, .parent = 1, .begin_ns = 25 };
	trace.processes[3] =
		(struct wm_process){ .pid = 13, .parent = 2, .begin_ns = 27 };
	map_over(&trace, 1, "/before", 10, 20);
	map_over(&trace, 1, "/after", 20, 26); /* the fork was before */
	map_over(&trace, 2, "/own", 30, 28);
	assert_string_equal(module_of(&trace, 1, 0x1000, 21), "/after");
	assert_string_equal(module_of(&trace, 2, 0x1000, 21), "/before");
	assert_string_equal(module_of(&trace, 2, 0x1000, 31), "/own");
	assert_string_equal(module_of(&trace, 2, 0x1000, 3), "/before");
	/* A child's child, made before the child mapped its own. */
	assert_string_equal(module_of(&trace, 3, 0x1000, 31), "/before");
	assert_string_equal(module_of(&trace, 3, 0x4000, 31), "none");
}

static void test_exec(void **state)
{
	struct wm_trace trace = self_trace("/self");

	(void)state;
	trace.processes[2] =
		(struct wm_process){ .pid = 11, .parent = 1, .begin_ns = 25 };
	map_over(&trace, 1, "/old", 10, 20);
	assert_string_equal(module_of(&trace, 2, 0x1000, 21), "none");
	map_over(&trace, 2, "/new", 30, 30);
	assert_string_equal(module_of(&trace, 2, 0x1000, 21), "/new");
	/* A parent that comes later is no parent. */
	trace.processes[2] = (struct wm_process){ .pid = 12, .parent = 2 };
	assert_string_equal(module_of(&trace, 2, 0x9000, 1), "none");
}

/* ---- the file that ran --------------------------------------------------- */

static void test_build_id(void **state)
{
	uint64_t first = BASE + offset_in_file(first_function);
	struct wm_trace trace = self_trace(SELF);
	char build_id[ELF_BUILD_ID_TEXT];
	int fd = elf_file_open(SELF);

	(void)state;
	assert_true(fd >= 0);
	elf_file_build_id(fd, build_id);
	close(fd);
	if (!*build_id)
		skip();
	told = 0;
	trace.modules[0].build_id = build_id;
	assert_string_equal(look_up(&trace, 1, first).name, "first_function");
	assert_int_equal(told, 0);
	build_id[0] ^= 1;
	assert_null(look_up(&trace, 1, first).name);
	assert_int_equal(told, 1);
	assert_string_equal(look_up(&trace, 1, first).module, SELF);
	/* What is in the trace is of the right build. */
	trace.packed = "packed";
	assert_string_equal(look_up(&trace, 1, first).name, "packed");
	assert_int_equal(told, 2);
}

static void test_file_of_today(void **state)
{
	static const uint8_t other[8] = { 1, 2, 3 };
	uint64_t first = BASE + offset_in_file(first_function);
	struct wm_trace trace = self_trace(SELF);

	(void)state;
	told = 0;
	add_block(&trace, first_function, (const uint8_t *)first_function);
	assert_non_null(look_up(&trace, 1, first).name);
	add_block(&trace, waymark_second_function, other); /* one of two: patched */
	assert_non_null(look_up(&trace, 1, first).name);
	assert_int_equal(told, 0);
	add_block(&trace, waymark_second_function, other); /* most: another file */
	assert_null(look_up(&trace, 1, first).name);
	assert_int_equal(told, 1);
	/* Of another mapping's code nothing is expected, though it had the same path. */
	add_module(&trace, &(struct wm_module){ .space = 1,
						.start = BASE,
						.end = BASE + 0x1000000,
						.path = SELF,
						.known_blocks = 1 });
	assert_string_equal(look_up_block(&trace, 1, first, 1).name, "first_function");
	assert_null(look_up_block(&trace, 1, first, 2).name);
}

static void test_no_file(void **state)
{
	static const char *const paths[] = { "/nonexistent",	"/", "/dev/zero",
					     "/proc/self/maps", "",  "[vdso]" };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct wm_trace trace = self_trace(paths[i]);

		missing = 0;
		assert_null(look_up(&trace, 1, BASE + 0x1000).name);
		/* The last three are a file that can be read, no path, and none of a file. */
		assert_int_equal(missing, i < 3);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names),	      cmocka_unit_test(test_outside),
	cmocka_unit_test(test_overlap),	      cmocka_unit_test(test_over_time),
	cmocka_unit_test(test_parts),	      cmocka_unit_test(test_forked),
	cmocka_unit_test(test_exec),	      cmocka_unit_test(test_build_id),
	cmocka_unit_test(test_file_of_today), cmocka_unit_test(test_no_file),
};

int main(void)
{
	volatile int x = 1;

	if (first_function(&x) + waymark_second_function(&x) != 11)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
