// SPDX-License-Identifier: GPL-2.0-or-later
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
	if (!atomic_load(&board->sleeping))
		return;
	atomic_fetch_add(&board->doorbell, 1);
	futex_wake_all(&board->doorbell);
}

bool collector_is_gone(void)
{
	return atomic_load(&board->over) || pid_is_gone(collector);
}
