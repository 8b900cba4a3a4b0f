// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: execve() that fails, in all its ways, and a program that goes on. It makes the
// files for that in the current folder.

#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(const char *name, const void *data, size_t bytes, mode_t mode)
{
	int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes || fchmod(fd, mode))
		exit(2);
	close(fd);
}

/* The beginning of a program for a machine that nobody here is. */
static void make_foreign(void)
{
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			      .e_type = ET_EXEC,
			      .e_machine = EM_S390,
			      .e_version = 1 };

	make("foreign", &header, sizeof(header), 0755);
}

int main(void)
{
	static char longest[5000];
	volatile unsigned long nowhere;
	char *const args[] = { "x", NULL };
	const char *paths[] = { "nothing", "folder", "plain", "text", "empty", "stump",
				"foreign", "plain/below", "loop", longest, "", "lost",
				(const char *)16 };

	memset(longest, 'x', sizeof(longest) - 1);
	mkdir("folder", 0755);
	make("plain", "\177ELF", 4, 0644);
	make("text", "just text\n", 10, 0755);
	make("empty", "", 0, 0755);
	make("stump", "\177ELF\2\1\1", 7, 0755);
	make("lost", "#!/nowhere/at/all\n", 18, 0755);
	make_foreign();
	if (symlink("loop", "loop") && errno != EEXIST)
		return 2;
	for (unsigned i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		int ret = execve(paths[i], args, NULL);

		printf("%u: %d, errno %d\n", i, ret, errno);
	}
	nowhere = 16;
	printf("arguments: %d, errno %d\n", execve("/bin/true", (char **)nowhere, NULL), errno);
	return 3;
}
