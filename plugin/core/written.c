// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A register's new value is there when its instruction is over, which is where the next
 * one begins, in the same block or another. So each callback first records what the
 * instruction before it has written, and then notes its own instruction as the pending
 * one. Firings are in the lane after their block's id and before the next one's.
 *
 * Some registers are certain to be written. Others may be (isa/writes.h): these are read
 * before the instruction, into the vCPU's `before`, and fire if they have changed. So a
 * write of the same value is not seen.
 *
 * What is pending is dropped where the instruction did not complete (written_left()),
 * where the thread's last block is another one, or a gap, because then nothing is recorded
 * of it, and at a system call: what the kernel writes is not recorded, its answer is in the
 * event of the call's return. At a signal's handler QEMU has changed the registers
 * already: the values come from the signal's frame.
 *
 * In a machine a hart is what a thread is in a program; a block at another address than that of its
 * translation has firings of its own. What is pending at a trap is settled
 * at once, unless its instruction raised the exception. RISC-V's traps change no registers that are
 * recorded. Those of AArch64 and x86_64 change the stack pointer, and AArch64's the flags, too:
 * what these were before is read from where the trap has saved them (plugin/system/arch). QEMU may
 * begin an atomic operation, leave it without a word, and begin it again: what is pending of the
 * first time is dropped (plugin/system/harts.c).
 *
 * Example:	addi a0, a0, 1		nothing is pending; now this is
 *		sd   a0, 0(sp)		fires a0 of the addi; stores: nothing is pending
 *		jal  ra, f		nothing to fire; now this is pending
 *	f:	...			fires ra of the jal, then the id of f's block
 *
 * x86_64's `pop rax` reads rax to r15, 16 registers, and notes them; at the next
 * instruction rax and rsp are others, and fire.
 */
#include "plugin/core/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/values.h"
#include "isa/alone.h"
#include "isa/writes.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/by_id.h"
#include "plugin/core/firing.h"
#include "plugin/core/registers.h"
#include "plugin/core/state.h"
#include "plugin/core/tb_code.h"

#define PAGE_BYTES 4096
#define ALWAYS_MAX 2 /* registers that an instruction is certain to write: a pair */

/* A register that has changed. The firing's id is made when that first happens. */
struct change {
	struct change *next; /* of the same instruction */
	uint32_t number, id;
};

/* What an instruction writes. */
struct written {
	uint64_t address;
	uint32_t block;
	uint16_t insn;
	uint16_t count; /* of those that are certain */
	struct {
		uint32_t id; /* of the firing */
		uint32_t number;
	} always[ALWAYS_MAX];
	bool alone; /* QEMU may run it alone */
	struct register_set perhaps;
	struct change *_Atomic changes;
	struct written *_Atomic moved; /* of a machine: where the block was entered last */
};

/* What registers had before the pending instruction. */
struct before {
	uint64_t words[REGISTERS_MAX][2];
	uint8_t n[REGISTERS_MAX]; /* words; 0: it could not be read */
};

static char target[32];	    /* "": nothing is recorded */
static struct by_id blocks; /* struct written [insns] of each block */
static struct before *_Atomic befores[LANES_MAX];

static __thread __attribute__((tls_model("initial-exec"))) struct written *of_thread;
static struct written *of_harts[LANES_MAX]; /* where a thread runs several */
static bool is_machine;
static const unsigned *turn; /* see struct emulation */
static enum alone_isa alone;

void written_init(const char *target_name, const struct emulation *emulation)
{
	snprintf(target, sizeof(target), "%s", target_name);
	is_machine = emulation->is_machine;
	turn = is_machine ? emulation->turn() : NULL;
	alone = alone_isa(target_name);
}

static inline struct written **pending_of(unsigned vcpu)
{
	return turn && vcpu < LANES_MAX ? &of_harts[vcpu] : &of_thread;
}

bool written_wanted(void)
{
	return *target;
}

/* ---- what instructions write --------------------------------------------- */

static uint32_t define(const struct written *written, unsigned number)
{
	return block_ids_add_firing((struct message_firing){
		.block = written->block,
		.insn = written->insn,
		.kind = VALUE_WRITTEN,
		.size = (uint8_t)(register_words(target, number) - 1),
		.what = number,
	});
}

static void add(struct written *written, unsigned number)
{
	uint32_t id = define(written, number);

	if (!id || written->count == ALWAYS_MAX)
		return;
	written->always[written->count].id = id;
	written->always[written->count++].number = number;
}

static bool writes_any(const struct written *written)
{
	return written->count || register_set_next(&written->perhaps, 0) < REGISTERS_MAX;
}

static void describe(struct written *written, const uint8_t *code, size_t bytes)
{
	unsigned number;
	struct writes writes;

	writes_find(target, code, bytes, &writes);
	/* The state of 7.2 has no more than the integer and FP registers. */
	if (REGISTERS_ANYWHERE)
		written->perhaps = writes.perhaps;
	for (number = register_set_next(&writes.always, 0); number < REGISTERS_MAX;
	     number = register_set_next(&writes.always, number + 1))
		add(written, number);
}

