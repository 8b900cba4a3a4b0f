/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads of a machine's Linux kernel and their processes: which hart runs which
 * thread is told to the collector, so a stream is a thread, and not what a hart executes.
 */
#ifndef PLUGIN_SYSTEM_TASKS_H
#define PLUGIN_SYSTEM_TASKS_H

#include <stdint.h>

#include "format/guest_linux.h"
#include "plugin/qemu_api.h"

/*
 * Before the machine, which has `harts`, runs. What the layout does not know is not
 * followed.
 */
void tasks_init(const struct guest_linux *layout, unsigned harts);
/* Adds callbacks to a block where the kernel says what it does. Under link_lock(). */
void tasks_instrument(struct qemu_plugin_tb *tb);

#endif
