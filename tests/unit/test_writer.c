// SPDX-License-Identifier: GPL-2.0-or-later
/* format/writer: the name comes last, an old file stays, a full disk leaves whole sections. */
#include "format/writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "format/reader.h"
#include "sample.h"

static int put(struct writer *writer, const char *text, size_t bytes, int level,
	       uint64_t *off)
{
	struct buf payload = BUF_INIT;
	int ret;

	while (payload.len < bytes)
		buf_put(&payload, text, strlen(text));
	payload.len = bytes;
	ret = writer_put(writer, SECTION_META, &payload, level, off, NULL);
	buf_fini(&payload);
	return ret;
}

static void check_section(const struct reader *reader, size_t index, uint64_t off,
			  const char *text, size_t bytes)
{
	const struct section *section = reader_section(reader, index);
	struct buf payload = BUF_INIT;

	assert_int_equal(section->off, off);
	assert_int_equal(reader_read(reader, section, &payload, NULL), 0);
	assert_int_equal(payload.len, bytes);
	for (size_t i = 0; i < bytes; i++)
		assert_int_equal(payload.data[i], (uint8_t)text[i % strlen(text)]);
	buf_fini(&payload);
}

static void test_round_trip(void **state)
{
	static const size_t sizes[] = { 0, 1, 31, 1000, 100000 };
	struct writer *writer;
	struct reader *reader;
	uint64_t offs[10], end;
	const char *why;
	size_t n = 0;

	(void)state;
	assert_int_equal(writer_open(&writer, "file", NULL), 0);
	assert_int_equal(folder_files(), 1);
	assert_int_equal(access("file", F_OK), -1);
	for (unsigned i = 0; i < 5; i++)
		for (int level = 0; level < 2; level++)
			assert_int_equal(
				put(writer, "abc", sizes[i], 3 * level, &offs[n++]), 0);
	assert_int_equal(writer_publish(writer, NULL), 0);
	assert_int_equal(writer_publish(writer, NULL), 0);
	assert_null(writer_failed(writer));
	end = writer_bytes(writer);
	assert_true(end < 120000); /* one of the large ones is compressed */
	assert_int_equal(writer_finish(writer, NULL), 0);
	assert_int_equal(folder_files(), 1);

	assert_int_equal(reader_open(&reader, "file", NULL), 0);
	assert_int_equal(reader_sections(reader), 10);
	for (n = 0; n < 10; n++)
		check_section(reader, n, offs[n], "abc", sizes[n / 2]);
	assert_true(reader_whole(reader, &why, &end));
	reader_close(reader);
	unlink("file");
}

static void test_no_sections(void **state)
{
	struct writer *writer;
	struct reader *reader;

	(void)state;
	assert_int_equal(writer_open(&writer, "file", NULL), 0);
	assert_int_equal(writer_publish(writer, NULL), 0);
	assert_int_equal(writer_finish(writer, NULL), 0);
	assert_int_equal(reader_open(&reader, "file", NULL), 0);
	assert_int_equal(reader_sections(reader), 0);
	reader_close(reader);
	unlink("file");
}

static void check_text(const char *path, const char *text)
{
	size_t bytes;
	uint8_t *data = sample_load(path, &bytes);

	assert_int_equal(bytes, strlen(text));
	assert_memory_equal(data, text, bytes);
	free(data);
}

/* The mode of the one file in the folder. */
static mode_t only_mode(void)
{
	DIR *dir = opendir(".");
	mode_t mode = 0;
	struct dirent *entry;
	struct stat st;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !stat(entry->d_name, &st))
			mode = st.st_mode & 07777;
	closedir(dir);
	return mode;
}

