/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following execve() and execveat(). QEMU passes them to the host's kernel, which can run a foreign
 * program only with binfmt_misc, and then without this plugin. So the plugin does it: the
 * process becomes the same QEMU with the same options and this plugin.
 */
#ifndef PLUGIN_USER_EXEC_H
#define PLUGIN_USER_EXEC_H

#include <stddef.h>
#include <stdint.h>

#include "plugin/user/abi.h"
#include "plugin/user/qemu_line.h"

/* line: as qemu_line_read() returned it. memory: the path of the shared memory. */
void exec_init(const struct abi *abi, const struct qemu_line *line, const char *memory);
/*
 * The guest calls execve() or execveat(), which has that number in its ABI, with args[5]. Does
 * not return when the file is a program of this ISA, or a script for one. Returns otherwise, and
 * when QEMU, the plugin, the shared memory or the program may not be opened any more: then QEMU
 * makes the call, and the process is counted as lost; so it is with execveat() where QEMU may
 * not have it. Returns, too, when a signal waits in QEMU: QEMU then calls its handler, and the
 * guest calls again.
 */
void exec_follow(int64_t number, const uint64_t *args);
/* QEMU's execve() has returned to the guest: the process goes on as it was. */
void exec_failed(void);

#endif