/* What the block's instructions write, [insns]; NULL without memory. */
static struct written *written_of(const struct tb_code *tb_code, uint32_t block)
{
	struct written *all =
		by_id_made(&blocks, block, tb_code->insns * sizeof(struct written));
	const uint8_t *code = tb_code->code;
	uint64_t address = tb_code->address;

	/* It has been translated before. */
	if (!all || all->block)
		return all;
	for (uint32_t i = 0; i < tb_code->insns; i++) {
		all[i].address = address;
		all[i].block = block;
		all[i].insn = (uint16_t)i;
		all[i].alone = alone_may_run(alone, code, tb_code->sizes[i]);
		describe(&all[i], code, tb_code->sizes[i]);
		code += tb_code->sizes[i];
		address += tb_code->sizes[i];
	}
	return all;
}

/* ---- what runs ----------------------------------------------------------- */

static void fire(unsigned vcpu, uint32_t id, const uint64_t *words, unsigned n)
{
	firing_begin(vcpu);
	for (unsigned i = 0; i < n; i++)
		value_store(vcpu, words[i]);
	firing_end(vcpu, id);
}

static uint32_t find_id(const struct written *written, unsigned number)
{
	const struct change *change =
		atomic_load_explicit(&written->changes, memory_order_acquire);

	while (change && change->number != number)
		change = change->next;
	return change ? change->id : 0;
}

/* The id of a register that the instruction may not have changed before; 0: no memory. */
static __attribute__((noinline)) uint32_t id_of_new(struct written *written,
						    unsigned number)
{
	struct change *change;
	uint32_t id;

	link_lock();
	/* Another thread may have been faster. */
	id = find_id(written, number);
	change = id ? NULL : malloc(sizeof(*change));
	if (change) {
		*change = (struct change){ atomic_load(&written->changes), number,
					   define(written, number) };
		id = change->id;
		atomic_store_explicit(&written->changes, change, memory_order_release);
	}
	link_unlock();
	return id;
}

static void fire_change(unsigned vcpu, struct written *written, unsigned number,
			const uint64_t *words, unsigned n)
{
	uint32_t id = find_id(written, number);

	if (!id)
		id = id_of_new(written, number);
	if (id)
		fire(vcpu, id, words, n);
}

/* Where the values after an instruction are. */
struct after {
	unsigned (*read)(const void *from, unsigned number, uint64_t words[2]);
	const void *from;
};

/* Fires what has changed, and makes it what was before the next instruction. */
static void compare(unsigned vcpu, struct written *written, const struct after *after)
{
	struct before *before =
		atomic_load_explicit(&befores[vcpu], memory_order_relaxed);
	unsigned number = register_set_next(&written->perhaps, 0);

	for (; number < REGISTERS_MAX;
	     number = register_set_next(&written->perhaps, number + 1)) {
		uint64_t words[2] = { 0 }, *old = before->words[number];
		unsigned n = before->n[number] ? after->read(after->from, number, words) :
						 0;

		if (!n || (words[0] == old[0] && words[1] == old[1]))
			continue;
		fire_change(vcpu, written, number, words, n);
		memcpy(old, words, sizeof(words));
	}
}

/* The same of the block at the address where the hart entered it; NULL: no memory. */
static struct written *at_place(unsigned hart, struct written *written)
{
	static struct tb_code tb_code; /* under the lock: too large for a stack */
	uint32_t place = value_head(hart)->place;
	struct written *moved = atomic_load(&written->moved), *all;

	if (place == written->block)
		return written;
	if (moved && moved->block == place)
		return moved;
	link_lock();
	tb_code_copy(&tb_code, block_ids_table(), place);
	all = written_of(&tb_code, place);
	moved = all ? &all[written->insn] : NULL;
	atomic_store(&written->moved, moved);
	link_unlock();
	return moved;
}

/* What is pending, if it is recorded; else NULL. */
static struct written *recorded(unsigned vcpu)
{
	struct written *written = *pending_of(vcpu);

	if (!written || value_head(vcpu)->block != written->block)
		return NULL;
	return is_machine ? at_place(vcpu, written) : written;
}

/* Takes what is pending, and fires it if it is recorded; else NULL. */
static const struct written *settle(unsigned vcpu, const struct after *after)
{
	struct written *written = recorded(vcpu);
	uint64_t words[2];

	*pending_of(vcpu) = NULL;
	if (!written)
		return NULL;
	for (uint32_t i = 0; i < written->count; i++)
		if (after->read(after->from, written->always[i].number, words))
			fire(vcpu, written->always[i].id, words, 1);
	if (register_set_next(&written->perhaps, 0) < REGISTERS_MAX)
		compare(vcpu, written, after);
	return written;
}

