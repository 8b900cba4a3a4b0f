/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first process of a recording: what it agrees with the collector about its own end
 * (see collect/warden.c). In all other processes these functions do nothing.
 */
#ifndef PLUGIN_CORE_HOLD_H
#define PLUGIN_CORE_HOLD_H

#include <stdbool.h>

/* Before the guest runs: offers the collector a thread to hold, and waits for its answer. */
void hold_ask(void);
/* The process is in execve(), or has returned from it. */
void hold_becoming(bool is);
/*
 * The guest has ended and the process is about to: whether it must wait before that, because
 * nobody holds it, or because its exit status may be another one. To be asked before the
 * collector knows of the end, for then it takes the arena back.
 */
bool hold_waits(void);
/* Waits until the file is complete. Does not return when the exit status is another one. */
void hold_wait(void);

#endif