/* An old file stays until there is a new one to take its name. */
static void test_old_file(void **state)
{
	struct writer *writer;
	struct stat st;
	int fd;

	(void)state;
	/* For nobody else to read until it has its name; then as the user has files. */
	assert_int_equal(writer_open(&writer, "file", NULL), 0);
	assert_int_equal(only_mode(), 0600);
	assert_int_equal(writer_publish(writer, NULL), 0);
	assert_int_equal(only_mode(), 0640);
	writer_abort(writer);
	assert_int_equal(writer_open(&writer, "file", NULL), 0);
	writer_limit_mode(writer, 0604);
	assert_int_equal(writer_seal(writer, NULL), 0);
	assert_int_equal(writer_publish(writer, NULL), 0);
	assert_int_equal(only_mode(), 0600);
	assert_int_equal(writer_finish(writer, NULL), 0);
	unlink("file");

	sample_save("file", (const uint8_t *)"old", 3);
	assert_int_equal(writer_open(&writer, "file", NULL), 0);
	assert_int_equal(put(writer, "abc", 100, 0, NULL), 0);
	check_text("file", "old");
	writer_abort(writer);
	check_text("file", "old");
	assert_int_equal(folder_files(), 1);

	/* Finished, but never published. */
	assert_int_equal(writer_open(&writer, "file", NULL), 0);
	assert_int_equal(writer_finish(writer, NULL), 0);
	check_text("file", "old");
	assert_int_equal(folder_files(), 1);

	/* Published, and given up: what was written stays; locked as long as it grows. */
	assert_int_equal(writer_open(&writer, "file", NULL), 0);
	assert_int_equal(writer_publish(writer, NULL), 0);
	assert_int_equal(put(writer, "abc", 100, 0, NULL), 0);
	fd = open("file", O_RDONLY);
	assert_int_equal(flock(fd, LOCK_SH | LOCK_NB), -1);
	writer_abort(writer);
	assert_int_equal(flock(fd, LOCK_SH | LOCK_NB), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, FILE_HEADER_BYTES + SECTION_HEADER_BYTES + 100);
	assert_int_equal(st.st_mode & 07777, 0640);
	close(fd);
	assert_int_equal(folder_files(), 1);
	unlink("file");
}

static void test_refused(void **state)
{
	struct writer *writer;
	struct wm_error err;

	(void)state;
	assert_int_equal(writer_open(&writer, "no/such/folder", &err), WM_E_OUTPUT);
	assert_non_null(strstr(err.text, "no/such/folder"));
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(writer_open(&writer, "folder", &err), WM_E_OUTPUT);
	assert_int_equal(writer_open(&writer, "/dev/null", &err), WM_E_OUTPUT);
	assert_non_null(strstr(err.text, "not a regular file"));
	rmdir("folder");
	/* A folder that took the name meanwhile. */
	assert_int_equal(writer_open(&writer, "file", &err), 0);
	assert_int_equal(mkdir("file", 0700), 0);
	assert_int_equal(writer_publish(writer, &err), WM_E_OUTPUT);
	writer_abort(writer);
	rmdir("file");
	assert_int_equal(folder_files(), 0);
}

/* How far the disk lets a file grow. */
static void limit(rlim_t bytes)
{
	struct rlimit old;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	old.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
}

/* A file of as many whole sections as fit, whatever the limit. */
static void fill(rlim_t most, size_t section)
{
	struct writer *writer;
	struct reader *reader;
	struct wm_error err = { 0 };
	uint64_t offs[100], end;
	unsigned good = 0;
	const char *why;
	struct stat st;

	assert_int_equal(writer_open(&writer, "file", NULL), 0);
	assert_int_equal(writer_publish(writer, NULL), 0);
	limit(most);
	while (!put(writer, "abc", section, 0, &offs[good]))
		good++;
	assert_non_null(writer_failed(writer));
	assert_int_equal(put(writer, "x", 0, 0, NULL),
			 WM_E_OUTPUT); /* also if it would fit */
	assert_int_equal(writer_finish(writer, &err), WM_E_OUTPUT);
	assert_int_equal(err.code, WM_E_OUTPUT);
	limit(RLIM_INFINITY);

	assert_int_equal(reader_open(&reader, "file", NULL), 0);
	assert_int_equal(reader_sections(reader), good);
	for (unsigned i = 0; i < good; i++)
		check_section(reader, i, offs[i], "abc", section);
	if (!reader_whole(reader, &why, &end)) {
		assert_int_equal(stat("file", &st), 0);
		assert_true(end <= (uint64_t)st.st_size && (uint64_t)st.st_size <= most);
	}
	reader_close(reader);
	unlink("file");
}