/* The vCPU's, made if need be; NULL: no memory, or a thread that is not recorded. */
static struct before *before_of(unsigned vcpu)
{
	struct before *before;

	if (vcpu >= LANES_MAX)
		return NULL;
	before = atomic_load_explicit(&befores[vcpu], memory_order_relaxed);
	if (!before) {
		before = calloc(1, sizeof(*before));
		atomic_store_explicit(&befores[vcpu], before, memory_order_relaxed);
	}
	return before;
}

/*
 * Reads what the instruction may write. The registers of the one before, `known`, have been
 * read already. False: it cannot be compared.
 */
static bool look(unsigned vcpu, const struct written *written,
		 const struct written *known, const void *state)
{
	unsigned number = register_set_next(&written->perhaps, 0);
	struct before *before = number < REGISTERS_MAX ? before_of(vcpu) : NULL;

	for (; number < REGISTERS_MAX && before;
	     number = register_set_next(&written->perhaps, number + 1))
		if (!known || !register_set_has(&known->perhaps, number))
			before->n[number] = (uint8_t)registers_read(
				state, number, before->words[number]);
	return before || number == REGISTERS_MAX;
}

/* `insn` begins: a struct written, or NULL: it writes nothing that is recorded. */
__attribute__((used, visibility("hidden"))) void
written_with_state(unsigned vcpu, void *insn, const void *state);
void written_on_insn(unsigned vcpu, void *insn);
WITH_STATE(written_on_insn, written_with_state);

void written_with_state(unsigned vcpu, void *insn, const void *state)
{
	const struct written *known = NULL;
	struct written *written = insn;

	if (turn)
		vcpu = *turn;
	registers_changed();
	if (*pending_of(vcpu))
		known = settle(vcpu, &(struct after){ registers_read, state });
	if (written && value_head(vcpu)->block == written->block &&
	    look(vcpu, written, known, state))
		*pending_of(vcpu) = written;
}

/* An atomic operation begins that QEMU translated at `address`: it is no jump to itself. */
static void on_again(unsigned vcpu, void *address)
{
	struct written **pending = pending_of(turn ? *turn : vcpu);

	if (*pending && (*pending)->alone &&
	    ((*pending)->address ^ (uintptr_t)address) % PAGE_BYTES == 0)
		*pending = NULL;
}

void written_left(uint64_t pc)
{
	if (of_thread && of_thread->address == pc)
		of_thread = NULL;
}

void written_called(unsigned vcpu)
{
	*pending_of(vcpu) = NULL;
}

/*
 * What raised an exception has not written what it is certain to write; of the others it may have
 * changed some, as x86's `rep movs` does up to the page that is not there.
 */
void written_trapped(unsigned hart, uint64_t pc, bool is_exception,
		     unsigned (*read)(const void *trap, unsigned number,
				      uint64_t words[2]),
		     const void *trap)
{
	const struct written *written;

	if (!written_wanted())
		return;
	written = is_exception ? recorded(hart) : NULL;
	if (written && written->address == pc && (written->count || !read))
		*pending_of(hart) = NULL;
	registers_changed();
	settle(hart, &(struct after){ read ? read : registers_read, trap });
}

void written_interrupted(unsigned vcpu,
			 unsigned (*read)(const void *frame, unsigned number,
					  uint64_t words[2]),
			 const void *frame)
{
	registers_changed();
	settle(vcpu, &(struct after){ read, frame });
}

/* ---- registering --------------------------------------------------------- */

void written_register_end(struct qemu_plugin_tb *tb, uint32_t first)
{
	if (!written_wanted())
		return;
	/* Before all callbacks of instructions. */
	if (!first)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, written_on_insn,
						     QEMU_PLUGIN_CB_R_REGS, NULL);
	else
		qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, first),
						       written_on_insn,
						       QEMU_PLUGIN_CB_R_REGS, NULL);
}

void written_register_again(struct qemu_plugin_tb *tb, uint32_t first)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, first);
	void *address = (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn);

	if (!written_wanted())
		return;
	if (!first)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_again, QEMU_PLUGIN_CB_NO_REGS,
						     address);
	else
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_again,
						       QEMU_PLUGIN_CB_NO_REGS, address);
}

void written_register(const struct qemu_plugin_tb *tb, const struct tb_code *tb_code,
		      uint32_t id)
{
	struct written *all;

	if (!written_wanted())
		return;
	registers_learn();
	all = written_of(tb_code, id);
	for (uint32_t i = 0; all && i < tb_code->insns; i++) {
		struct qemu_plugin_insn *insn =
			qemu_plugin_tb_get_insn(tb, tb_code->first + i);
		bool writes = writes_any(&all[i]);

		if (writes || (i && writes_any(&all[i - 1])))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, written_on_insn,
							       QEMU_PLUGIN_CB_R_REGS,
							       writes ? &all[i] : NULL);
	}
}
