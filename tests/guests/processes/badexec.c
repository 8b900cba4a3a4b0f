// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: execve() of a good program with arguments, an environment or a name that are bad
// memory, or too long. Each call must fail as it does without a recorder. argv[1] is a
// program that could be executed.

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *program;
static char *page, *end; /* of the last mapped page: after it there is nothing */
static char *hidden;	 /* a page that may be written, and not read */
static char *closed;	 /* one that may not be touched */
static char *const fine[] = { "x", "y", NULL };

static void map_pages(void)
{
	long size = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 8 * (size_t)size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		exit(2);
	page = pages;
	end = pages + size;
	munmap(end, (size_t)size);
	hidden = end + size;
	closed = hidden + 2 * size;
	memset(pages, 'a', (size_t)size);
	memset(hidden, 0, (size_t)size);
	mprotect(hidden, (size_t)size, PROT_WRITE);
	mprotect(closed, (size_t)size, PROT_NONE);
}

static void try(const char *what, const char *path, void *argv, void *envp)
{
	int ret;

	errno = 0;
	ret = execve(path, argv, envp);
	printf("%s: %d, errno %d\n", what, ret, errno);
	fflush(stdout);
}

/* The same bad pointer where arguments, environment, a string of them, and a name are. */
static void try_pointer(const char *what, void *bad)
{
	char *first[] = { bad, NULL }, *later[] = { "x", "y", bad, "z", NULL };
	char text[64];

	printf("-- %s\n", what);
	snprintf(text, sizeof(text), "%s: arguments", what);
	try(text, program, bad, (void *)fine);
	try("  environment", program, (void *)fine, bad);
	try("  both", program, bad, bad);
	try("  no arguments", program, NULL, bad);
	try("  no environment", program, bad, NULL);
	try("  first argument", program, first, (void *)fine);
	try("  later argument", program, later, (void *)fine);
	try("  first variable", program, (void *)fine, first);
	try("  later variable", program, (void *)fine, later);
	try("  name", bad, (void *)fine, (void *)fine);
	try("  name, and no program", "/nowhere", bad, (void *)fine);
}

/* An array without an end: pointers up to the last mapped byte, or some bytes of one. */
static void try_arrays(void)
{
	char **array = (char **)(void *)end - 3;

	for (unsigned i = 0; i < 3; i++)
		array[i] = "x";
	printf("-- arrays\n");
	try("arguments off the page", program, array, (void *)fine);
	try("environment off the page", program, (void *)fine, array);
	try("arguments half off the page", program, end - 4, (void *)fine);
	try("environment half off the page", program, (void *)fine, end - 4);
	memset(page, 'a', (size_t)(end - page));
}

/* Names that are no names, with and without a program at the start of them. */
static void try_names(void)
{
	static char longest[2 * PATH_MAX];
	size_t own = strlen(program);

	printf("-- names\n");
	memset(longest, '/', sizeof(longest) - 1);
	memcpy(longest + PATH_MAX - 1 - own, program, own);
	memset(longest + PATH_MAX - 1, 'x', 10);
	longest[PATH_MAX + 9] = 0;
	try("longer than a path", longest, (void *)fine, (void *)fine);
	try("empty", "", (void *)fine, (void *)fine);
	try("none", NULL, (void *)fine, (void *)fine);
	try("nothing at all", NULL, NULL, NULL);
	try("no such file, and no arguments", "/nowhere", NULL, NULL);
	try("below a file", "/dev/null/x", (void *)fine, (void *)fine);
	try("no right", "/dev/null", (void *)fine, (void *)fine);
}

static void fill(char **array, size_t n, char *word)
{
	for (size_t i = 0; i < n; i++)
		array[i] = word;
	array[n] = NULL;
}

/* More than the kernel takes: one string, all strings together, strings in number. */
static void try_long(void)
{
	static char one[(32 * 4096) + 1], part[100 * 1024];
	static char *parts[101], *many[1200001];

	printf("-- too long\n");
	memset(one, 'x', sizeof(one) - 1);
	memset(part, 'x', sizeof(part) - 1);
	try("one argument", program, (char *[]){ "x", one, NULL }, (void *)fine);
	try("one variable", program, (void *)fine, (char *[]){ "x", one, NULL });
	fill(parts, 100, part);
	try("arguments", program, parts, (void *)fine);
	try("environment", program, (void *)fine, parts);
	fill(many, 1200000, "");
	try("many arguments", program, many, (void *)fine);
	try("many variables", program, (void *)fine, many);
	many[1199999] = (char *)16;
	try("many arguments, the last of them bad", program, many, (void *)fine);
}

int main(int argc, char **argv)
{
	if (argc != 3 || strcmp(argv[2], "try")) {
		printf("executed\n");
		return 1;
	}
	program = argv[1];
	map_pages();
	try_pointer("low", (void *)16);
	try_pointer("unmapped", end);
	try_pointer("high", (void *)-4096L);
	try_pointer("write-only", hidden);
	try_pointer("closed", closed);
	printf("-- strings\n");
	try("argument off the page", program, (char *[]){ "x", end - 5, NULL },
	    (void *)fine);
	try("variable off the page", program, (void *)fine,
	    (char *[]){ "x", end - 5, NULL });
	try("name off the page", end - 5, (void *)fine, (void *)fine);
	try_arrays();
	try_names();
	try_long();
	return 3;
}
