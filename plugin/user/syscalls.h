/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's system calls: each is an event, and some change what must be known of the
 * guest: handlers, threads' names, programs, mappings.
 */
#ifndef PLUGIN_USER_SYSCALLS_H
#define PLUGIN_USER_SYSCALLS_H

#include "plugin/qemu_api.h"
#include "plugin/user/abi.h"

/*
 * `retranslate` is called when a handler was installed at a place that may have been
 * translated as ordinary code before.
 */
void syscalls_init(const char *isa, const struct abi *abi,
		   void (*retranslate)(uint64_t address));
/* Registers the callbacks. */
void syscalls_register(qemu_plugin_id_t id);
/* The thread that runs vCPU `vcpu` ends. */
void syscalls_thread_ends(unsigned vcpu);

#endif
