// SPDX-License-Identifier: GPL-2.0-or-later
/* events/simpletrace: what files of QEMU's say, in order, and every way to be none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "events/simpletrace.h"

static struct wm_error err;
static uint8_t file[1 << 21];
static size_t bytes;

/* ---- making files -------------------------------------------------------- */

static void put(const void *data, size_t n)
{
	assert_true(bytes + n <= sizeof(file));
	memcpy(file + bytes, data, n);
	bytes += n;
}

static void put32(uint32_t value)
{
	put(&value, sizeof(value));
}

static void put64(uint64_t value)
{
	put(&value, sizeof(value));
}

static void put_header(uint64_t id, uint64_t magic, uint64_t version)
{
	bytes = 0;
	put64(id);
	put64(magic);
	put64(version);
}

static void put_start(void)
{
	put_header(SIMPLETRACE_HEADER, SIMPLETRACE_MAGIC, 4);
}

static void put_name(uint64_t id, const char *name)
{
	put64(0);
	put64(id);
	put32((uint32_t)strlen(name));
	put(name, strlen(name));
}

static void put_event(uint64_t id, uint64_t ns, uint32_t length)
{
	put64(1);
	put64(id);
	put64(ns);
	put32(length);
	put32(42);
}

/* With n arguments: 1, 2, ... */
static void put_words(uint64_t id, uint64_t ns, unsigned n)
{
	put_event(id, ns, 24 + 8 * n);
	for (unsigned i = 1; i <= n; i++)
		put64(i);
}

/* ---- reading them -------------------------------------------------------- */

static int open_made(struct simpletrace **trace)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file, bytes), bytes);
	memset(&err, 0, sizeof(err));
	return simpletrace_open(trace, fd, &err);
}

static void refused(const char *why)
{
	struct simpletrace *trace;

	assert_int_equal(open_made(&trace), WM_E_FORMAT);
	assert_null(trace);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" is not in \"%s\"", why, err.text);
}

/* All events, "ns text|ns text|"; what they end with, and the notes. */
static int read_all(char *all, struct simpletrace_notes *notes)
{
	struct simpletrace *trace;
	struct simpletrace_event event;
	int ret;

	*all = 0;
	assert_int_equal(open_made(&trace), 0);
	while ((ret = simpletrace_next(trace, &event, &err)) == 0) {
		assert_int_equal(event.pid, 42);
		assert_int_equal(event.bytes, strlen(event.text));
		sprintf(all + strlen(all), "%llu %s|", (unsigned long long)event.ns,
			event.text);
	}
	assert_int_equal(simpletrace_next(trace, &event, NULL), ret);
	*notes = *simpletrace_notes(trace);
	simpletrace_close(trace);
	return ret;
}

static void check(const char *wanted)
{
	struct simpletrace_notes notes;
	char all[4096];

	assert_int_equal(read_all(all, &notes), WM_END);
	assert_string_equal(all, wanted);
	assert_int_equal(notes.cut_off, 0);
	assert_int_equal(notes.nameless, 0);
	assert_int_equal(notes.dropped, 0);
}

static void check_damaged(const char *wanted, const char *why, size_t off)
{
	struct simpletrace_notes notes;
	char all[4096];

	assert_int_equal(read_all(all, &notes), WM_E_DAMAGED);
	assert_string_equal(all, wanted);
	assert_int_equal(err.offset, off);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" is not in \"%s\"", why, err.text);
}

/* ---- the tests ----------------------------------------------------------- */

static void test_events(void **state)
{
	(void)state;
	put_start();
	check("");
	put_name(7, "guest_user_syscall");
	put_name(SIMPLETRACE_IDS - 1, "a.b-c");
	put_words(7, 1000, 2);
	put_words(SIMPLETRACE_IDS - 1, UINT64_MAX, 0);
	put_name(7, "guest_user_syscall");
	put_words(7, 2000, 1);
	check("1000 guest_user_syscall 0x1 0x2|2000 guest_user_syscall 0x1|"
	      "18446744073709551615 a.b-c|");
}

