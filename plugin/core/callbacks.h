/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The callbacks that QEMU makes for the plugin as a whole, with the arguments that it uses:
 * what QEMU passes besides differs between versions of its API. (Callbacks of a block, an
 * instruction or an access are registered with QEMU itself: those are the same in all
 * versions, and on the path of code that runs.)
 *
 * Each kind has one function. Registered again, or with another one, it replaces that. A reset
 * may take all of them away (plugin/core/resets.h).
 */
#ifndef PLUGIN_CORE_CALLBACKS_H
#define PLUGIN_CORE_CALLBACKS_H

#include "plugin/qemu_api.h"

/* Before all others: under which id QEMU knows the plugin. */
void callbacks_begin(qemu_plugin_id_t id);

/* A vCPU begins, or ends; on its own thread. (On the parent's when it begins, in 7.2.) */
void callbacks_on_vcpu(void (*begins)(unsigned vcpu), void (*ends)(unsigned vcpu));
/* A vCPU stops or waits, on its own thread. (Not where one thread runs all.) */
void callbacks_on_idle(void (*waits)(unsigned vcpu));
/* QEMU translates a block. */
void callbacks_on_translation(void (*translated)(struct qemu_plugin_tb *tb));
/* In a reset: no callback for translations any more. */
void callbacks_off_translation(void);
/* QEMU has thrown all translated code away; no vCPU runs any. */
void callbacks_on_flush(void (*flushed)(void));
/* QEMU exits in order. */
void callbacks_on_exit(void (*exits)(void));
/* User mode: before a system call with args[6], and after one that returned `value`. */
void callbacks_on_syscall(void (*before)(unsigned vcpu, int64_t number,
					 const uint64_t args[]),
			  void (*after)(unsigned vcpu, int64_t number, int64_t value));
/* Whether QEMU says where a hart leaves code without a branch. */
bool callbacks_have_discontinuities(void);
void callbacks_on_discontinuity(void (*left)(unsigned vcpu,
					     enum qemu_plugin_discon_type type,
					     uint64_t from, uint64_t to));

#endif
