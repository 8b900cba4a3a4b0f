// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vmrun leads a hart into a guest, and what its host wants to know of leads it out again, to the
 * instruction behind vmrun: an exit. QEMU tells plugins of no exit, and most are in the middle of
 * a block. So a block has a callback when the instruction in front of it is a vmrun. The
 * guest's control block, whose physical address vmrun takes from rax, has the cause of the exit
 * and the guest's rip, rsp and rax.
 *
 * Invariant: in that callback the hart's last block is the guest's, unless it has run none.
 *
 * What can be wrong: an interrupt whose frame the guest cannot push leads out with the cause of
 * that; a guest that loops may then seem to have left its last block there.
 *
 * Example: a guest stores to a page that its host has not given it, by the second instruction of
 * block [0x1010 inc ax; 0x1012 mov [bx], ax; 0x1014 jmp]. The host goes on behind vmrun, with
 * exit code 0x400 and rip 0x1012, so the block was left there.
 */
#include "plugin/system/arch/x86_guest.h"

#include <string.h>

#include "format/arena.h"
#include "plugin/core/link.h"
#include "plugin/core/registers.h"
#include "plugin/system/arch/causes.h"
#include "plugin/system/memory.h"

enum { RAX = 0, RSP = 7 }; /* isa/registers.h */
enum { PAGE_BYTES = 4096 };

/* What a control block has where. */
enum {
	EXIT_CODE = 0x70,
	EXIT_INFO = 0x78, /* of a page fault its error code, behind it the address */
	CODE_BASE = 0x418,
	LEVEL = 0x4cb,
	NEXT_RIP = 0x578,
	STACK = 0x5d8,
	RESULT = 0x5f8, /* rax */
	BLOCK_BYTES = 0x600,
};

/* Exit codes. */
enum {
	EXIT_EXCEPTIONS = 0x40,
	EXIT_DEBUG = 0x41,
	EXIT_PAGE_FAULT = 0x4e,
	EXIT_INTERRUPTS = 0x60,
	EXIT_NMI = 0x61,
	EXIT_INSTRUCTIONS = 0x65,
	EXIT_CALL = 0x81,
	EXIT_NESTED = 0x400,
};

static const uint8_t vmrun[] = { 0x0f, 0x01, 0xd8 };

/* Each hart its own. */
static struct guest {
	bool runs;
	uint64_t at;	   /* its control block, a physical address */
	uint64_t position; /* the hart's, before it */
} guests[LANES_MAX];

static void (*tell)(const struct arch_trap *trap,
		    unsigned (*before)(const void *trap, unsigned number,
				       uint64_t words[2]));

void x86_guest_init(void (*left)(const struct arch_trap *trap,
				 unsigned (*before)(const void *trap, unsigned number,
						    uint64_t words[2])))
{
	tell = left;
}

static uint64_t word_of(const uint8_t *block, unsigned at)
{
	uint64_t word;

	memcpy(&word, block + at, sizeof(word));
	return word;
}

static uint64_t mode_of(const uint8_t *block)
{
	return block[LEVEL] == 3 ? MODE_USER : MODE_KERNEL;
}

static uint64_t counter_of(const uint8_t *block)
{
	return word_of(block, CODE_BASE) + word_of(block, NEXT_RIP);
}

static uint64_t next_block(void)
{
	uint64_t at;

	link_lock();
	at = memory_register(RAX);
	link_unlock();
	return at;
}

void x86_guest_on_run(unsigned hart, void *unused)
{
	(void)unused;
	if (hart < LANES_MAX)
		guests[hart] = (struct guest){ true, next_block(), link_position(hart) };
}

void x86_guest_read_run(struct arch_return *ret)
{
	uint8_t block[BLOCK_BYTES];

	memory_read_physical(next_block(), block, sizeof(block));
	ret->before = MODE_KERNEL;
	ret->after = mode_of(block);
	ret->to = counter_of(block);
}

/* A fault of the page that the host gives (`nested`), or of the guest's own. */
static uint64_t page_fault(uint64_t code, bool nested)
{
	if (code & 1 << 4)
		return nested ? CAUSE_GUEST_FETCH : CAUSE_PAGE_FETCH;
	if (code & 1 << 1)
		return nested ? CAUSE_GUEST_STORE : CAUSE_PAGE_STORE;
	return nested ? CAUSE_GUEST_LOAD : CAUSE_PAGE_LOAD;
}

/* Interrupts are between two blocks, and so is what has to be told of a step behind it. */
static bool is_between(uint64_t code)
{
	return code == EXIT_DEBUG ||
	       (code >= EXIT_INTERRUPTS && code < EXIT_INSTRUCTIONS);
}

static void read_cause(const uint8_t *block, struct arch_trap *trap)
{
	uint64_t code = word_of(block, EXIT_CODE), info = word_of(block, EXIT_INFO);

	trap->exception = !is_between(code);
	trap->cause = CAUSE_REFUSED;
	trap->value = code;
	if (code == EXIT_NESTED || code == EXIT_PAGE_FAULT) {
		trap->cause = page_fault(info, code == EXIT_NESTED);
		trap->value = word_of(block, EXIT_INFO + sizeof(info));
	} else if (code == EXIT_DEBUG) {
		trap->cause = CAUSE_DEBUG;
	} else if (code == EXIT_CALL) {
		trap->cause = CAUSE_HVC;
	} else if (is_between(code)) {
		trap->cause = code == EXIT_NMI ? CAUSE_NMI : CAUSE_IRQ;
	}
}

/* What a register was in the guest: its host's rsp and rax are back already. */
static unsigned read_before(const void *of, unsigned number, uint64_t words[2])
{
	const struct arch_trap *trap = of;
	uint8_t block[BLOCK_BYTES];

	if (number != RAX && number != RSP)
		return registers_read(NULL, number, words);
	if (!memory_read_physical(guests[trap->hart].at, block, sizeof(block)))
		return 0;
	words[0] = word_of(block, number == RAX ? RESULT : STACK);
	words[1] = 0;
	return 1;
}

/* The block behind a vmrun is about to be entered. */
static void on_behind(unsigned hart, void *address)
{
	struct arch_trap trap = {
		.hart = hart,
		.to = (uintptr_t)address,
		.after = MODE_KERNEL,
	};
	uint8_t block[BLOCK_BYTES];

	if (hart >= LANES_MAX || !guests[hart].runs)
		return;
	guests[hart].runs = false;
	if (!memory_read_physical(guests[hart].at, block, sizeof(block)))
		return;
	trap.from = counter_of(block);
	trap.before = mode_of(block);
	read_cause(block, &trap);
	if (link_position(hart) == guests[hart].position)
		trap.exception = false; /* it has run nothing */
	tell(&trap, read_before);
}

/* At the beginning of a page it cannot be seen. */
static bool is_behind(const struct qemu_plugin_tb *tb)
{
	const uint8_t *code = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));

	return qemu_plugin_tb_vaddr(tb) % PAGE_BYTES < sizeof(vmrun) || !code ||
	       !memcmp(code - sizeof(vmrun), vmrun, sizeof(vmrun));
}

void x86_guest_instrument(struct qemu_plugin_tb *tb)
{
	if (tell && is_behind(tb))
		qemu_plugin_register_vcpu_tb_exec_cb(
			tb, on_behind, QEMU_PLUGIN_CB_R_REGS,
			(void *)(uintptr_t)qemu_plugin_tb_vaddr(tb));
}
