// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Maps and unmaps code in the ways there are, most of it at one address, and prints a line
 * for each call into it: whose it is, where, and its result.
 *
 * usage: modules A B DIR    two libraries made of plug.c; DIR is for copies of them
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef long work(long);

static void die(const char *what)
{
	perror(what);
	exit(3);
}

static void call(const char *name, void *place, work *function)
{
	printf("%s %p %ld\n", name, place, function(7));
	fflush(stdout);
}

static void *open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	return library;
}

/* Opens a library, calls its inner function through another, and closes it. */
static void visit(const char *path, const char *inner)
{
	void *library = open_library(path);

	call(inner, dlsym(library, inner), dlsym(library, "work"));
	dlclose(library);
}

static void write_file(const char *path, const char *bytes, size_t size, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		die(path);
	close(fd);
}

/* Copies a file to `to`: over what is there, or in its place. */
static void copy(const char *from, const char *to, int in_place)
{
	char *bytes = malloc(1 << 20), other[4096];
	int fd = open(from, O_RDONLY);
	ssize_t size = read(fd, bytes, 1 << 20);

	if (fd < 0 || size <= 0)
		die(from);
	close(fd);
	snprintf(other, sizeof(other), "%s.new", to);
	write_file(in_place ? to : other, bytes, (size_t)size, in_place ? O_TRUNC : 0);
	if (!in_place && rename(other, to))
		die(to);
	free(bytes);
}

/* Where the function is in its file, which is mapped whole and without gaps. */
static size_t offset_of(void *function, size_t *size)
{
	struct stat st;
	Dl_info info;

	if (!dladdr(function, &info) || stat(info.dli_fname, &st))
		die("dladdr");
	*size = (size_t)st.st_size;
	return (size_t)((char *)function - (char *)info.dli_fbase);
}

/* By hand: mapped, moved, and replaced by memory without a file. */
static void by_hand(const char *path, const char *inner)
{
	void *library = open_library(path);
	void *function = dlsym(library, inner);
	size_t size, off = offset_of(function, &size);
	int fd = open(path, O_RDONLY);
	char *memory, *target;

	memory = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	target = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || memory == MAP_FAILED || target == MAP_FAILED)
		die("mmap");
	close(fd);
	call(inner, memory + off, (work *)(uintptr_t)(memory + off));
	/* QEMU flushes what it translated only of what becomes unmapped. */
	target = mremap(memory, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, target);
	if (target == MAP_FAILED)
		die("mremap");
	call(inner, target + off, (work *)(uintptr_t)(target + off));
	/* The same code in memory without a file has no name. */
	memory = malloc(64);
	memcpy(memory, target + off, 64);
	if (mmap(target, size, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		die("mmap");
	memcpy(target + off, memory, 64);
	__builtin___clear_cache(target + off, target + off + 64);
	call("none", target + off, (work *)(uintptr_t)(target + off));
	/* And a file where that was. */
	fd = open(path, O_RDONLY);
	if (mmap(target, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) ==
	    MAP_FAILED)
		die("mmap");
	close(fd);
	call(inner, target + off, (work *)(uintptr_t)(target + off));
	free(memory);
	munmap(target, size);
	dlclose(library);
}

/* First memory without a file, then a file. */
static void bare_first(const char *path, const char *inner)
{
	void *library = open_library(path);
	void *function = dlsym(library, inner);
	size_t size, off = offset_of(function, &size);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open(path, O_RDONLY);

	if (memory == MAP_FAILED || fd < 0)
		die("mmap");
	memcpy(memory + off, function, 64);
	__builtin___clear_cache(memory + off, memory + off + 64);
	call("none", memory + off, (work *)(uintptr_t)(memory + off));
	if (mmap(memory, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) ==
	    MAP_FAILED)
		die("mmap");
	call(inner, memory + off, (work *)(uintptr_t)(memory + off));
	close(fd);
	munmap(memory, size);
	dlclose(library);
}

/* A parent and its child have different libraries at one address. */
static void forked(const char *a, const char *b)
{
	void *library = open_library(a);
	int status;

	call("a_inner", dlsym(library, "a_inner"), dlsym(library, "work"));
	dlclose(library);
	if (!fork()) {
		visit(b, "b_inner");
		visit(a, "a_inner");
		_exit(0);
	}
	wait(&status);
	visit(a, "a_inner");
	visit(b, "b_inner");
}

int main(int argc, char **argv)
{
	const char *a = argv[1], *b = argv[2];
	char path[4096];
	void *library;

	if (argc != 4 || chdir(argv[3]))
		die("usage: modules A B DIR");
	forked(a, b); /* first: nobody knows these blocks yet */
	for (int i = 0; i < 100; i++) {
		visit(a, "a_inner");
		visit(b, "b_inner");
	}
	snprintf(path, sizeof(path), "%s/new\nline and blanks.so", argv[3]);
	for (int i = 0; i < 10; i++) {
		copy(i % 2 ? a : b, path, i >= 5);
		visit(path, i % 2 ? "a_inner" : "b_inner");
	}
	by_hand(a, "a_inner");
	bare_first(b, "b_inner");
	/* Gone before anything of it runs. */
	copy(a, "./gone.so", 0);
	library = open_library("./gone.so");
	unlink("./gone.so");
	call("unknown", dlsym(library, "a_inner"), dlsym(library, "work"));
	dlclose(library);
	return 0;
}
