// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first process of a recording is the one that a shell waits for. Its end must not
 * become visible before the trace file is complete, so the collector holds it: it
 * attaches with ptrace() to one idle thread of the process, and a process is not gone
 * before all of its threads are. Where the kernel refuses that, the plugin's exit
 * callback waits instead.
 *
 * The protocol is a state in shared memory: HOLD_ASKED by the plugin, then HOLD_GIVEN or
 * HOLD_REFUSED by the collector. Every wait ends when the collector is gone.
 */
#include "plugin/core/hold.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/futex.h"
#include "plugin/core/doorbell.h"
#include "plugin/core/link.h"
#include "plugin/core/notice.h"

#define ENDING_MS 1000
#define STATUS_NO_GUEST 2 /* of `waymark record`, when QEMU does not start the guest */

static bool of_machine; /* the guest is one */

static pid_t first; /* the first process, in it and in the children it forks; else 0 */

static _Atomic bool ending; /* a thread calls exit_group() */

/* The hold if this is the first process, else NULL. */
static struct hold *find_hold(void)
{
	return first && first == getpid() ? &slot_board()->hold : NULL;
}

/*
 * QEMU's own helper thread, which it creates before it loads plugins: the oldest thread
 * besides this one. It never runs guest code, so holding it does not slow the guest down.
 * 0: there is none.
 */
static uint32_t find_thread(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *entry;
	unsigned long oldest = 0;

	while (tasks && (entry = readdir(tasks))) {
		unsigned long tid = strtoul(entry->d_name, NULL, 10);

		if (tid && tid != (unsigned long)gettid() && (!oldest || tid < oldest))
			oldest = tid;
	}
	if (tasks)
		closedir(tasks);
	return (uint32_t)oldest;
}

/*
 * QEMU exits without having run the guest: `record` then fails. Of a program the recorder says so; a
 * machine may have been told to end, and then QEMU has said nothing.
 */
static void end_unstarted(void)
{
	const struct hold *hold = find_hold();

	if (!hold || !hold->judges || link_has_begun())
		return;
	if (of_machine && !notice_was_given())
		notice("the machine did not run, so nothing was recorded");
	/* _exit(), because a handler of exit() must not call exit() again. */
	_exit(STATUS_NO_GUEST);
}

void hold_ask(bool is_machine)
{
	struct hold *hold = &slot_board()->hold;

	of_machine = is_machine;
	/*
	 * Only the first process is held. After execve() it has the same id and asks
	 * again.
	 */
	if (hold->pid != slot_arena()->header.guest_pid)
		return;
	first = getpid();
	/* A later program, after execve(), has an exit status of its own. */
	if (hold->judges && !atomic_load(&hold->tid))
		atexit(end_unstarted);
	/* execve() that succeeded has not returned to hold_becoming(false). */
	atomic_store(&hold->leaving, 0);
	atomic_store(&hold->becoming, 0);
	atomic_store(&hold->waits, 0);
	atomic_store(&hold->tid, find_thread());
	/* The Yama security module wants consent to ptrace(). */
	prctl(PR_SET_PTRACER, (unsigned long)slot_board()->collector_pid, 0, 0, 0);
	/* Last: the collector reads `tid` when it sees this state. */
	atomic_store(&hold->state, HOLD_ASKED);
	futex_wake_all(&hold->state);
	while (atomic_load(&hold->state) == HOLD_ASKED && !collector_is_gone())
		futex_wait(&hold->state, HOLD_ASKED, COLLECTOR_POLL_MS);
}

void hold_becoming(bool is)
{
	struct hold *hold = find_hold();

	if (!hold)
		return;
	if (!is) {
		atomic_fetch_sub(&hold->leaving, 1);
		atomic_fetch_sub(&hold->becoming, 1);
		return;
	}
	/* Threads count: one that fails must not hide that another one succeeds. */
	atomic_fetch_add(&hold->becoming, 1);
	/* hold_ending() reads in the opposite order: one of the two sees the other. */
	if (!atomic_load(&ending))
		return;
	atomic_fetch_sub(&hold->becoming, 1);
	for (;;)
		pause();
}

void hold_leaving(void)
{
	struct hold *hold = find_hold();

	if (hold)
		atomic_fetch_add(&hold->leaving, 1);
}

void hold_ending(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct hold *hold = find_hold();

	if (!hold)
		return;
	atomic_store(&ending, true);
	/*
	 * A call that takes longer is one of a file system that does not answer, or of a
	 * thread that a busy machine does not run. The collector could then take the end
	 * of the process for the success of that execve(), so the exit callback waits.
	 */
	for (int i = 0; i < ENDING_MS && atomic_load(&hold->becoming); i++)
		nanosleep(&moment, NULL);
	if (atomic_load(&hold->becoming))
		atomic_store(&hold->waits, 1);
}

void hold_late(void)
{
	const struct hold *hold = find_hold();

	if (hold && atomic_load(&hold->waits))
		for (;;)
			pause();
}

bool hold_waits(void)
{
	const struct hold *hold = find_hold();

	/*
	 * A process that is held (HOLD_GIVEN) may exit: the kernel keeps it visible until
	 * the collector lets go. The exceptions are a status to replace, which only the
	 * process itself can do, and threads that are still in execve().
	 */
	return hold && link_alive() &&
	       (atomic_load(&hold->state) != HOLD_GIVEN ||
		((hold->judges == JUDGES_END || atomic_load(&hold->waits)) &&
		 atomic_load(&slot_arena()->header.exits)));
}

int32_t hold_thread(void)
{
	const struct hold *hold = find_hold();

	return hold ? (int32_t)atomic_load(&hold->tid) : 0;
}

void hold_wait(void)
{
	struct board *board = slot_board();
	int status;

	while (!atomic_load(&board->over) && !collector_is_gone())
		futex_wait(&board->over, 0, COLLECTOR_POLL_MS);
	status = atomic_load(&board->hold.status);
	/*
	 * Without `over` the collector has died before it decided, so the guest's own
	 * status stands.
	 */
	if (atomic_load(&board->over) && status >= 0)
		_exit(status);
}
