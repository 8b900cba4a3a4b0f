// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program/symbols and program/symtab: names from this test's own executable and from
 * damaged copies of it, as a made-up trace's module.
 */
#include "program/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "program/symtab.h"

/* ---- a made-up trace: modules, and blocks that ran in them --------------------------- */

enum { MODULES = 4, BLOCKS = 8 };

struct wm_trace {
	struct wm_module modules[MODULES];
	struct wm_block blocks[BLOCKS + 1];
	unsigned n_modules, n_blocks;
};

void wm_trace_summary(const struct wm_trace *trace, struct wm_summary *summary)
{
	*summary = (struct wm_summary){ .modules = trace->n_modules };
}

int wm_trace_module(const struct wm_trace *trace, unsigned index,
		    struct wm_module *module)
{
	if (index >= trace->n_modules)
		return WM_E_RANGE;
	*module = trace->modules[index];
	return 0;
}

int wm_trace_block(const struct wm_trace *trace, uint32_t id, struct wm_block *block)
{
	if (id < 1 || id > trace->n_blocks)
		return WM_E_RANGE;
	*block = trace->blocks[id];
	return 0;
}

/* Process 1 has one stream, with one chunk, in which every block ran. */
int wm_trace_stream(const struct wm_trace *trace, unsigned index,
		    struct wm_stream *stream)
{
	(void)trace;
	*stream = (struct wm_stream){ .process = 1 };
	return index ? WM_E_RANGE : 0;
}

int wm_trace_chunk(const struct wm_trace *trace, uint64_t index, struct wm_chunk *chunk)
{
	(void)trace;
	*chunk = (struct wm_chunk){ .stream = 0 };
	return index ? WM_E_RANGE : 0;
}

int wm_trace_histogram(const struct wm_trace *trace, uint64_t chunk,
		       struct wm_count **counts, size_t *n, struct wm_error *err)
{
	(void)chunk, (void)err;
	*n = trace->n_blocks;
	*counts = calloc(BLOCKS, sizeof(**counts));
	assert_non_null(*counts);
	for (uint32_t i = 0; i < trace->n_blocks; i++)
		(*counts)[i] = (struct wm_count){ i + 1, 1 };
	return 0;
}

/* ---- this program --------------------------------------------------------------------- */

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

static struct wm_trace self_trace(const char *path)
{
	return (struct wm_trace){
		.modules = { { 1, BASE, BASE + 0x1000000, 0, path } },
		.n_modules = 1,
	};
}

static struct symbol look_up(const struct wm_trace *trace, uint32_t process,
			     uint64_t address)
{
	struct symbols *symbols;
	struct symbol symbol;
	bool found;

	assert_int_equal(symbols_new(&symbols, trace, NULL), 0);
	found = symbols_find(symbols, process, address, &symbol);
	assert_int_equal(found, symbol.name != NULL);
	if (symbol.name) /* it ends with `symbols` */
		symbol.name = !strcmp(symbol.name, "first_function") ?
				      "first_function" :
			      strcmp(symbol.name, "waymark_second_function") ?
				      "something else" :
				      "waymark_second_function";
	symbols_free(symbols);
	return symbol;
}

/* ---- tests ------------------------------------------------------------------------------ */

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
	trace.modules[1] =
		(struct wm_module){ 1, BASE + 0x800000, BASE + 0x801000, 0, "/b" };
	trace.modules[2] = (struct wm_module){ 1, 0x9000, 0xa000, off, SELF };
	trace.modules[3] = (struct wm_module){ 0, 0x9000, 0xa000, 0, "/c" };
	trace.n_modules = 4;
	assert_string_equal(look_up(&trace, 1, BASE + 0x800000).module, "/b");
	assert_string_equal(look_up(&trace, 1, BASE + 0x801000).module, SELF);
	assert_string_equal(look_up(&trace, 1, 0x9000).name, "first_function");
	assert_string_equal(look_up(&trace, 0, 0x9000).module, "/c");
}

static void test_file_of_today(void **state)
{
	static const uint8_t other[8] = { 1, 2, 3 };
	uint64_t first = BASE + offset_in_file(first_function);
	struct wm_trace trace = self_trace(SELF);

	(void)state;
	add_block(&trace, first_function, (const uint8_t *)first_function);
	assert_non_null(look_up(&trace, 1, first).name);
	add_block(&trace, waymark_second_function, other); /* one of two: patched */
	assert_non_null(look_up(&trace, 1, first).name);
	add_block(&trace, waymark_second_function, other); /* most: another file */
	assert_null(look_up(&trace, 1, first).name);
}

static void test_no_file(void **state)
{
	static const char *const paths[] = { "/nonexistent",	"/", "/dev/zero",
					     "/proc/self/maps", "",  "[vdso]" };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct wm_trace trace = self_trace(paths[i]);

		assert_null(look_up(&trace, 1, BASE + 0x1000).name);
	}
}

/* ---- hostile files ------------------------------------------------------------------------ */

struct image {
	uint8_t *bytes;
	size_t size;
};

static struct image read_self(void)
{
	int fd = open(SELF, O_RDONLY);
	struct image image;
	struct stat st;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	image.size = (size_t)st.st_size;
	image.bytes = malloc(image.size);
	assert_non_null(image.bytes);
	assert_int_equal(read(fd, image.bytes, image.size), image.size);
	close(fd);
	return image;
}

/* Reads a table from the image and asks it for all that it has. */
static void use(const struct image *image)
{
	int fd = memfd_create("image", MFD_CLOEXEC);
	struct symtab *symtab;
	uint64_t offset;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, image->bytes, image->size), image->size);
	symtab = symtab_new(fd);
	close(fd);
	for (uint64_t off = 0; symtab && off < image->size; off += 7)
		symtab_find(symtab, off, &offset);
	symtab_free(symtab);
}

static void test_truncated(void **state)
{
	struct image image = read_self();
	size_t size = image.size;

	(void)state;
	for (unsigned i = 0; i < 32; i++) {
		image.size = size / 32 * i;
		use(&image);
	}
	free(image.bytes);
}

/* Bytes of the headers, one after the other, set to values that hurt. */
static void test_broken_headers(void **state)
{
	static const uint8_t values[] = { 0, 0x7f, 0xff };
	struct image image = read_self();
	uint64_t sections = ((const ElfW(Ehdr) *)image.bytes)->e_shoff;

	(void)state;
	for (size_t i = 0; i < 512; i++) {
		size_t at = i < 128 ? i : sections + (i - 128) * 13;
		uint8_t good;

		if (at >= image.size)
			break;
		good = image.bytes[at];
		image.bytes[at] = values[i % sizeof(values)];
		use(&image);
		image.bytes[at] = good;
	}
	free(image.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_file_of_today),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_broken_headers),
	};
	volatile int x = 1;

	if (first_function(&x) + waymark_second_function(&x) != 11)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
