// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A register's new value is there when its instruction is over, which is where the next
 * one begins, in the same block or another. So each callback first records what the
 * instruction before it has written, and then notes its own instruction as the pending
 * one. Firings are in the lane after their block's id and before the next one's.
 *
 * What is pending is dropped where the instruction did not complete (written_left()), and
 * where the thread's last block is another one, or a gap, because then nothing is recorded
 * of it. At a signal's handler QEMU has changed the registers already: the values come
 * from the signal's frame.
 *
 * Example:	addi a0, a0, 1		nothing is pending; now this is
 *		sd   a0, 0(sp)		fires a0 of the addi; stores: nothing is pending
 *		jal  ra, f		nothing to fire; now this is pending
 *	f:	...			fires ra of the jal, then the id of f's block
 *
 * What the kernel writes is not recorded: its answer is in the event of the call's return.
 * Neither are vector registers, CSRs and the lists of Zcmp.
 */
#include "plugin/core/written.h"

#include <string.h>

#include "format/values.h"
#include "isa/registers.h"
#include "isa/riscv_registers.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/by_id.h"
#include "plugin/core/firing.h"
#include "plugin/core/registers.h"
#include "plugin/core/state.h"
#include "plugin/core/tb_code.h"

#define WRITTEN_MAX 2 /* by an instruction: a pair */

/* What an instruction writes. */
struct written {
	uint64_t address;
	uint32_t block;
	uint32_t count; /* registers */
	struct {
		uint32_t id; /* of the firing */
		uint32_t number;
	} of[WRITTEN_MAX];
};

static unsigned xlen;	    /* 0: nothing is recorded */
static struct by_id blocks; /* struct written [insns] of each block */

static __thread __attribute__((tls_model("initial-exec"))) const struct written *pending;

void written_init(const char *target_name)
{
	xlen = strcmp(target_name, "riscv32") ? 64 : 32;
}

/* ---- what runs ----------------------------------------------------------- */

static void fire(unsigned vcpu, uint32_t id, uint64_t value)
{
	firing_begin(vcpu);
	value_store(vcpu, value);
	firing_end(vcpu, id);
}

/* Takes what is pending; NULL if nothing of it is recorded. */
static const struct written *take(unsigned vcpu)
{
	const struct written *written = pending;

	pending = NULL;
	return written && value_head(vcpu)->block == written->block ? written : NULL;
}

static void settle(unsigned vcpu, const void *state)
{
	const struct written *written = take(vcpu);
	uint64_t words[2];

	for (uint32_t i = 0; written && i < written->count; i++)
		if (registers_read(state, written->of[i].number, words))
			fire(vcpu, written->of[i].id, words[0]);
}

/* `insn` begins: a struct written, or NULL: it writes nothing that is recorded. */
__attribute__((used, visibility("hidden"))) void
written_with_state(unsigned vcpu, void *insn, const void *state);
void written_on_insn(unsigned vcpu, void *insn);
WITH_STATE(written_on_insn, written_with_state);

void written_with_state(unsigned vcpu, void *insn, const void *state)
{
	const struct written *written = insn;

	if (pending)
		settle(vcpu, state);
	if (written && value_head(vcpu)->block == written->block)
		pending = written;
}

void written_left(uint64_t pc)
{
	if (pending && pending->address == pc)
		pending = NULL;
}

void written_interrupted(unsigned vcpu,
			 bool (*read)(const void *frame, unsigned number,
				      uint64_t *value),
			 const void *frame)
{
	const struct written *written = take(vcpu);
	uint64_t value;

	for (uint32_t i = 0; written && i < written->count; i++)
		if (read(frame, written->of[i].number, &value))
			fire(vcpu, written->of[i].id, value);
}

/* ---- registering --------------------------------------------------------- */

static void add(struct written *written, uint32_t insn, unsigned number)
{
	uint32_t id = block_ids_add_firing((struct message_firing){
		.block = written->block,
		.insn = (uint16_t)insn,
		.kind = VALUE_WRITTEN,
		.what = number,
	});

	if (!id || written->count == WRITTEN_MAX)
		return;
	written->of[written->count].id = id;
	written->of[written->count++].number = number;
}

static void add_all(struct written *written, uint32_t insn, uint32_t word)
{
	struct riscv_registers registers;

	riscv_registers(word, xlen, &registers);
	/* A write to x0 has no effect. */
	for (unsigned i = 1; i < 32; i++)
		if (registers.written[RISCV_X] >> i & 1)
			add(written, insn, i);
	for (unsigned i = 0; i < 32; i++)
		if (registers.written[RISCV_F] >> i & 1)
			add(written, insn, REGISTERS_FIRST_FP + i);
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
		uint32_t word = 0;

		memcpy(&word, code, tb_code->sizes[i]);
		all[i].address = address;
		all[i].block = block;
		add_all(&all[i], i, word);
		code += tb_code->sizes[i];
		address += tb_code->sizes[i];
	}
	return all;
}

void written_register_end(struct qemu_plugin_tb *tb, uint32_t first)
{
	if (!xlen)
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

void written_register(const struct qemu_plugin_tb *tb, const struct tb_code *tb_code,
		      uint32_t id)
{
	struct written *all;

	if (!xlen)
		return;
	registers_learn();
	all = written_of(tb_code, id);
	for (uint32_t i = 0; all && i < tb_code->insns; i++) {
		struct qemu_plugin_insn *insn =
			qemu_plugin_tb_get_insn(tb, tb_code->first + i);

		if (all[i].count || (i && all[i - 1].count))
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, written_on_insn, QEMU_PLUGIN_CB_R_REGS,
				all[i].count ? &all[i] : NULL);
	}
}
