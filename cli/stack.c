// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `waymark record` runs where the program would run, so it inherits a stack as small as the
 * program's: with `ulimit -s 64`, 64 kB. Our functions and libdw's need more, and the recorder
 * would end by SIGSEGV. The limit itself stays as it is: the program inherits it, and most
 * users cannot raise it. It applies to the stack that the kernel made, and not to other
 * memory. So the command runs on a stack of its own in the same thread, and everything that
 * belongs to the thread (its id, its signal mask, PR_SET_PDEATHSIG) is the same. A forked child
 * stays on that stack. QEMU gets a new one by execve().
 *
 * glibc makes the stacks of threads as large as the limit was when the process began.
 */
#include "cli/stack.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#define STACK_BYTES ((size_t)8 << 20)
#define GUARD_BYTES ((size_t)64 << 10) /* at least a page of any host's */

/* makecontext() passes only integers. */
static struct {
	int (*run)(int argc, char **argv);
	int argc;
	char **argv;
	int result;
} call;

static void call_it(void)
{
	call.result = call.run(call.argc, call.argv);
}

static void enlarge_threads(void)
{
	pthread_attr_t attr;

	if (pthread_attr_init(&attr))
		return;
	if (!pthread_attr_setstacksize(&attr, STACK_BYTES))
		pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
}

int stack_call(int (*run)(int argc, char **argv), int argc, char **argv)
{
	static ucontext_t here, there;
	struct rlimit limit;
	char *stack;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_BYTES)
		return run(argc, argv);
	enlarge_threads();
	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED || getcontext(&there))
		return run(argc, argv);
	mprotect(stack, GUARD_BYTES, PROT_NONE);
	call.run = run;
	call.argc = argc;
	call.argv = argv;
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK_BYTES;
	there.uc_link = &here;
	makecontext(&there, call_it, 0);
	if (swapcontext(&here, &there))
		return run(argc, argv);
	return call.result;
}