/* A name may come late: it is known when the event is handed out. */
static void test_order(void **state)
{
	(void)state;
	put_start();
	put_words(1, 30, 0);
	put_words(1, 10, 0);
	put_words(2, 20, 0);
	put_words(1, 20, 0);
	put_words(1, 0, 0);
	put_name(1, "one");
	put_name(2, "two");
	check("0 one|10 one|20 two|20 one|30 one|");
}

/* More than are held at a time, in an order that is wrong all over. */
static void test_many(void **state)
{
	enum { MANY = 3 * SIMPLETRACE_WINDOW, STEP = SIMPLETRACE_WINDOW };
	struct simpletrace *trace;
	struct simpletrace_event event;

	(void)state;
	put_start();
	put_name(1, "x");
	for (uint64_t i = 0; i < MANY; i++)
		put_words(1, i / STEP * STEP + (STEP - 1 - i % STEP), 0);
	assert_int_equal(open_made(&trace), 0);
	for (uint64_t i = 0; i < MANY; i++) {
		assert_int_equal(simpletrace_next(trace, &event, &err), 0);
		assert_int_equal(event.ns, i);
	}
	assert_int_equal(simpletrace_next(trace, &event, &err), WM_END);
	simpletrace_close(trace);
}

static void test_arguments(void **state)
{
	(void)state;
	put_start();
	put_name(1, "text");
	put_event(1, 5, 24 + 8 + 3);
	put64(UINT64_MAX);
	put("\x01\x02\xff", 3);
	check("5 text 0xffffffffffffffff 0102ff|");

	put_start();
	put_name(1, "long");
	put_words(1, 1, (SIMPLETRACE_LENGTH - 24) / 8);
	put_words(1, 2, 1);
	{
		struct simpletrace *trace;
		struct simpletrace_event event;

		assert_int_equal(open_made(&trace), 0);
		assert_int_equal(simpletrace_next(trace, &event, &err), 0);
		assert_int_equal(event.bytes, strlen(event.text));
		assert_string_equal(event.text + event.bytes - 12, " 0x7fc 0x7fd");
		assert_int_equal(simpletrace_next(trace, &event, &err), 0);
		assert_string_equal(event.text, "long 0x1");
		simpletrace_close(trace);
	}
}

static void test_notes(void **state)
{
	struct simpletrace_notes notes;
	char all[4096];

	(void)state;
	put_start();
	put_event(SIMPLETRACE_DROPPED, 1, 32);
	put64(300);
	put_event(SIMPLETRACE_DROPPED, 2, 24);
	put_event(SIMPLETRACE_DROPPED, 3, 32);
	put64(12);
	put_words(9, 4, 1);
	put_words(UINT64_MAX, 5, 0);
	assert_int_equal(read_all(all, &notes), WM_END);
	assert_string_equal(all, "1 dropped 0x12c|2 dropped|3 dropped 0xc|4 event-9 0x1|"
				 "5 event-18446744073709551615|");
	assert_int_equal(notes.dropped, 312);
	assert_int_equal(notes.nameless, 2);
	assert_int_equal(notes.cut_off, 0);
}

/* Wherever it is cut: what is whole, and where it ends. */
static void test_cut(void **state)
{
	size_t first, second, all_bytes;
	struct simpletrace_notes notes;
	char all[4096];

	(void)state;
	put_start();
	put_name(1, "one");
	first = bytes;
	put_words(1, 10, 1);
	second = bytes;
	put_words(1, 20, 1);
	all_bytes = bytes;
	for (bytes = 24; bytes < all_bytes; bytes++) {
		size_t begins = bytes < first ? 24 : bytes < second ? first : second;

		assert_int_equal(read_all(all, &notes), WM_END);
		assert_string_equal(all, bytes < second ? "" : "10 one 0x1|");
		assert_int_equal(notes.cut_off, bytes == begins ? 0 : begins);
	}
}

