/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the first process of a recording from ending before the trace file is complete
 * (see collect/warden.c). In all other processes these functions do nothing.
 */
#ifndef PLUGIN_CORE_HOLD_H
#define PLUGIN_CORE_HOLD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Before the guest runs: offers the collector a thread to hold, and waits for its answer.
 */
void hold_ask(bool is_machine);
/* The calling thread is in execve(), or (false) has returned from it. */
void hold_becoming(bool is);
/* Once between these two: the next program, if there is one, will not be recorded. */
void hold_leaving(void);
/*
 * The guest calls exit_group(). Of this and execve() of other threads the recorder must see one
 * only: waits a second until such a call has failed, or has ended this thread.
 */
void hold_ending(void);
/* Just before the kernel's execve(): does not return when hold_ending() has waited in vain. */
void hold_late(void);
/*
 * The guest has ended and the process is about to. True when it must wait first: because
 * nobody holds it, because a thread is still in execve(), or because `record` may replace its
 * exit status. Call this before link_exit(): after that the collector may take the arena back.
 */
bool hold_waits(void);
/* The thread of this process that the collector traces, which must get no signal; 0: none. */
int32_t hold_thread(void);
/* Waits until the file is complete. Exits when `record` replaces the exit status. */
void hold_wait(void);

#endif
