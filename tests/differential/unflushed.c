// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into QEMU: its log is written when stdio's buffer is full, and when the process ends,
 * instead of line by line. A line is a block, and the write of it takes two thirds of QEMU's time.
 *
 * Whatever is lost of a log makes the comparison with it fail, so this hides nothing. QEMU ends
 * by exit_group(2) or by a signal to itself; before those, and before a child could inherit it,
 * what is in the buffer is written.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's own function. Constructors of other libraries may be the first to ask. */
static void *own(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static int flush(FILE *file)
{
	static int (*function)(FILE *);

	if (!function)
		*(void **)&function = own("fflush");
	return function(file);
}

static void flush_all(void)
{
	flush(NULL);
}

/* The guest gets QEMU's environment, and its own loader would want to load this. */
static void hide(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *name;

	path[n > 0 ? n : 0] = '\0';
	name = strrchr(path, '/');
	if (name && !strncmp(name, "/qemu-", 6))
		unsetenv("LD_PRELOAD");
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(flush_all, NULL, NULL);
	hide();
}

int fflush(FILE *file)
{
	return file && file != stdout && file != stderr ? 0 : flush(file);
}

long syscall(long number, ...)
{
	static long (*function)(long, ...);
	long word[6];
	va_list words;

	if (!function)
		*(void **)&function = own("syscall");
	if (number == SYS_exit_group || number == SYS_tgkill)
		flush_all();
	va_start(words, number);
	for (int i = 0; i < 6; i++)
		word[i] = va_arg(words, long);
	va_end(words);
	return function(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}

int kill(pid_t pid, int number)
{
	static int (*function)(pid_t, int);

	if (!function)
		*(void **)&function = own("kill");
	flush_all();
	return function(pid, number);
}

int raise(int number)
{
	return (int)syscall(SYS_tgkill, getpid(), gettid(), number);
}

void _exit(int status)
{
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}
