/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has an arena mapped, as the kernel knows it: /proc/PID/maps of every process that may
 * be looked at. That takes milliseconds, so it is for what counters and pids cannot tell.
 */
#ifndef COLLECT_USERS_H
#define COLLECT_USERS_H

#include "collect/memory.h"

/* A process that has the arena at `place` mapped, neither this one nor `except`; 0: none. */
uint32_t users_of(const struct memory *memory, uint32_t place, uint32_t except);

#endif
