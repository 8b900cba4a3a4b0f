// SPDX-License-Identifier: GPL-2.0-or-later
/* collect/guest/root: the files of a machine's guest, found on the host. */
#include "collect/guest/root.h"

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

#include "tests/unit/folder.h"

/* What the guest's path becomes, without the folder in front; NULL: it stays. */
static char *found(const char *root, const char *guest)
{
	struct message_module message = { .ino = 1, .dev = 2 };
	char *path = strdup(guest), *rest = NULL,
	     *real = root ? realpath(root, NULL) : NULL;
	struct stat st;
	bool is = guest_root_find(root, &message, &path);

	assert_int_equal(is, strcmp(path, guest) != 0);
	if (is) {
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(message.ino, st.st_ino);
		assert_int_equal(message.dev, st.st_dev);
		assert_memory_equal(path, real, strlen(real));
		rest = strdup(path + strlen(real));
	} else {
		assert_int_equal(message.ino, 1);
	}
	free(real);
	free(path);
	return rest;
}

static void check(const char *root, const char *guest, const char *right)
{
	char *rest = found(root, guest);

	if (right)
		assert_string_equal(rest, right);
	else
		assert_null(rest);
	free(rest);
}

static void test_files(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(mkdir("root", 0777), 0);
	assert_int_equal(mkdir("root/usr", 0777), 0);
	fd = open("root/usr/sh", O_CREAT | O_WRONLY, 0666);
	assert_true(fd >= 0 && close(fd) == 0);
	assert_int_equal(symlink("/usr", "root/bin"), 0);
	assert_int_equal(symlink("../../../../etc/passwd", "root/out"), 0);
	assert_int_equal(mkfifo("root/fifo", 0666), 0);
	check("root", "/usr/sh", "/usr/sh");
	/* Links lead where they do in the guest. */
	check("root", "/bin/sh", "/usr/sh");
	check("root", "/out", NULL);
	check("root", "/nothing", NULL);
	check("root", "/usr", NULL);
	check("root", "/fifo", NULL);
	check("root", "[vdso]", NULL);
	check("nowhere", "/usr/sh", NULL);
	check(NULL, "/usr/sh", NULL);
	assert_int_equal(unlink("root/usr/sh") | unlink("root/bin") | unlink("root/out") |
				 unlink("root/fifo") | rmdir("root/usr") | rmdir("root"),
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_files, folder_enter, folder_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
