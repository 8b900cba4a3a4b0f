// SPDX-License-Identifier: GPL-2.0-or-later
/* collect/handout and plugin/user/handout: the memory's descriptor, for who knows the key. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/handout.h"
#include "plugin/core/slot.h"
#include "plugin/user/handout.h"

static struct memory memory;
static struct handouts *handouts;
static bool is_mapped; /* what the plugin has mapped is that memory */

struct board *slot_board(void)
{
	return memory.board;
}

static bool same_file(int one, int other)
{
	struct stat a, b;

	assert_int_equal(fstat(one, &a), 0);
	assert_int_equal(fstat(other, &b), 0);
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool slot_is_memory(int fd)
{
	return is_mapped && same_file(fd, memory.fd);
}

static int set_up(void **state)
{
	struct wm_error err;

	(void)state;
	is_mapped = true;
	assert_int_equal(memory_create(&memory, &err), 0);
	handouts = handouts_start(&memory);
	assert_non_null(handouts);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	handouts_stop(handouts);
	memory_fini(&memory);
	return 0;
}

/* The next descriptor that there would be. */
static int next_descriptor(void)
{
	int fd = dup(memory.fd);

	close(fd);
	return fd;
}

static void test_asked(void **state)
{
	int next = next_descriptor(), fd = handout_ask();

	(void)state;
	assert_true(fd >= 0);
	assert_true(same_file(fd, memory.fd));
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	assert_int_equal(next_descriptor(), next);
}

/* A socket with a name, connected with the recorder's. */
static int connected(void)
{
	const struct handout *at = &memory.board->handout;
	struct sockaddr_un own = { .sun_family = AF_UNIX }, theirs = own;
	socklen_t head = offsetof(struct sockaddr_un, sun_path);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(theirs.sun_path, at->name, at->bytes);
	assert_int_equal(bind(fd, (struct sockaddr *)&own, head), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&theirs, head + at->bytes), 0);
	return fd;
}

/* Requests are answered in order, so the answer that comes is the right key's. */
static void test_wrong_keys(void **state)
{
	uint8_t key[sizeof(memory.board->handout.key) + 1] = { 0 }, answer[2];
	int fd = connected();

	(void)state;
	memcpy(key, memory.board->handout.key, sizeof(key) - 1);
	assert_int_equal(send(fd, key, sizeof(key), 0), sizeof(key));
	assert_int_equal(send(fd, key, sizeof(key) - 2, 0), sizeof(key) - 2);
	assert_int_equal(send(fd, key, 0, 0), 0);
	key[0]++;
	assert_int_equal(send(fd, key, sizeof(key) - 1, 0), sizeof(key) - 1);
	key[0]--;
	assert_int_equal(send(fd, key, sizeof(key) - 1, 0), sizeof(key) - 1);
	assert_int_equal(recv(fd, answer, sizeof(answer), 0), 1);
	assert_int_equal(recv(fd, answer, sizeof(answer), MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	close(fd);
}

/* A guest may overwrite the board: what the recorder compares with is its own. */
static void test_board_overwritten(void **state)
{
	uint8_t key[sizeof(memory.board->handout.key)], other[sizeof(key)] = { 0 },
							answer[2];
	int fd = connected();

	(void)state;
	memcpy(key, memory.board->handout.key, sizeof(key));
	memset(memory.board->handout.key, 0, sizeof(key));
	assert_int_equal(send(fd, other, sizeof(other), 0), sizeof(other));
	assert_int_equal(send(fd, key, sizeof(key), 0), sizeof(key));
	assert_int_equal(recv(fd, answer, sizeof(answer), 0), 1);
	assert_int_equal(recv(fd, answer, sizeof(answer), MSG_DONTWAIT), -1);
	memory.board->handout.bytes = 200;
	assert_int_equal(handout_ask(), -1);
	close(fd);
}

/* Who takes none of his answers holds up nobody. */
static void test_deaf(void **state)
{
	const struct handout *at = &memory.board->handout;
	int deaf = connected(), fd;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		(void)!send(deaf, at->key, sizeof(at->key), MSG_DONTWAIT);
	fd = handout_ask();
	assert_true(fd >= 0);
	close(fd);
	close(deaf);
}

/* What comes is no memory that this process has mapped: another program answered. */
static void test_other_memory(void **state)
{
	int next = next_descriptor();

	(void)state;
	is_mapped = false;
	assert_int_equal(handout_ask(), -1);
	assert_int_equal(next_descriptor(), next);
}

static void test_gone(void **state)
{
	(void)state;
	handouts_stop(handouts);
	handouts = NULL;
	assert_int_equal(handout_ask(), -1);
	memory.board->handout.bytes = 0;
	assert_int_equal(handout_ask(), -1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_asked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_wrong_keys, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_board_overwritten, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_deaf, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_memory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_gone, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("handout", tests, NULL, NULL);
}
