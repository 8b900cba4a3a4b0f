/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the core asks of the kind of emulation that it records, as one table. The core
 * knows translation blocks, lanes, windows and messages; it does not know whose memory a
 * guest address is in, what a system call is, or whether the guest is one process.
 * plugin/user fills the table in for user-mode emulation, plugin/system for a whole
 * machine, and plugin/plugin.c chooses it.
 *
 * The core takes code from QEMU's translator. It reads the guest's memory only for values:
 * for the data of accesses where QEMU does not give that, and at places. Whoever interprets a guest's
 * stack or arguments reads it by other means; see plugin/user/guest.h.
 *
 * No function of this table but those of values and the last three is on the path of a block
 * that runs.
 */
#ifndef PLUGIN_CORE_EMULATION_H
#define PLUGIN_CORE_EMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin/qemu_api.h"

#define VCPU_NAME_BYTES 16 /* with the NUL */

struct arena_header;
struct returns;

/* Where code comes from: part of what makes a block the same block. */
struct code_origin {
	/*
	 * The file's number, from 1; 0 where no file is mapped. The same file, unchanged
	 * and at the same distance from its addresses, has it whenever it comes.
	 */
	uint32_t file;
	bool again; /* code of another file, or of none, ran at this address before */
};

/* A file of code, and by how much guest addresses are above offsets in it. */
struct code_file {
	uint64_t dev, ino; /* as stat() has them; 0: nothing has that path any more */
	uint64_t distance;
};

struct emulation {
	/*
	 * Before anything else: the guest is `target` in QEMU's words. Fills in the
	 * header's `program` and `blind`. `retranslate` throws away all translated code.
	 */
	void (*init)(const char *target, struct arena_header *header,
		     void (*retranslate)(void));
	/* Registers callbacks of its own: at the start, and in each reset. */
	void (*register_callbacks)(void);

	/*
	 * Code at guest `address` is translated, and is at `host` in this process: returns
	 * where it comes from, and reports it to the collector when it is new. Under
	 * link_lock().
	 */
	struct code_origin (*find_origin)(uint64_t address, const void *host);
	/* What is known of a file of a code_origin, not 0. Under link_lock(). */
	struct code_file (*find_file)(uint32_t file);
	/*
	 * Adds callbacks to a block, which run before the block is recorded. Under
	 * link_lock().
	 */
	void (*instrument)(struct qemu_plugin_tb *tb);
	/* Then adds those that record it. Under link_lock(). */
	void (*record)(struct qemu_plugin_tb *tb, struct code_origin origin);

	/*
	 * A thread begins on a vCPU: its id as the guest's host sees it, 0 if it is not
	 * yet known, and its name, "" if it has none.
	 */
	uint32_t (*thread_id)(unsigned vcpu, char name[VCPU_NAME_BYTES]);
	/* The thread that runs on a vCPU ends, and calls this. */
	void (*thread_ends)(unsigned vcpu);
	/* QEMU exits in order. */
	void (*exits)(void);
	/* All is recorded that was to be: ends the guest. */
	void (*ends)(void);

	/*
	 * Copies memory that the guest has just accessed; zeros where it is gone. `alone`:
	 * no other thread runs that could take it away.
	 */
	void (*copy_data)(uint64_t address, void *to, size_t bytes, bool alone);
	/* Copies memory of the guest; false: it cannot be read. */
	bool (*read_data)(uint64_t address, void *to, size_t bytes);

	/*
	 * One translation may run at several addresses, and an instruction that accesses a
	 * device alone, in a block that is not entered.
	 */
	bool is_machine;
	/*
	 * After init(), where is_machine: whose turn it is, when vCPUs share a thread and
	 * QEMU hands callbacks any of them; NULL: they do not.
	 */
	const unsigned *(*turn)(void);
	/*
	 * Where is_machine: the calls that the thread which vCPU `vcpu` runs has noted, for
	 * itself to change (plugin/core/returns.h); NULL: it is not known which that is.
	 */
	struct returns **(*calls)(unsigned vcpu);
};

#endif
