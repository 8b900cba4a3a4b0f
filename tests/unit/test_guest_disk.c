// SPDX-License-Identifier: GPL-2.0-or-later
/* collect/guest/disk: files that are copied out of a disk's image. */
#include "collect/guest/disk.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/folder.h"

enum { PROGRAM_BYTES = 5000 };

/* A file of that size, of which all but the first byte is a hole. */
static void make(const char *path, off_t bytes)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0666);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "p", 1), 1);
	assert_int_equal(ftruncate(fd, bytes), 0);
	close(fd);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_size : -1;
}

static void test_copies(void **state)
{
	/* What is wrong ends here, and not when the disk is full. */
	struct rlimit limit = { 16 << 20, 16 << 20 };
	uint64_t start = 1;
	int fd;

	(void)state;
	assert_int_equal(mkdir("files", 0777) | mkdir("root", 0777), 0);
	make("files/program", PROGRAM_BYTES);
	make("files/huge", (off_t)1 << 40);
	assert_int_equal(system("/usr/sbin/mke2fs -q -t ext4 -b 4096 -d files disk 8M "
				">/dev/null 2>&1"),
			 0);
	fd = open("disk", O_RDONLY);
	assert_true(guest_disk_find(fd, &start) && start == 0);
	close(fd);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	guest_disk_copy("disk", "root", "/program");
	assert_int_equal(size_of("root/program"), PROGRAM_BYTES);
	guest_disk_copy("disk", "root", "/huge");
	assert_int_equal(size_of("root/huge"), -1);
	assert_int_equal(system("rm -r files root disk"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_copies, folder_enter, folder_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
