// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Without FUTEX_PRIVATE_FLAG, so a word in shared memory works between processes. All
 * waits have a timeout: a waker that has died must not stop its waiters.
 */
#include "base/futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void futex_wait(_Atomic uint32_t *word, uint32_t value, unsigned timeout_ms)
{
	struct timespec timeout = {
		.tv_sec = timeout_ms / 1000,
		.tv_nsec = (long)(timeout_ms % 1000) * 1000000,
	};

	/*
	 * The result is ignored: a wake-up, a timeout, a signal and a word that has
	 * changed all mean the same, that the caller must look again.
	 */
	syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

void futex_wake_all(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
