// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two ids. A reset takes an id's callbacks away, and a thread that is in a system call goes on
 * meanwhile: it would miss a callback, or call one that QEMU has just freed. So QEMU loads the
 * plugin a second time, under another path (collect/launch.c), and resets this spare, which has no
 * callbacks. One that was loaded by hand has no spare and is reset itself.
 *
 * QEMU does a reset when the vCPU that asked leaves its block, and refuses further requests until
 * then. If another thread forks before, the child does not have that vCPU: QEMU never does the reset
 * there, and refuses all others of that id. Such a child has the plugin's own id reset. A child of it
 * that is forked in the same way has no id left.
 *
 * Threads that end. QEMU 7.2 frees a vCPU's table of next blocks first, and only then takes the vCPU
 * out of its list. Whoever throws translations away meanwhile writes zeros to all tables of
 * the list, also to the freed one. So either waits for the other: a thread that ends for a reset
 * that is about to be done, and who asks for one for the thread that is ending, which is one at most
 * because QEMU has a lock for that. Each tells first and looks then (sequentially consistent), so
 * one of them sees the other; if both do, the thread that ends steps back.
 *
 * Who asks within a system call may sleep there for long, and QEMU would do the reset only then.
 * So QEMU is asked later: by the first thread that looks in a block or returns from a call.
 * Whoever wanted it and returns after that waits for the reset: it must not go on in code that is
 * to be thrown away.
 */
#include "plugin/core/resets.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/futex.h"

enum {
	FREES_EARLY = QEMU_PLUGIN_API < 2, /* 7.2 takes no other; 8.0 is mended */
	WAIT_MS = 1,			   /* between two looks */
	ENDING_MS = 1000,		   /* no thread takes that long to end */
	RESET_MS = 1000,		   /* nor one to leave its block */
};

static qemu_plugin_id_t plugin, spare;
static bool uses_spare;
static bool possible = true; /* an id is left */
static void (*reset_done)(void);

static _Atomic uint32_t due;		   /* enum due */
enum due { DUE_NONE, DUE_LATER, DUE_NOW }; /* later: QEMU has not been asked yet */
static _Atomic uint32_t ending;		   /* id of the thread that is, or 0 */

static __thread __attribute__((tls_model("initial-exec"))) struct {
	bool in_call;
	bool asked; /* in this call */
} thread;

void resets_init(qemu_plugin_id_t id)
{
	plugin = id;
}

void resets_keep_spare(qemu_plugin_id_t id)
{
	spare = id;
	uses_spare = true;
}

/* Waits for the thread that is ending, unless that one waits for the reset. */
static void wait_for_ending(void)
{
	uint32_t tid = FREES_EARLY ? atomic_load(&ending) : 0;

	for (unsigned ms = 0; tid && ms < ENDING_MS; ms += WAIT_MS) {
		if (syscall(SYS_tgkill, getpid(), tid, 0))
			return;
		futex_wait(&ending, tid, WAIT_MS);
		if (atomic_load(&ending) != tid)
			return;
	}
}

static void on_reset QEMU_RESET_PARAMETERS
{
	QEMU_UNUSED();
	atomic_store(&due, DUE_NONE);
	futex_wake_all(&due);
	reset_done();
}

/* Asks QEMU if that was put off; whether it did. */
static bool ask_now(void)
{
	uint32_t later = DUE_LATER;

	if (atomic_load_explicit(&due, memory_order_relaxed) != DUE_LATER)
		return false;
	if (!atomic_compare_exchange_strong(&due, &later, DUE_NOW))
		return false;
	wait_for_ending();
	qemu_plugin_reset(uses_spare ? spare : plugin, on_reset QEMU_NO_DATA);
	return true;
}

void resets_ask(void (*again)(void))
{
	uint32_t none = DUE_NONE;

	if (!possible)
		return;
	reset_done = again;
	atomic_compare_exchange_strong(&due, &none, DUE_LATER);
	thread.asked = thread.in_call;
	resets_hasten();
}

void resets_hasten(void)
{
	if (!thread.in_call)
		ask_now();
}

void resets_call_begins(void)
{
	thread.in_call = true;
}

/* Waits for a reset that another thread has asked for, which has no more than its block to run. */
static void wait_for_reset(void)
{
	for (unsigned ms = 0; atomic_load(&due) == DUE_NOW && ms < RESET_MS;
	     ms += WAIT_MS)
		futex_wait(&due, DUE_NOW, WAIT_MS);
}

void resets_call_ends(void)
{
	thread.in_call = false;
	if (!ask_now() && thread.asked)
		wait_for_reset();
	thread.asked = false;
}

void resets_thread_ends(void)
{
	uint32_t tid = (uint32_t)gettid();

	while (FREES_EARLY) {
		atomic_store(&ending, tid);
		if (atomic_load(&due) != DUE_NOW)
			break;
		atomic_store(&ending, 0);
		futex_wake_all(&ending);
		futex_wait(&due, DUE_NOW, WAIT_MS);
	}
}

void resets_begin_child(void)
{
	if (atomic_exchange(&due, DUE_NONE) == DUE_NOW) {
		possible = uses_spare;
		uses_spare = false;
	}
	atomic_store(&ending, 0);
	thread.asked = false;
}

bool resets_possible(void)
{
	return possible;
}
