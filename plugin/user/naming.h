/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread names another one: pthread_setname_np() writes to /proc/self/task/TID/comm. */
#ifndef PLUGIN_USER_NAMING_H
#define PLUGIN_USER_NAMING_H

#include <stdint.h>

#include "plugin/user/abi.h"

/* Before and after each system call of the calling thread. Sends a name that was written. */
void naming_call(const struct abi *abi, int64_t number, const uint64_t *args);
void naming_returned(const struct abi *abi, int64_t number, const uint64_t *args,
		     int64_t value);

#endif
