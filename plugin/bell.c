// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/bell.h"

#include "base/futex.h"
#include "base/pid.h"

static struct board *board;
static uint32_t collector; /* a copy: the guest may write to the board */

void bell_init(struct board *shared)
{
	board = shared;
	collector = board->collector_pid;
}

void bell_ring(void)
{
	if (!atomic_load(&board->sleeping))
		return;
	atomic_fetch_add(&board->doorbell, 1);
	futex_wake_all(&board->doorbell);
}

bool bell_is_dead(void)
{
	return atomic_load(&board->over) || pid_is_gone(collector);
}
