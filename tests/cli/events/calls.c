// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that succeed and fail, signals of three kinds, a named thread, a child. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static void on_message(int signal)
{
	(void)signal;
}

static void *work(void *nothing)
{
	pthread_setname_np(pthread_self(), "worker");
	getppid();
	return nothing;
}

static void fault(void)
{
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &action, NULL);
	if (!sigsetjmp(back, 1))
		*(volatile int *)16 = 1;
}

int main(void)
{
	pthread_t thread;
	char buffer[16];

	signal(SIGUSR1, on_message);
	signal(SIGRTMIN + 3, on_message);
	if (open("/nonexistent/file", O_RDONLY | O_CLOEXEC) >= 0 ||
	    openat(AT_FDCWD, "/dev/null/x", O_WRONLY | O_CREAT | O_TRUNC, 0644) >= 0)
		return 1;
	if (read(99, buffer, sizeof(buffer)) >= 0 || lseek(99, -5, SEEK_CUR) >= 0)
		return 1;
	if (mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return 1;
	raise(SIGUSR1);
	raise(SIGRTMIN + 3);
	fault();
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	/* Not by fork(), which makes other system calls in other versions of the C library. */
	if (!syscall(SYS_clone, SIGCHLD, 0, NULL, NULL, 0))
		syscall(SYS_exit_group, 5);
	wait(NULL);
	return 3;
}
