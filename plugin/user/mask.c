// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A signal that arrives while translated code runs waits in QEMU: QEMU notes it, blocks all
 * signals, and calls the guest's handler as soon as the block is left. The block may end in
 * execve(). At that moment an execve() would lose the signal, and the next program would begin
 * with all signals blocked. QEMU's own call does nothing then: the handler runs, and the guest
 * calls again. A signal that arrives later waits in the kernel, for the next program.
 *
 * Invariant: the kernel has signals 32 and 33 as blocked only while a signal waits in QEMU.
 * The C library, by which QEMU sets all other masks, keeps these two for itself.
 */
#include "plugin/user/mask.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(signal) (1ull << ((signal)-1))
#define OF_LIBRARY (BIT(32) | BIT(33))

/* The process was started with such a mask: it does not tell what QEMU does. */
static bool inherited;

static uint64_t change(int how, const uint64_t *mask)
{
	uint64_t old = 0;

	/* Not sigprocmask(), which leaves out the two signals. */
	syscall(SYS_rt_sigprocmask, how, mask, &old, sizeof(old));
	return old;
}

void mask_begin(const char *hex)
{
	if (hex)
		mask_set(strtoull(hex, NULL, 16));
	inherited = change(SIG_BLOCK, NULL) & OF_LIBRARY;
}

bool mask_take(uint64_t *mask)
{
	/* A fault of ours must not hang: what the processor raises is not blocked. */
	const uint64_t all = ~(BIT(SIGSEGV) | BIT(SIGBUS));

	*mask = change(SIG_BLOCK, &all);
	if (inherited || !(*mask & OF_LIBRARY))
		return true;
	mask_set(*mask);
	return false;
}

void mask_set(uint64_t mask)
{
	change(SIG_SETMASK, &mask);
}
