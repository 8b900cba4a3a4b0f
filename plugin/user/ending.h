// SPDX-License-Identifier: GPL-2.0-or-later
/* The end of a process by exit_group(). */
#ifndef PLUGIN_USER_ENDING_H
#define PLUGIN_USER_ENDING_H

#include <stdint.h>

#include "plugin/user/qemu_line.h"

/* line: as qemu_line_read() returned it. */
void ending_init(const struct qemu_line *line);
/*
 * The guest calls exit_group(status). Ends the process, or returns where QEMU has to do more
 * than that.
 */
void ending_exit_group(uint64_t status);
/* All is recorded that was to be: ends the process. */
void ending_now(void);
/* QEMU calls the plugin's last callback, after it has taken the other ones away. */
void ending_last(void);

#endif
