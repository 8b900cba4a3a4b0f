/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads of a machine's Linux kernel and their processes: which hart runs which
 * thread is told to the collector, so a stream is a thread, and not what a hart executes.
 */
#ifndef PLUGIN_SYSTEM_TASKS_H
#define PLUGIN_SYSTEM_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/guest_linux.h"
#include "plugin/qemu_api.h"

/*
 * Before the machine, which has `harts`, runs. What the layout does not know is not
 * followed; without any, page tables are.
 */
void tasks_init(const struct guest_linux *layout, unsigned harts);
/* Adds callbacks to a block where the kernel says what it does. Under link_lock(). */
void tasks_instrument(struct qemu_plugin_tb *tb);

/*
 * The mode that the last event of the hart's thread has, plus 1, or 0; NULL: no thread is
 * known. The hart itself may write it.
 */
uint8_t *tasks_told_mode(unsigned hart);

/*
 * The hart translates addresses by the page table at `root`, 0 for none, from its next block
 * on. Where threads are not followed, what it runs under a table is a stream and a space of
 * its own. Under link_lock().
 */
void tasks_turn_to_table(unsigned hart, uint64_t root);

/* The machine has started again: no thread has the address that it had. Under link_lock(). */
void tasks_forget(void);
/* The hart has started again, too: it goes on with its own thread, as at first. As above. */
void tasks_restart(unsigned hart);

/* The space of what the hart runs: its number in messages. The hart itself may ask. */
uint32_t tasks_space(unsigned hart);

/*
 * The calls that the thread which the hart runs has noted (plugin/core/returns.h); NULL: which
 * that is is not known. The hart itself may ask, and change them.
 */
struct returns **tasks_calls(unsigned hart);

/* The system call that a thread is in. */
struct tasks_call {
	bool begun; /* its ecall was come to */
	uint64_t number;
	uint64_t from; /* where that is; 0: it has not trapped yet */
};
/* Of the thread that the hart runs; NULL: which that is is not known. Under link_lock(). */
struct tasks_call *tasks_call(unsigned hart);

#endif
