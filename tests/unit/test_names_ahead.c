// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collect/names_ahead: what it hands over is what the file has, and nobody waits for a thread that
 * gets no time. kernel_names_read() is replaced by one that waits until the test lets it go on.
 */
#include "collect/names_ahead.h"

#include <fcntl.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "program/kernel/image.h"

static sem_t begun, may_go_on;
static _Atomic unsigned reads;

bool __real_kernel_names_read(struct symtab *symtab, int fd, const char *path,
			      const char *build_id);
bool __wrap_kernel_names_read(struct symtab *symtab, int fd, const char *path,
			      const char *build_id);

/* Instead of kernel_names_read() (--wrap in meson.build). */
bool __wrap_kernel_names_read(struct symtab *symtab, int fd, const char *path,
			      const char *build_id)
{
	atomic_fetch_add(&reads, 1);
	sem_post(&begun);
	sem_wait(&may_go_on);
	return __real_kernel_names_read(symtab, fd, path, build_id);
}

static void want(struct names_ahead *ahead, uint32_t file, const char *path)
{
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	names_ahead_want(ahead, file, fd, path, "");
	close(fd);
}

/* Takes the names of a file that is being read; true when they are names. */
static bool take(struct names_ahead *ahead, uint32_t file, struct symtab *names)
{
	bool good;

	/* On a busy machine it gives up. */
	while (!names_ahead_take(ahead, file, names, &good))
		;
	return good;
}

static int set_up(void **state)
{
	(void)state;
	atomic_store(&reads, 0);
	return sem_init(&begun, 0, 0) || sem_init(&may_go_on, 0, 0);
}

static void test_the_same(void **state)
{
	struct names_ahead *ahead = names_ahead_new();
	struct symtab names, expected;
	int fd = open("/proc/self/exe", O_RDONLY);
	bool good;

	(void)state;
	want(ahead, 7, "/proc/self/exe");
	sem_post(&may_go_on);
	sem_wait(&begun);
	assert_true(take(ahead, 7, &names));
	assert_true(__real_kernel_names_read(&expected, fd, "/proc/self/exe", ""));
	assert_true(expected.n_ranges > 10);
	assert_int_equal(names.n_ranges, expected.n_ranges);
	assert_memory_equal(names.ranges, expected.ranges,
			    names.n_ranges * sizeof(*names.ranges));
	assert_memory_equal(names.names.data, expected.names.data, names.names.len);
	/* Once, and only what was asked for. */
	assert_false(names_ahead_take(ahead, 7, &names, &good));
	assert_false(names_ahead_take(ahead, 8, &names, &good));
	assert_false(names_ahead_take(NULL, 7, &names, &good));
	symtab_fini(&names);
	symtab_fini(&expected);
	close(fd);
	names_ahead_free(ahead);
}

static void test_no_names(void **state)
{
	struct names_ahead *ahead = names_ahead_new();
	struct symtab names;

	(void)state;
	want(ahead, 0, "/dev/null");
	sem_post(&may_go_on);
	sem_wait(&begun);
	assert_false(take(ahead, 0, &names));
	names_ahead_free(ahead);
}

/* The thread is at the first file and gets no time: whoever takes reads the files itself. */
static void test_no_time(void **state)
{
	struct names_ahead *ahead = names_ahead_new();
	struct symtab names;
	bool good;

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		want(ahead, i, "/proc/self/exe");
	sem_wait(&begun);
	assert_false(names_ahead_take(ahead, 0, &names, &good));
	assert_false(names_ahead_take(ahead, 1, &names, &good));
	/* The second one was given up, the third one not. */
	sem_post(&may_go_on);
	sem_post(&may_go_on);
	sem_wait(&begun);
	assert_true(take(ahead, 2, &names));
	symtab_fini(&names);
	assert_false(names_ahead_take(ahead, 1, &names, &good));
	assert_int_equal(atomic_load(&reads), 2);
	names_ahead_free(ahead);
}

/* The end of a recording while a file is read. */
static void test_end(void **state)
{
	struct names_ahead *ahead = names_ahead_new();

	(void)state;
	names_ahead_free(NULL);
	names_ahead_free(names_ahead_new());
	want(ahead, 0, "/proc/self/exe");
	want(ahead, 1, "/proc/self/exe");
	sem_wait(&begun);
	names_ahead_free(ahead);
	sem_post(&may_go_on);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_the_same, set_up),
	cmocka_unit_test_setup(test_no_names, set_up),
	cmocka_unit_test_setup(test_no_time, set_up),
	cmocka_unit_test_setup(test_end, set_up),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
