// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collect/mapped: whose build-id it gives, that it takes no other file for it, and which
 * names it packs. The file is this very program, and copies of it.
 */
#include "collect/mapped.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "format/reader.h"
#include "format/symtab.h"

static char folder[] = "/tmp/test_mapped.XXXXXX";
static char expected[ELF_BUILD_ID_TEXT]; /* this program's */

/* A copy of this program in the test's folder, with `more` after it. */
static void copy_to(const char *name, const char *more)
{
	char bytes[1 << 16];
	int from = open("/proc/self/exe", O_RDONLY), to;
	ssize_t n;

	unlink(name);
	to = open(name, O_WRONLY | O_CREAT | O_EXCL, 0700);
	assert_true(from >= 0 && to >= 0);
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(to, bytes, (size_t)n), n);
	assert_int_equal(write(to, more, strlen(more)), strlen(more));
	close(from);
	close(to);
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* What the plugin would say of the file now. */
static struct message_module message_of(const char *name)
{
	struct message_module message = { 0 };
	struct stat st;

	assert_int_equal(stat(name, &st), 0);
	message.dev = st.st_dev;
	message.ino = st.st_ino;
	message.mtime_ns = timespec_ns(st.st_mtim);
	return message;
}

static void check_id(struct mapped *mapped, const struct message_module *message,
		     const char *path, const char *build_id)
{
	char text[ELF_BUILD_ID_TEXT];

	mapped_build_id(mapped, (uint32_t)getpid(), message, path, text);
	assert_string_equal(text, build_id);
	mapped_build_id(mapped, 0, message, path,
			text); /* no such process: our own path */
	assert_string_equal(text, build_id);
}

static void test_build_id(void **state)
{
	struct message_module message, other;
	struct mapped mapped;

	(void)state;
	copy_to("a", "");
	message = message_of("a");
	mapped_init(&mapped, 0, false);
	check_id(&mapped, &message, path_of("a"), expected);
	check_id(&mapped, &message, path_of("nothing"), "");
	other = message;
	other.mtime_ns++;
	check_id(&mapped, &other, path_of("a"), "");
	other = message;
	other.ino = 0; /* the plugin did not find it */
	check_id(&mapped, &other, path_of("a"), "");
	check_id(&mapped, &message, "", "");
	check_id(&mapped, &message, "/dev/zero", "");
	/* Known once, known for good. */
	unlink("a");
	check_id(&mapped, &message, path_of("a"), expected);
	mapped_fini(&mapped);
}

static void test_many(void **state)
{
	struct message_module message;
	struct mapped mapped;
	char name[32], text[ELF_BUILD_ID_TEXT];

	(void)state;
	copy_to("a", "");
	mapped_init(&mapped, 1 << 20, false); /* of which few may stay open */
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "%d", i % 300);
		if (i < 300)
			assert_int_equal(link("a", name), 0);
		message = message_of(name);
		message.mtime_ns += i / 300;
		mapped_build_id(&mapped, 0, &message, path_of(name), text);
	}
	message = message_of("a"); /* not remembered, and known all the same */
	check_id(&mapped, &message, path_of("a"), expected);
	for (unsigned i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "%d", i);
		unlink(name);
	}
	mapped_fini(&mapped);
}

/* ---- packing ------------------------------------------------------------- */

static unsigned packed;
static size_t packed_bytes;

