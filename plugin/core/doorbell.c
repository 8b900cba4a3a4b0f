// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The plugin adds 1 to `doorbell` and wakes the collector only while `sleeping` is set,
 * so ringing costs one load in the usual case. Both sides tolerate a lost wake-up: the
 * collector sleeps with a timeout, and so does everyone who waits for it here.
 */
#include "plugin/core/doorbell.h"

#include "base/futex.h"
#include "base/pid.h"

static struct board *board;
static uint32_t collector; /* a copy: the guest may write to the board */

void doorbell_init(struct board *shared)
{
	board = shared;
	collector = board->collector_pid;
}

void doorbell_ring(void)
{
	/*
	 * Callers have stored what they ring for. The collector stores `sleeping` and
	 * looks for work once more before it sleeps, so either it sees the work or this
	 * load sees `sleeping`; the timeouts cover what reordered stores can still hide.
	 */
	if (!atomic_load(&board->sleeping))
		return;
	atomic_fetch_add(&board->doorbell, 1);
	futex_wake_all(&board->doorbell);
}

bool collector_is_gone(void)
{
	/*
	 * `over` counts too: a collector that has completed the file takes nothing more
	 * from the rings, so waiting for it would be in vain while its process still
	 * lives.
	 */
	return atomic_load(&board->over) || pid_is_gone(collector);
}
