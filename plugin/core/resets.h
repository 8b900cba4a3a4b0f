/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU's reset of a plugin, which throws all translations away while no thread runs any. */
#ifndef PLUGIN_CORE_RESETS_H
#define PLUGIN_CORE_RESETS_H

#include "plugin/qemu_api.h"

/* The id that has the callbacks. */
void resets_init(qemu_plugin_id_t id);
/* An id of ours that has none: the one that is reset, if there is one. May come first. */
void resets_keep_spare(qemu_plugin_id_t id);

/*
 * Has QEMU throw all translations away and call `again` when the calling thread has left its
 * block, or returned from its system call. Does nothing while an earlier request is due.
 */
void resets_ask(void (*again)(void));
/*
 * Any thread, now and then while a request is due: takes it over from a thread that made it in a
 * system call, and may sleep there.
 */
void resets_hasten(void);

/* This thread's system call begins, or has returned. */
void resets_call_begins(void);
void resets_call_ends(void);
/* The last thing that a thread does: waits for a reset that is about to be done. */
void resets_thread_ends(void);

/* In a forked child, which has no thread but this one: QEMU never does what was due there. */
void resets_begin_child(void);
/* Whether a reset can be asked for: not in some children of such a child. */
bool resets_possible(void);

#endif
