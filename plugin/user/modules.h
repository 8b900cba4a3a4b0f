/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells the collector which files the guest's code comes from. */
#ifndef PLUGIN_USER_MODULES_H
#define PLUGIN_USER_MODULES_H

#include "plugin/user/abi.h"
#include "plugin/user/maps.h"

/*
 * Where code at guest `address`, at `host` in this process, comes from. Sends a message
 * when that is new. Callers hold link_lock().
 */
struct code_origin modules_find(uint64_t address, const void *host);

/* A system call is over: it may have mapped or unmapped something. Takes the lock. */
void modules_syscall(const struct abi *abi, int64_t number, const uint64_t *args,
		     int64_t value);

#endif
