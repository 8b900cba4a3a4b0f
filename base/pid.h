/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel knows of a process, by its id. */
#ifndef BASE_PID_H
#define BASE_PID_H

#include <stdbool.h>
#include <stdint.h>

/* Whether process `pid` has ended, waited for by its parent or not. */
bool pid_is_gone(uint32_t pid);
/* Whether the process has a handler for that signal; false when that cannot be read. */
bool pid_catches(uint32_t pid, int signal);
/* The process id of its parent; 0: not known. */
uint32_t pid_parent(uint32_t pid);
/*
 * How a process ended that nobody has waited for yet, as wait() will report it; -1 when it
 * lives, and when this is not known.
 */
int pid_zombie_status(uint32_t pid);

#endif
