// SPDX-License-Identifier: GPL-2.0-or-later
// Executes a program by execveat(), or says why that failed.
//
// usage: execat HOW PROGRAM [ARGUMENT...]
//   folder   by its name in its folder, whose descriptor closes meanwhile
//   kept     the same, but descriptor 77 stays open
//   memory   from a copy in memory, which is descriptor 77
//   path     by its path alone, whatever the descriptor
//   wrong    in ways that all fail; PROGRAM is a script

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEPT 77

extern char **environ;

static char **arguments;

static int execute(int folder, const char *path, int flags)
{
	syscall(SYS_execveat, folder, path, arguments, environ, flags);
	printf("errno %d\n", errno);
	fflush(stdout);
	return 111;
}

// The folder of a path, which becomes its last part.
static int open_folder(char **path)
{
	char *copy = strdup(*path);

	*path = basename(*path);
	return open(dirname(copy), O_PATH | O_CLOEXEC);
}

static int open_copy(const char *path)
{
	static char bytes[1 << 16];
	int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("copy", MFD_CLOEXEC);
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, (size_t)n) != n)
			exit(3);
	return to;
}

// None of these is ever executed.
static int fail_all(char *path)
{
	int script = open(path, O_RDONLY | O_CLOEXEC);

	if (symlink(path, "link") && errno != EEXIST)
		return 3;
	execute(script, "", 0);
	execute(script, "", AT_EMPTY_PATH);
	execute(script, path, AT_SYMLINK_FOLLOW);
	execute(script, "link", 0);
	execute(-1, "link", 0);
	execute(AT_FDCWD, "link", AT_SYMLINK_NOFOLLOW);
	execute(AT_FDCWD, "nothing", 0);
	execute(AT_FDCWD, "", AT_EMPTY_PATH);
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	char *path = argv[2];

	if (!*how)
		return 2;
	arguments = argv + 2;
	if (!strcmp(how, "folder")) {
		int folder = open_folder(&path);

		return execute(folder, path, 0);
	}
	if (!strcmp(how, "kept")) {
		dup2(open_folder(&path), KEPT);
		return execute(KEPT, path, AT_SYMLINK_NOFOLLOW);
	}
	if (!strcmp(how, "memory")) {
		dup2(open_copy(path), KEPT);
		return execute(KEPT, "", AT_EMPTY_PATH);
	}
	return !strcmp(how, "wrong") ? fail_all(path) : execute(12345, path, AT_EMPTY_PATH);
}
