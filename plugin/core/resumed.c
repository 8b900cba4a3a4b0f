// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A block that ran to its end goes on where its last instruction leads. So when the next block
 * begins inside it, and its last instruction leads elsewhere, it was left there.
 *
 * QEMU translates from that place when it first goes on there. Only such blocks get a callback:
 * those that begin inside the block that some thread has entered last.
 *
 * Example: [0x1000 addi sp, 0x1004 sd ra, 0x1008 jal 0x2000], and the stack ends: 0x1004
 * faults. QEMU cannot write the handler's frame there either, and translates [0x1004 sd ra,
 * 0x1008 jal]. The jump leads to 0x2000, so nothing but a fault leads from the first block to
 * the second.
 *
 * Where the last instruction leads is not known of indirect jumps and calls and of system calls,
 * and may be that very place in a loop: then the block counts as complete, as it does where 0x1004
 * was translated before.
 */
#include "plugin/core/resumed.h"

#include <stdlib.h>
#include <string.h>

#include "isa/flow.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/gaps.h"
#include "plugin/core/link.h"
#include "plugin/core/pieces.h"
#include "plugin/core/tb_code.h"

/* A block in whose middle another one began: where it begins, and its last instruction. */
struct resumed {
	uint64_t address, last;
	struct flow flow; /* of the last instruction */
};

static unsigned xlen; /* of RISC-V guests */
static enum flow_machine machine;
static bool known;

void resumed_init(const char *target)
{
	if (!strncmp(target, "riscv", 5))
		xlen = strcmp(target, "riscv32") ? 64 : 32;
	known = xlen || flow_machine(target, &machine);
}

static struct flow flow_of(const struct qemu_plugin_insn *insn)
{
	uint64_t address = qemu_plugin_insn_vaddr(insn);
	struct flow flow = { .kind = FLOW_ON };
	uint32_t word = 0;
	char *text;

	if (xlen) {
		insn_copy_riscv(insn, (uint8_t *)&word);
		return flow_riscv(word, xlen, address);
	}
	if (machine == FLOW_AARCH64) {
		insn_copy(insn, &word, sizeof(word));
		return flow_aarch64(word, address);
	}
	text = qemu_plugin_insn_disas(insn);
	if (text)
		flow = flow_text(machine, text);
	free(text);
	return flow;
}

/*
 * Whether the flow may lead to `address`, which is in the instruction's block, `inside` it or
 * where it begins.
 */
static bool may_lead(const struct flow *flow, uint64_t address, bool inside)
{
	switch (flow->kind) {
	case FLOW_BRANCH:
	case FLOW_JUMP:
	case FLOW_CALL:
		return !flow->has_target || flow->target == address;
	case FLOW_RETURN:
		return !inside; /* no call is inside a block */
	default: /* FLOW_ON is also of what is not known: system calls, and x86 without texts */
		return true;
	}
}

/* Whether a thread that enters `next` now has left block `id` there. */
static bool is_left(uint32_t id, const struct resumed *next)
{
	uint64_t address, last;
	uint32_t bytes;

	if (!id || id > block_ids_count() || gaps_has(id))
		return false;
	intern_code(block_ids_table(), id, &address, &bytes);
	if (next->address < address || next->address - address >= bytes)
		return false; /* the usual case, without decoding sizes */
	/* Not as its last instruction: QEMU runs x86's `rep` again and again. */
	if (!block_ids_behind(id, next->address))
		return false;
	last = block_ids_last_insn(id);
	/* `next` has passed that instruction: it leads to the next one only. */
	if (last < next->last)
		return true;
	return last == next->last &&
	       !may_lead(&next->flow, next->address, next->address != address);
}

static void on_entry(unsigned vcpu, void *cookie)
{
	const struct resumed *next = cookie;
	bool left;

	/* A system call ends a block, and may lead anywhere. */
	if (vcpu >= LANES_MAX || !link_alive() || link_has_called(vcpu))
		return;
	link_lock();
	left = is_left(link_last_id(vcpu), next);
	link_unlock();
	if (!left)
		return;
	pieces_left(vcpu, next->address);
	link_left(vcpu, next->address, false);
}

/* QEMU does not pass the vCPU that it translates for, so all are looked at. */
static bool any_left(const struct resumed *next)
{
	uint32_t lanes = slot_lanes();

	for (uint32_t vcpu = 0; vcpu < lanes; vcpu++)
		if (is_left(link_last_id(vcpu), next))
			return true;
	return false;
}

void resumed_register(struct qemu_plugin_tb *tb)
{
	const struct qemu_plugin_insn *last =
		qemu_plugin_tb_get_insn(tb, tb_insns(tb) - 1);
	/* As if it led nowhere: the disassembler is asked when it matters. */
	struct resumed next = {
		.address = qemu_plugin_tb_vaddr(tb),
		.last = qemu_plugin_insn_vaddr(last),
		.flow = { .kind = FLOW_JUMP, .has_target = true },
	};
	struct resumed *kept;

	if (!known || !any_left(&next))
		return;
	next.flow = flow_of(last);
	kept = any_left(&next) ? malloc(sizeof(*kept)) : NULL;
	if (!kept)
		return;
	*kept = next; /* for good: QEMU may keep the translation */
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_entry, QEMU_PLUGIN_CB_NO_REGS, kept);
}
