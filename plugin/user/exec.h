/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following execve(). QEMU hands a new program to the host's kernel, which runs a foreign
 * one only where binfmt_misc is set up, and then without this plugin. So the plugin does
 * it: the process becomes the same QEMU with the same options and this plugin again.
 */
#ifndef PLUGIN_USER_EXEC_H
#define PLUGIN_USER_EXEC_H

#include <stddef.h>
#include <stdint.h>

#include "plugin/user/abi.h"

/*
 * Remembers how QEMU was started, from /proc/self; the guest program's path goes to
 * program[size].
 */
void exec_init(const struct abi *abi, char *program, size_t size);
/*
 * The guest calls execve(path, argv, envp), by guest addresses. Does not return when the
 * file is a program of this ISA, or a script for one. Otherwise, and where QEMU, the plugin
 * or the recorder is out of the process's reach, QEMU does what it does.
 */
void exec_follow(uint64_t path, uint64_t argv, uint64_t envp);

#endif