static void test_no_such_file(void **state)
{
	(void)state;
	put_start();
	bytes = 23;
	refused("too short");
	bytes = 0;
	refused("too short");
	put_header(SIMPLETRACE_HEADER, SIMPLETRACE_MAGIC, 3);
	refused("of version 3, and only version 4");
	put_header(SIMPLETRACE_HEADER, SIMPLETRACE_MAGIC + 1, 4);
	refused("is no file of");
	put_header(0, SIMPLETRACE_MAGIC, 4);
	refused("is no file of");
	put_header(SIMPLETRACE_HEADER, __builtin_bswap64(SIMPLETRACE_MAGIC), 4);
	refused("byte order");
}

static void test_no_file_at_all(void **state)
{
	struct simpletrace *trace;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(simpletrace_open(&trace, ends[0], &err), WM_E_FORMAT);
	assert_non_null(strstr(err.text, "no regular file"));
	assert_int_equal(close(ends[0]), -1); /* it is */
	close(ends[1]);
}

/* A good event, and then a record that begins at the returned place. */
static size_t put_good(void)
{
	put_start();
	put_name(1, "one");
	put_words(1, 10, 0);
	return bytes;
}

static void check_bad_name(uint64_t id, const char *name, const char *said)
{
	size_t at = put_good();

	put_name(id, name);
	check_damaged("10 one|", said, at);
}

static void test_damage(void **state)
{
	size_t at = put_good();

	(void)state;
	put64(2);
	check_damaged("10 one|", "is of type 2", at);
	put_good();
	put_event(1, 5, 23);
	check_damaged("10 one|", "has a length of 23", at);
	put_good();
	put_event(1, 5, SIMPLETRACE_LENGTH + 1);
	check_damaged("10 one|", "has a length of 16385", at);
	put_good();
	put_event(1, 5, UINT32_MAX);
	check_damaged("10 one|", "has a length of 4294967295", at);
	check_bad_name(SIMPLETRACE_IDS, "much", "the event of id 65536");
	check_bad_name(1, "two", "another name for id 1");
	check_bad_name(1, "onex", "another name for id 1");
	check_bad_name(2, "", "no name for id 2");
	check_bad_name(2, "a\x1b[2J", "no name for id 2");
	check_bad_name(2, "a b", "no name for id 2");
	put_good();
	put64(0);
	put64(2);
	put32(SIMPLETRACE_NAME + 1);
	check_damaged("10 one|", "a name whose length is 257", at);
}

/* It becomes shorter while it is read. */
static void test_truncated(void **state)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct simpletrace *trace;
	struct simpletrace_event event;

	(void)state;
	put_start();
	put_name(1, "one");
	for (unsigned i = 0; i < 40000; i++)
		put_words(1, i, 0);
	assert_int_equal(write(fd, file, bytes), bytes);
	assert_int_equal(simpletrace_open(&trace, dup(fd), &err), 0);
	assert_int_equal(simpletrace_next(trace, &event, &err), 0);
	assert_int_equal(ftruncate(fd, 1000), 0);
	while (simpletrace_next(trace, &event, &err) == 0)
		assert_int_not_equal(event.ns, 39999);
	assert_int_equal(err.code, WM_E_IO);
	assert_non_null(strstr(err.text, "shorter"));
	simpletrace_close(trace);
	close(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_events),	     cmocka_unit_test(test_order),
	cmocka_unit_test(test_many),	     cmocka_unit_test(test_arguments),
	cmocka_unit_test(test_notes),	     cmocka_unit_test(test_cut),
	cmocka_unit_test(test_no_such_file), cmocka_unit_test(test_no_file_at_all),
	cmocka_unit_test(test_damage),	     cmocka_unit_test(test_truncated),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