static void test_disk_full(void **state)
{
	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t most = FILE_HEADER_BYTES; most < 500; most += 7)
		fill(most, 50);
	fill(100000, 30000);
}

/* The end comes into a full file; it costs sections only where they leave no room. */
static void fill_and_end(rlim_t most, size_t section)
{
	struct writer *writer;
	struct reader *reader;
	uint64_t end, offs[100], kept;
	unsigned good = 0;
	const char *why;

	assert_int_equal(writer_open(&writer, "file", NULL), 0);
	assert_int_equal(writer_publish(writer, NULL), 0);
	limit(most);
	while (!put(writer, "abc", section, 0, &offs[good]))
		good++;
	writer_retry_end(writer, 200);
	kept = writer_sections(writer);
	assert_true(kept == good ||
		    most - offs[kept] < 2 * (200 + 16 * good + section + 40));
	assert_int_equal(put(writer, "x", 100, 0, &end), 0);
	assert_int_equal(writer_finish(writer, NULL), 0);
	limit(RLIM_INFINITY);

	assert_int_equal(reader_open(&reader, "file", NULL), 0);
	assert_true(reader_whole(reader, &why, &end));
	assert_int_equal(reader_sections(reader), kept + 1);
	for (unsigned i = 0; i < kept; i++)
		check_section(reader, i, offs[i], "abc", section);
	reader_close(reader);
	unlink("file");
}

static void test_full_and_ended(void **state)
{
	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t most = 1000; most < 2500; most += 7)
		fill_and_end(most, 50);
	for (rlim_t most = 60000; most < 91000; most += 511)
		fill_and_end(most, 30000);
}

/* The limit strikes before there is a header. */
static void test_no_room_at_all(void **state)
{
	struct writer *writer;

	(void)state;
	limit(FILE_HEADER_BYTES - 1);
	assert_int_equal(writer_open(&writer, "file", NULL), WM_E_OUTPUT);
	limit(RLIM_INFINITY);
	assert_int_equal(folder_files(), 0);
}

/* What failed before it came here, and what is too large, is not written. */
static void test_bad_payloads(void **state)
{
	struct buf payload = { .failed = true };
	struct writer *writer;

	(void)state;
	assert_int_equal(writer_open(&writer, "file", NULL), 0);
	assert_int_equal(writer_put(writer, SECTION_META, &payload, 0, NULL, NULL),
			 WM_E_NOMEM);
	assert_non_null(writer_failed(writer));
	assert_int_equal(writer_bytes(writer), FILE_HEADER_BYTES);
	writer_abort(writer);
	payload = (struct buf){ .len = SECTION_RAW_MAX + 1ul };
	assert_int_equal(writer_open(&writer, "file", NULL), 0);
	assert_int_not_equal(writer_put(writer, SECTION_META, &payload, 0, NULL, NULL),
			     0);
	writer_abort(writer);
	assert_int_equal(folder_files(), 0);
}

static int set_up(void **state)
{
	umask(027);
	return folder_enter(state);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_no_sections),
	cmocka_unit_test(test_old_file),       cmocka_unit_test(test_refused),
	cmocka_unit_test(test_disk_full),      cmocka_unit_test(test_no_room_at_all),
	cmocka_unit_test(test_full_and_ended), cmocka_unit_test(test_bad_payloads),
};

int main(void)
{
	return cmocka_run_group_tests_name("writer", tests, set_up, folder_leave);
}