/* Puts what is mapped into a file, and looks at what is in it then. */
static void pack(struct mapped *mapped)
{
	struct definitions defs = { .known = 0 };
	struct output out = { .writer = NULL };
	struct symtab_head head;
	struct symtab symtab;
	struct reader *reader;
	struct buf payload = BUF_INIT;

	assert_int_equal(writer_open(&out.writer, "trace", NULL), 0);
	assert_int_equal(writer_publish(out.writer, NULL), 0);
	mapped_put_names(mapped, &defs, &out);
	assert_int_equal(out.fault.code, 0);
	assert_int_equal(writer_finish(out.writer, NULL), 0);
	assert_int_equal(reader_open(&reader, "trace", NULL), 0);
	packed = 0;
	packed_bytes = 0;
	for (size_t i = 0; i < reader_sections(reader); i++) {
		const struct section *section = reader_section(reader, i);
		struct span span;

		assert_int_equal(section->type, SECTION_SYMS);
		assert_int_equal(reader_read(reader, section, &payload, NULL), 0);
		span = span_of(payload.data, payload.len);
		assert_true(symtab_get_head(&span, &head));
		assert_string_equal(head.build_id, expected);
		symtab_head_fini(&head);
		assert_true(symtab_get(&span, &symtab));
		assert_true(symtab.n_ranges > 10);
		symtab_fini(&symtab);
		packed++;
		packed_bytes += payload.len;
	}
	buf_fini(&payload);
	reader_close(reader);
	unlink("trace");
}

static void map_file(struct mapped *mapped, const char *name)
{
	struct message_module message = message_of(name);

	check_id(mapped, &message, path_of(name), expected);
}

static void test_pack(void **state)
{
	struct mapped mapped;
	size_t whole;

	(void)state;
	copy_to("a", "");
	copy_to("b", "");
	mapped_init(&mapped, 1 << 24, false);
	mapped_read_ahead(&mapped);
	map_file(&mapped, "a");
	map_file(&mapped, "b"); /* the same build: once is enough */
	unlink("a");		/* by then it may be gone */
	pack(&mapped);
	assert_int_equal(packed, 1);
	whole = packed_bytes;
	mapped_fini(&mapped);

	mapped_init(&mapped, whole, false);
	map_file(&mapped, "b");
	pack(&mapped);
	assert_int_equal(packed, 1);
	mapped_fini(&mapped);
	mapped_init(&mapped, whole - 1, false);
	map_file(&mapped, "b");
	pack(&mapped);
	assert_int_equal(packed, 0);
	mapped_fini(&mapped);
	mapped_init(&mapped, 0, false);
	map_file(&mapped, "b");
	pack(&mapped);
	assert_int_equal(packed, 0);
	mapped_fini(&mapped);
}

/* Written over in the meantime: another build, or half of one. */
static void test_pack_changed(void **state)
{
	struct mapped mapped;
	int fd;

	(void)state;
	copy_to("a", "");
	copy_to("b", "");
	mapped_init(&mapped, 1 << 24, false);
	map_file(&mapped, "a");
	fd = open("a", O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, "x", 1), 1);
	futimens(fd, (const struct timespec[]){ { 1, 2 }, { 3, 4 } });
	close(fd);
	pack(&mapped);
	assert_int_equal(packed, 0);
	mapped_fini(&mapped);
	/* But another file of the build will do. */
	copy_to("a", "");
	mapped_init(&mapped, 1 << 24, false);
	mapped_read_ahead(&mapped);
	map_file(&mapped, "a");
	map_file(&mapped, "b");
	fd = open("a", O_WRONLY | O_APPEND);
	futimens(fd, (const struct timespec[]){ { 1, 2 }, { 3, 4 } });
	close(fd);
	pack(&mapped);
	assert_int_equal(packed, 1);
	mapped_fini(&mapped);
}

static int prepare(void **state)
{
	int fd = elf_file_open("/proc/self/exe");

	(void)state;
	elf_file_build_id(fd, expected);
	close(fd);
	return !mkdtemp(folder) || chdir(folder);
}

static int clean_up(void **state)
{
	(void)state;
	unlink("a");
	unlink("b");
	return chdir("/") || rmdir(folder);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_build_id),
	cmocka_unit_test(test_many),
	cmocka_unit_test(test_pack),
	cmocka_unit_test(test_pack_changed),
};

int main(void)
{
	return cmocka_run_group_tests(tests, prepare, clean_up);
}
