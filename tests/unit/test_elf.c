// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf/file and elf/symbols: what this test's own executable says, and damaged copies of it
 * that must do no harm. Names are compared with nm in tests/cli/insns/symbols.sh.
 */
#include "program/elf/symbols.h"

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

#include "program/elf/file.h"
#include "program/elf/search.h"

#define SELF "/proc/self/exe"

/* ---- opening ------------------------------------------------------------- */

static void test_open(void **state)
{
	static const char *const others[] = { "/nonexistent", "/", "/dev/zero", "fifo",
					      "" };
	int fd = elf_file_open(SELF);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(elf_file_open(others[i]), -1);
	unlink("fifo");
}

/* ---- build-ids ----------------------------------------------------------- */

/* The build-id that lies in this program's memory. */
static int find_note(struct dl_phdr_info *info, size_t size, void *cookie)
{
	char *text = cookie;

	(void)size;
	*text = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		const uint8_t *at = (const uint8_t *)(info->dlpi_addr + phdr->p_vaddr);
		const ElfW(Nhdr) *note = (const void *)at;

		if (phdr->p_type != PT_NOTE || note->n_type != NT_GNU_BUILD_ID)
			continue;
		for (uint32_t j = 0; j < note->n_descsz; j++)
			sprintf(text + 2 * j, "%02x", at[sizeof(*note) + 4 + j]);
	}
	return 1; /* the program itself comes first */
}

static void test_build_id(void **state)
{
	char expected[ELF_BUILD_ID_TEXT], text[ELF_BUILD_ID_TEXT] = "old";
	int fd = elf_file_open(SELF), none = elf_file_open("/proc/self/maps");

	(void)state;
	dl_iterate_phdr(find_note, expected);
	elf_file_build_id(fd, text);
	assert_string_equal(text, expected);
	elf_file_build_id(none, text);
	assert_string_equal(text, "");
	elf_file_build_id(-1, text);
	assert_string_equal(text, "");
	close(fd);
	close(none);
}

static void test_no_debug_file(void **state)
{
	(void)state;
	assert_int_equal(elf_search_debug(-1, SELF, ""), -1);
	assert_int_equal(elf_search_debug(-1, SELF, "ab"), -1);
	assert_int_equal(elf_search_debug(-1, SELF, "../../../../etc/passwd"), -1);
	assert_int_equal(elf_search_debug(-1, "", "0123456789"), -1);
	assert_int_equal(elf_search_debug(-1, SELF, "0123456789"), -1);
}

/* ---- names --------------------------------------------------------------- */

__attribute__((noinline, noclone)) int waymark_a_function(volatile int *x);
int waymark_a_function(volatile int *x)
{
	return *x * 3 + 1;
}

static int find_base(struct dl_phdr_info *info, size_t size, void *cookie)
{
	uint64_t *base = cookie;

	(void)size;
	*base = info->dlpi_addr;
	return 1;
}

/* By virtual address: as lookups are by the offset in the file. */
static const char *name_at(const struct symtab *symtab, uint64_t vaddr, uint64_t *offset)
{
	for (uint32_t i = 0; i < symtab->n_segments; i++) {
		const struct symtab_segment *segment = &symtab->segments[i];

		if (vaddr - segment->vaddr < segment->bytes)
			return symtab_find(symtab,
					   vaddr - segment->vaddr + segment->file_off,
					   offset);
	}
	return NULL;
}

static bool has_call(const struct symtab *symtab, const char *name)
{
	for (uint32_t i = 0; i < symtab->n_ranges; i++)
		if (!strcmp((const char *)symtab->names.data + symtab->ranges[i].name,
			    name))
			return true;
	return false;
}

static void test_names(void **state)
{
	struct symtab symtab;
	int fd = elf_file_open(SELF);
	uint64_t base, offset, place = (uintptr_t)waymark_a_function;

	(void)state;
	assert_true(elf_symbols_read(&symtab, fd, SELF, ""));
	close(fd);
	dl_iterate_phdr(find_base, &base);
	assert_string_equal(name_at(&symtab, place - base, &offset),
			    "waymark_a_function");
	assert_int_equal(offset, 0);
	assert_string_equal(name_at(&symtab, place - base + 2, &offset),
			    "waymark_a_function");
	assert_int_equal(offset, 2);
	for (uint32_t i = 1; i < symtab.n_ranges; i++)
		assert_true(symtab.ranges[i - 1].start < symtab.ranges[i].start);
	if (has_call(&symtab, "dl_iterate_phdr@plt"))
		assert_true(has_call(&symtab, "mkfifo@plt"));
	symtab_fini(&symtab);
}

static void test_no_names(void **state)
{
	static const char *const paths[] = { "/proc/self/maps", "/etc/passwd" };
	struct symtab symtab;

	(void)state;
	assert_false(elf_symbols_read(&symtab, -1, SELF, ""));
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		int fd = elf_file_open(paths[i]);

		assert_true(fd >= 0);
		assert_false(elf_symbols_read(&symtab, fd, paths[i], ""));
		assert_null(symtab.ranges);
		close(fd);
	}
}

/* ---- hostile files ------------------------------------------------------- */

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

/* Takes from the image all that there is. */
static void use(const struct image *image)
{
	int fd = memfd_create("image", MFD_CLOEXEC);
	char build_id[ELF_BUILD_ID_TEXT];
	struct symtab symtab;
	uint64_t offset;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, image->bytes, image->size), image->size);
	elf_file_build_id(fd, build_id);
	assert_true(strlen(build_id) < ELF_BUILD_ID_TEXT);
	if (elf_symbols_read(&symtab, fd, SELF, build_id)) {
		for (uint64_t off = 0; off < image->size; off += 7)
			symtab_find(&symtab, off, &offset);
		symtab_fini(&symtab);
	}
	close(fd);
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_open),	       cmocka_unit_test(test_build_id),
	cmocka_unit_test(test_no_debug_file),  cmocka_unit_test(test_names),
	cmocka_unit_test(test_no_names),       cmocka_unit_test(test_truncated),
	cmocka_unit_test(test_broken_headers),
};

int main(void)
{
	volatile int x = 1;

	if (waymark_a_function(&x) != 4)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
