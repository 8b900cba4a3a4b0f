// SPDX-License-Identifier: GPL-2.0-or-later
/* collect/guest/disk and files: what is copied out of a disk's image, and which file it is. */
#include "collect/guest/disk.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/guest/files.h"
#include "tests/unit/folder.h"

enum { PROGRAM_BYTES = 5000, ROOTFS = 2, DISK = 254 << 20 };

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
	assert_string_equal(guest_disk_copy("disk", "root", "/program", 0), "/program");
	assert_int_equal(size_of("root/program"), PROGRAM_BYTES);
	guest_disk_copy("disk", "root", "/huge", 0);
	assert_int_equal(size_of("root/huge"), -1);
	assert_null(guest_disk_copy("disk", "root", "/mnt/program", 0));
	assert_null(guest_disk_copy("no disk", "root", "/program", 0));
	assert_int_equal(system("rm -r files root disk"), 0);
}

/* The number of a file's inode on the disk. */
static uint64_t inode_of(const char *path)
{
	char command[100];
	uint64_t ino = 0;
	FILE *out;

	snprintf(command, sizeof(command), "/usr/sbin/debugfs -R 'stat %s' disk 2>&1",
		 path);
	out = popen(command, "r");
	assert_non_null(out);
	while (!ino && fgets(command, sizeof(command), out))
		(void)sscanf(command, "Inode: %" SCNu64, &ino);
	pclose(out);
	assert_true(ino);
	return ino;
}

/* What the guest calls `path`, inode `ino` of a device, is in the folders `right`; NULL: it is not found. */
static void find(const char *path, uint64_t dev, uint64_t ino, const char *right)
{
	struct guest_files files = { "root", "disk", "initrd" };
	struct message_module message = { .dev = dev, .ino = ino };
	char *got = strdup(path), *real = right ? realpath(right, NULL) : NULL;

	assert_int_equal(guest_files_find(&files, &message, &got), right != NULL);
	if (!right)
		assert_string_equal(got, path);
	else if (!real)
		/* It was not there before it was looked for. */
		real = realpath(right, NULL);
	if (right)
		assert_string_equal(got, real);
	free(real);
	free(got);
}

/* An initrd and a disk, which is mounted somewhere, have different files by one name. */
static void test_mounted(void **state)
{
	uint64_t sh, other;

	(void)state;
	assert_int_equal(
		system("mkdir -p files/bin initrd/bin root && "
		       "echo disk >files/bin/sh && echo disk >files/other && "
		       "echo initrd >initrd/bin/sh && echo initrd >initrd/bin/only && "
		       "/usr/sbin/mke2fs -q -t ext4 -d files disk 8M >/dev/null 2>&1"),
		0);
	sh = inode_of("/bin/sh");
	other = inode_of("/other");
	find("/bin/sh", DISK, sh, "root/bin/sh");
	find("/bin/sh", ROOTFS, sh, "initrd/bin/sh");
	find("/root/bin/sh", DISK, sh, "root/bin/sh");
	find("/a/b/other", DISK, other, "root/other");
	/* Another one than the disk has there. */
	find("/bin/sh", DISK, other, "initrd/bin/sh");
	find("/bin/only", ROOTFS, sh, "initrd/bin/only");
	find("/mnt/bin/sh", DISK, other, NULL);
	/* A disk that is a copy of the guest's. */
	find("/other", ROOTFS, sh, "root/other");
	find("[vdso]", 0, 0, NULL);
	assert_int_equal(system("rm -r files initrd root disk"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mounted),
		cmocka_unit_test(test_copies),
	};

	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
