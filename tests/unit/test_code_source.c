// SPDX-License-Identifier: GPL-2.0-or-later
/* base/elf_head and trace/code_source: which build a file is, and where files are found. */
#include "trace/code_source.h"

#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cache.h"
#include "base/elf_head.h"

static const uint8_t note[] = { 4, 0, 0,   0,	4,   0, 0,    0,    3,	  0,
				0, 0, 'G', 'N', 'U', 0, 0x4f, 0x2a, 0x91, 0x07 };

static char folder[] = "/tmp/code_source.XXXXXX";

static void put_file(const char *name, const void *data, size_t bytes)
{
	char path[PATH_MAX];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	for (char *slash = path + sizeof(folder); (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(path, 0777);
		*slash = '/';
	}
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(data, bytes, 1, out), 1);
	fclose(out);
}

/* A program of one segment of code and one of notes. */
struct program64 {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2];
	uint8_t note[sizeof(note)];
};

static struct program64 make64(void)
{
	struct program64 program = {
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
			  .e_phoff = sizeof(Elf64_Ehdr),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 2 },
		.segments = { { .p_type = PT_LOAD,
				.p_flags = PF_X | PF_R,
				.p_offset = 0x400,
				.p_filesz = 0x234 },
			      { .p_type = PT_NOTE,
				.p_offset = offsetof(struct program64, note),
				.p_filesz = sizeof(note),
				.p_align = 4 } },
	};

	memcpy(program.note, note, sizeof(note));
	return program;
}

static bool read_head(const char *name, struct elf_head *head)
{
	char path[PATH_MAX];
	bool is;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY);
	is = elf_head_read(fd, head);
	close(fd);
	return is;
}

static void test_heads(void **state)
{
	struct program64 wide = make64();
	struct {
		Elf32_Ehdr head;
		Elf32_Phdr segments[2];
		uint8_t note[sizeof(note)];
	} narrow = {
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB },
			  .e_phoff = sizeof(Elf32_Ehdr),
			  .e_phentsize = sizeof(Elf32_Phdr),
			  .e_phnum = 2 },
		.segments = { { .p_type = PT_LOAD, .p_flags = PF_X, .p_filesz = 0x99 },
			      { .p_type = PT_NOTE,
				.p_offset = sizeof(Elf32_Ehdr) + 2 * sizeof(Elf32_Phdr),
				.p_filesz = sizeof(note) } },
	};
	struct elf_head head;

	(void)state;
	put_file("wide", &wide, sizeof(wide));
	assert_true(read_head("wide", &head));
	assert_string_equal(head.build_id, "4f2a9107");
	assert_int_equal(head.code_end, 0x634);
	memcpy(narrow.note, note, sizeof(note));
	put_file("narrow", &narrow, sizeof(narrow));
	assert_true(read_head("narrow", &head));
	assert_string_equal(head.build_id, "4f2a9107");
	assert_int_equal(head.code_end, 0x99);
}

/* What does not fit is as if it were not there, and nothing outside is read. */
static void test_hostile_heads(void **state)
{
	struct program64 program = make64();
	uint32_t huge = UINT32_MAX;
	struct elf_head head;

	(void)state;
	put_file("text", "not a program at all", 20);
	assert_false(read_head("text", &head));
	put_file("short", &program, 40);
	assert_false(read_head("short", &head));
	program.segments[0].p_filesz = UINT64_MAX;
	memcpy(program.note + 4, &huge, sizeof(huge));
	put_file("huge", &program, sizeof(program));
	assert_true(read_head("huge", &head));
	assert_string_equal(head.build_id, "");
	assert_int_equal(head.code_end, 0);
	program = make64();
	program.head.e_phoff = UINT64_MAX - 8;
	put_file("outside", &program, sizeof(program));
	assert_true(read_head("outside", &head));
	assert_string_equal(head.build_id, "");
}

/* Looks for it anew; true when it is found. */
static bool is_found(const char *name, const char *build_id)
{
	struct code_opened opened = { 0 };
	struct wm_error err;
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = code_opened_find(&opened, path, build_id, &err);
	if (fd < 0) {
		assert_int_equal(fd, WM_E_IO);
		assert_non_null(strstr(err.text, path));
	} else {
		assert_int_equal(code_opened_find(&opened, path, build_id, &err), fd);
	}
	code_opened_fini(&opened);
	return fd >= 0;
}

static void test_places(void **state)
{
	struct program64 program = make64();
	static char symfs[PATH_MAX];

	(void)state;
	put_file("bin/app", &program, sizeof(program));
	assert_true(is_found("bin/app", "4f2a9107"));
	assert_false(is_found("bin/app", "4f2a9108"));
	assert_false(is_found("bin/app", "../bin/app"));
	assert_false(is_found("bin/app", ""));
	assert_false(is_found("gone/app", "4f2a9107"));
	snprintf(symfs, sizeof(symfs), "%s/bin", folder);
	code_source_below(symfs);
	assert_true(is_found("gone/app", "4f2a9107"));
	code_source_below(NULL);
	put_file("sys/usr/lib/debug/.build-id/4f/2a9107", &program, sizeof(program));
	assert_true(is_found("sys/usr/bin/app", "4f2a9107"));
	/* What the recorder kept. */
	setenv("XDG_CACHE_HOME", folder, 1);
	put_file("waymark/code/4f/2a9107", &program, sizeof(program));
	assert_true(is_found("gone/app", "4f2a9107"));
	setenv("XDG_CACHE_HOME", "", 1);
	assert_false(is_found("gone/app", "4f2a9107"));
}

static void test_cache(void **state)
{
	char path[PATH_MAX];

	(void)state;
	setenv("XDG_CACHE_HOME", "/cache", 1);
	assert_true(cache_code(path, "4f2a"));
	assert_string_equal(path, "/cache/waymark/code/4f/2a");
	assert_false(cache_code(path, "4f"));
	assert_false(cache_code(path, "4f/../../etc"));
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "/home/me", 1);
	assert_true(cache_home(path));
	assert_string_equal(path, "/home/me/.cache");
	unsetenv("HOME");
	assert_false(cache_home(path));
}

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(folder) || setenv("XDG_CACHE_HOME", "/nonexistent", 1);
}

static int tear_down(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_hostile_heads),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_cache),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
