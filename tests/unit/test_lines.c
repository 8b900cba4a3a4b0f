// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf/lines: the lines of this test's own code, as its compiler numbers them, and damaged
 * copies of it that must do no harm.
 */
#include "program/elf/lines.h"

#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "program/elf/file.h"

#define SELF "/proc/self/exe"

/* Its lines are known by where they stand. */
__attribute__((noinline, noclone)) int numbered(volatile int *x);
/* clang-format off */
enum { FIRST_LINE = __LINE__ + 1 };
int numbered(volatile int *x)
{
	*x = 1;
	/* no code */
	*x = 2;
	return *x;
}
enum { END_LINE = __LINE__ };
/* clang-format on */

/* Where in this program's file an address of its memory comes from. */
struct found {
	uint64_t address, file_off;
};

static int find_offset(struct dl_phdr_info *info, size_t size, void *cookie)
{
	struct found *found = cookie;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		uint64_t off = found->address - info->dlpi_addr - phdr->p_vaddr;

		if (phdr->p_type == PT_LOAD && off < phdr->p_filesz)
			found->file_off = phdr->p_offset + off;
	}
	return 1; /* the program itself comes first */
}

static uint64_t offset_of_numbered(void)
{
	struct found found = { .address = (uint64_t)(uintptr_t)numbered };

	dl_iterate_phdr(find_offset, &found);
	assert_int_not_equal(found.file_off, 0);
	return found.file_off;
}

static const char *path_of(const struct interner *files, uint32_t file)
{
	uint64_t address;
	uint32_t bytes;

	return (const char *)intern_code(files, file, &address, &bytes);
}

/* The lines of numbered() that were seen, and whether its start was. */
struct seen {
	uint64_t start;
	uint32_t file;
	bool start_seen, lines[END_LINE - FIRST_LINE];
};

static bool see(void *cookie, const struct elf_line *line)
{
	struct seen *seen = cookie;

	assert_true(line->start < line->end && line->line > 0 && line->file > 0);
	if (line->file != seen->file || line->line < FIRST_LINE || line->line >= END_LINE)
		return true;
	seen->lines[line->line - FIRST_LINE] = true;
	seen->start_seen |= line->start == seen->start;
	return true;
}

static bool refuse(void *cookie, const struct elf_line *line)
{
	(void)line;
	++*(unsigned *)cookie;
	return false;
}

static void test_own(void **state)
{
	struct interner files = INTERNER_INIT;
	uint64_t off = offset_of_numbered();
	struct elf_lines *lines = elf_lines_open(elf_file_open(SELF), "", "", &files);
	struct elf_line line;
	struct seen seen = { .start = off };
	unsigned asked = 0;
	const char *path;

	(void)state;
	assert_non_null(lines);
	assert_true(elf_lines_at(lines, off, &line));
	path = path_of(&files, line.file);
	assert_string_equal(strrchr(path, '/'), "/test_lines.c");
	assert_int_equal(path[0], '/');
	assert_null(strstr(path, "/../"));
	assert_in_range(line.line, FIRST_LINE, END_LINE - 1);
	assert_int_equal(line.start, off);
	assert_false(elf_lines_at(lines, 0, &line));
	assert_false(elf_lines_at(lines, UINT64_MAX, &line));

	seen.file = line.file;
	assert_true(elf_lines_each(lines, see, &seen));
	for (unsigned i = 2; i < 6; i++)
		assert_true(seen.lines[i] == (i != 3));
	assert_false(elf_lines_each(lines, refuse, &asked));
	assert_int_equal(asked, 1);
	elf_lines_close(lines);
	interner_fini(&files);
}

static bool take(void *cookie, const struct elf_line *line)
{
	(void)cookie;
	(void)line;
	return true;
}

/* Opens a damaged file and asks it for all it has. */
static void use(const char *path, uint64_t off)
{
	struct interner files = INTERNER_INIT;
	struct elf_lines *lines = elf_lines_open(elf_file_open(path), path, "", &files);
	struct elf_line line;

	if (lines) {
		elf_lines_at(lines, off, &line);
		elf_lines_each(lines, take, NULL);
	}
	elf_lines_close(lines);
	interner_fini(&files);
}

static void write_file(const char *path, const uint8_t *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
}

/* Bytes are spoiled all over the file, most of which is debugging information. */
static void test_damaged(void **state)
{
	enum { COPIES = 120, SPOILED = 40 };
	uint64_t off = offset_of_numbered();
	int fd = elf_file_open(SELF);
	uint32_t seed = 1;
	struct stat st;
	uint8_t *good, *bad;
	size_t n;

	(void)state;
	assert_int_equal(fstat(fd, &st), 0);
	n = (size_t)st.st_size;
	good = malloc(n);
	bad = malloc(n);
	assert_int_equal(read(fd, good, n), n);
	close(fd);
	for (unsigned i = 0; i < COPIES; i++) {
		memcpy(bad, good, n);
		for (unsigned j = 0; j < SPOILED; j++) {
			seed = seed * 1664525 + 1013904223;
			bad[64 + (seed >> 3) % (n - 64)] = (uint8_t)seed;
		}
		write_file("damaged", bad, n);
		use("damaged", off);
	}
	for (size_t cut = n; cut > 64; cut -= cut / 8 + 1) {
		write_file("damaged", good, cut);
		use("damaged", off);
	}
	unlink("damaged");
	use("/proc/self/maps", off);
	free(good);
	free(bad);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_own),
	cmocka_unit_test(test_damaged),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
