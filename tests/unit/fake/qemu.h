/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A QEMU without a translator, for tests of the plugin. It implements the functions of
 * plugin/qemu_api.h, in the version that the test is built for. A test says of which
 * instructions blocks are made, and which thread enters them; the fake calls what the
 * plugin registered, in QEMU's order.
 *
 * As in QEMU, a block is translated when it is first entered, and again after
 * qemu_plugin_reset(), which takes effect when the block that runs is over, or when a test
 * says that all threads have stopped for it.
 */
#ifndef TESTS_UNIT_FAKE_QEMU_H
#define TESTS_UNIT_FAKE_QEMU_H

#include <stddef.h>
#include <stdint.h>

#include "plugin/qemu_api.h"

/*
 * What is translated at `address` from now on: an instruction for each digit of `sizes`,
 * which says its bytes. `code` has these bytes, or is NULL: then they are RISC-V's nops,
 * numbered so that no two are alike. Code that was translated there before is thrown
 * away.
 */
void fake_block(uint64_t address, const char *sizes, const void *code);

/* Thread `vcpu` begins, and ends. */
void fake_thread_begins(unsigned vcpu);
void fake_thread_ends(unsigned vcpu);
/*
 * Whether threads run on in old code after qemu_plugin_reset(), as those do that did not ask for
 * it. No longer: what was asked for takes effect.
 */
void fake_run_on(bool on);
/* It enters the block at `address` and executes all of it. */
void fake_run(unsigned vcpu, uint64_t address);
/* The same, but it leaves the block after the first `insns` instructions began. */
void fake_run_partly(unsigned vcpu, uint64_t address, size_t insns);
/*
 * What the instructions of the block at `address` access, in their order, whenever they
 * complete: all but the last of those that began in fake_run_partly(). The list stays the
 * caller's.
 */
struct fake_access {
	size_t insn;
	bool is_store;
	unsigned size; /* log2 of the bytes */
	uint64_t address, data[2];
};
void fake_accesses(uint64_t address, const struct fake_access *list, size_t n);
/* The instruction's callbacks are called as if it ran, in whatever block the thread is. */
void fake_stale(unsigned vcpu, uint64_t address, const struct fake_access *access);
/* The data of the access whose callbacks are being called, at its address. */
void fake_copy_data(uint64_t address, void *to, size_t bytes);
/* It makes a system call, which returns `value`. */
void fake_syscall(unsigned vcpu, int64_t number, const uint64_t args[6], int64_t value);
/* Its program counter jumps without a branch. */
void fake_discon(unsigned vcpu, enum qemu_plugin_discon_type type, uint64_t from,
		 uint64_t to);
/* A vCPU waits. */
void fake_idle(unsigned vcpu);
/* QEMU exits. */
void fake_exit(void);

/* What callbacks find where translated code keeps QEMU's CPU state. */
void fake_set_state(const void *state);
/*
 * The values of the registers that QEMU's API has, by the names in which it has them
 * ("fp"), in the order of `names`; NULL ends it. Not before version 2 of the API.
 */
void fake_set_registers(const char *const *names, const uint64_t (*values)[2]);
/* The machine's memory, `size` bytes from an address on; the caller's. */
void fake_memory(uint64_t start, const void *bytes, size_t size);
/* How often a block was translated so far. */
unsigned fake_translations(void);
/* Whether any callback is to be called when the block at `address` is entered. */
bool fake_is_bare(uint64_t address);

#endif
