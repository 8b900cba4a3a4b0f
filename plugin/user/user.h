/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User-mode emulation: the guest is one process of Linux, whose memory is in this one. */
#ifndef PLUGIN_USER_USER_H
#define PLUGIN_USER_USER_H

#include "plugin/core/emulation.h"
#include "plugin/user/abi.h"

extern const struct emulation user_emulation;

/*
 * The guest's system calls (plugin/user/syscalls.c). Each is an event; some change what
 * the plugin knows of the guest: handlers, names of threads, programs, mappings.
 * `retranslate` is called when a handler was installed whose address may have been
 * translated as ordinary code before.
 */
void syscalls_init(const char *isa, const struct abi *abi,
		   void (*retranslate)(uint64_t address));
/* Registers the callbacks. */
void syscalls_register(void);
/* Only follows execve(); `memory` is the path of the shared memory that cannot be used. */
void user_untraced(qemu_plugin_id_t id, const char *target, const char *memory);
/* The thread that runs vCPU `vcpu` ends. */
void syscalls_thread_ends(unsigned vcpu);

#endif
