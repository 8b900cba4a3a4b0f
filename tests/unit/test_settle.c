// SPDX-License-Identifier: GPL-2.0-or-later
/* trace/settle: waits for a file to appear and for its writer, but not for ever. */
#include "trace/settle.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define PATH "settle.tmp"

/* Opens and locks the file, as a recorder does. */
static int locked_file(void)
{
	int fd = open(PATH, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	return fd;
}

static void a_moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 150000000 }, NULL);
}

static void *let_go(void *fd)
{
	a_moment();
	assert_int_equal(write(*(int *)fd, "x", 1), 1);
	close(*(int *)fd);
	return NULL;
}

static void *appear(void *fd)
{
	a_moment();
	*(int *)fd = locked_file();
	return let_go(fd);
}

/* Another file takes the name, as a flight recorder has it, and is written to after that. */
static void *replace(void *fd)
{
	int other;

	a_moment();
	assert_int_equal(rename(PATH, PATH ".old"), 0);
	other = locked_file();
	assert_false(trace_is_named(*(int *)fd, PATH));
	assert_true(trace_is_named(other, PATH));
	close(*(int *)fd);
	unlink(PATH ".old");
	*(int *)fd = other;
	return let_go(fd);
}

/* A recorder that has written nothing yet: an earlier file has the name. */
static int locked_beside(void)
{
	int old = open(PATH, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int fd = open(PATH ".a8Xk2P", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_true(old >= 0 && fd >= 0);
	close(old);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	return fd;
}

static void *take_name(void *fd)
{
	a_moment();
	assert_int_equal(rename(PATH ".a8Xk2P", PATH), 0);
	return let_go(fd);
}

/* The file has its one byte only when `other` is through with it. */
static void wait_for(void *(*other)(void *), int fd)
{
	pthread_t thread;
	char byte;
	int file;

	assert_int_equal(pthread_create(&thread, NULL, other, &fd), 0);
	assert_int_equal(trace_settle(PATH, 600, NULL), 0);
	file = open(PATH, O_RDONLY);
	assert_int_equal(read(file, &byte, 1), 1);
	close(file);
	pthread_join(thread, NULL);
	unlink(PATH);
}

static void test_waits(void **state)
{
	(void)state;
	unlink(PATH);
	wait_for(let_go, locked_file());
	wait_for(appear, -1);
	wait_for(replace, locked_file());
	wait_for(take_name, locked_beside());
}

static void test_gives_up(void **state)
{
	struct wm_error err = { 0 };
	int fd;

	(void)state;
	assert_int_equal(trace_settle(PATH, 0, &err), WM_E_IO);
	assert_non_null(strstr(err.text, "missing"));
	fd = locked_file();
	assert_int_equal(trace_settle(PATH, 0, &err), WM_E_IO);
	close(fd);
	assert_int_equal(trace_settle(PATH, 0, &err), 0);
	/* What a recorder left that was killed holds up nobody. */
	fd = locked_beside();
	assert_int_equal(trace_settle(PATH, 0, &err), WM_E_IO);
	close(fd);
	assert_int_equal(trace_settle(PATH, 0, &err), 0);
	assert_int_equal(trace_settle("./" PATH, 0, &err), 0);
	unlink(PATH ".a8Xk2P");
	unlink(PATH);
	assert_int_equal(trace_settle(PATH "/x", 0, &err), WM_E_IO);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_waits),
	cmocka_unit_test(test_gives_up),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
