// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU ends a process in steps: it removes the callbacks of plugins and all translations,
 * calls the plugins' last callback, and then the kernel. Other threads run on in between,
 * without callbacks. So in exit_group() the plugin calls the kernel itself: the process ends as
 * it does when it is killed, and all that its threads have run is in the shared memory. A
 * process that must wait until its file is complete (hold_waits()) stops its threads first.
 *
 * QEMU 9.0 and newer take the same steps before a signal ends the process, and the plugin
 * hears of that in its last callback only. It stops the other threads then. They were all
 * outside of blocks while the callbacks were removed, so most have not begun another one.
 *
 * All that only where nobody else hears of the end from QEMU (ends_unheard in qemu_line.h).
 */
#include "plugin/user/ending.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/arena.h"
#include "plugin/core/hold.h"
#include "plugin/core/link.h"
#include "plugin/core/slot.h"
#include "plugin/user/halt.h"

static bool unheard;

static void note_status(uint64_t status)
{
	struct arena_header *header = &slot_arena()->header;

	atomic_store(&header->exit_status, (uint32_t)status);
	/* After the status: the collector reads `exits` first. */
	atomic_store(&header->exits, 1);
}

void ending_init(const struct qemu_line *line)
{
	unheard = line && line->ends_unheard;
}

/* The collector may clear the memory afterwards, and other threads use it. */
static void leave(void)
{
	halt_others(hold_thread());
	link_exit();
}

void ending_exit_group(uint64_t status)
{
	hold_ending();
	if (!link_alive())
		return;
	note_status(status);
	if (!unheard)
		return;
	if (hold_waits()) {
		leave();
		hold_wait();
	}
	syscall(SYS_exit_group, (int)status);
}

void ending_now(void)
{
	leave();
	_exit(0);
}

void ending_last(void)
{
	if (unheard)
		halt_others(hold_thread());
}
