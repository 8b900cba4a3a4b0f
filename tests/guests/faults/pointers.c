// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: system calls with pointers to nowhere, to the end of what is there, and to
// memory without access, where a recorder would like to look, too; strings that do not end.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned long sum = 1;

static void call(long number, unsigned long a, unsigned long b, unsigned long c,
		 unsigned long d)
{
	long ret = syscall(number, a, b, c, d);

	if (number == SYS_openat && ret >= 0)
		close((int)ret);
	sum = sum * 31 + (unsigned long)(ret < 0 ? -errno : ret != 0);
}

int main(void)
{
	char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + 4096, 4096, PROT_NONE) ||
	    munmap(pages + 2 * 4096, 4096))
		return 1;
	memset(pages, 'x', 4096);
	strcpy(pages + 1000, "/nowhere");
	strcpy(pages + 4096 - 9, "/nowhere"); /* ends with its page */
	unsigned long places[] = { 0, 16, 1ul << 38, 1ul << 62, -4096ul, -1ul,
				   (unsigned long)pages + 1000, /* a good one */
				   (unsigned long)pages + 4096 - 9,
				   (unsigned long)pages + 4096 - 4, /* has no end */
				   (unsigned long)pages + 4096, (unsigned long)pages + 8192,
				   (unsigned long)pages + 8192 - 4 };

	for (unsigned i = 0; i < sizeof(places) / sizeof(*places); i++) {
		unsigned long at = places[i];

		call(SYS_openat, (unsigned long)AT_FDCWD, at, O_RDONLY, 0);
		call(SYS_openat, 99, at, O_RDONLY, 0);
		call(SYS_execve, at, at, at, 0);
		call(SYS_execve, (unsigned long)pages + 1000, at, 0, 0);
		call(SYS_execve, (unsigned long)pages + 1000, 0, at, 0);
		if (at != (unsigned long)pages + 1000) { /* that one has a handler */
			call(SYS_rt_sigaction, SIGUSR1, at, 0, 8);
			call(SYS_rt_sigaction, 99, at, 0, 8);
			call(SYS_rt_sigaction, SIGUSR1, 0, at, 8);
		}
		call(SYS_unlinkat, (unsigned long)AT_FDCWD, at, 0, 0);
		call(SYS_readlinkat, (unsigned long)AT_FDCWD, at, at, 100);
		call(SYS_chdir, at, 0, 0, 0);
		call(SYS_prctl, PR_SET_NAME, at, 0, 0);
		call(SYS_write, 1, at, 0, 0);
		call(SYS_mmap, at, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS);
		call(SYS_munmap, at, 0, 0, 0);
		call(9999, at, at, at, at);
	}
	printf("pointers %016lx\n", sum);
	return 0;
}
