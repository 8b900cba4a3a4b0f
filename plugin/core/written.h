/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What instructions write to registers, recorded after each of them (VALUE_WRITTEN).
 */
#ifndef PLUGIN_CORE_WRITTEN_H
#define PLUGIN_CORE_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/core/emulation.h"
#include "plugin/qemu_api.h"

struct tb_code;

/* Before anything else: QEMU's name of the guest. Until then nothing is recorded. */
void written_init(const char *target_name, const struct emulation *emulation);
/* Whether anything is. */
bool written_wanted(void);

/*
 * Registers callbacks at what begins with instruction `first` of the translation, before
 * any that store an id there: what the instruction before has written comes first.
 */
void written_register_end(struct qemu_plugin_tb *tb, uint32_t first);
/*
 * Before that, where the instruction is an atomic operation that QEMU may leave without a word and
 * begin again: then it has written nothing yet.
 */
void written_register_again(struct qemu_plugin_tb *tb, uint32_t first);
/*
 * The same for the instructions of a block, after those that store its id. Without memory
 * they are left out. Callers hold link_lock().
 */
void written_register(const struct qemu_plugin_tb *tb, const struct tb_code *tb_code,
		      uint32_t id);

/* The thread left its block at `pc`: that instruction has written nothing. */
void written_left(uint64_t pc);
/* The thread makes a system call: what its last instruction changes is the kernel's. */
void written_called(unsigned vcpu);
/*
 * A machine's hart traps, by an exception of the instruction at `pc` or an interrupt. read() has
 * registers as they were before: how many words, 0: not known. NULL: they are as they were. In a
 * callback with registers.
 */
void written_trapped(unsigned hart, uint64_t pc, bool is_exception,
		     unsigned (*read)(const void *trap, unsigned number,
				      uint64_t words[2]),
		     const void *trap);
/*
 * A signal arrived, and the thread's registers are not its own any more: read() has those
 * that it was interrupted with, by number: how many words, 0: not known.
 */
void written_interrupted(unsigned vcpu,
			 unsigned (*read)(const void *frame, unsigned number,
					  uint64_t words[2]),
			 const void *frame);

#endif
