// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * x86. The processor does not tell why a handler runs: a trap is found by its handler, in the
 * table that lidt has loaded, whose address QEMU has in its CPU state. What was interrupted is
 * on the handler's stack: in 64-bit mode [error code,] rip, cs, rflags, rsp, ss. QEMU gives no
 * trap for syscall and sysenter, which therefore are one when they are about to run; its handler is
 * what wrmsr has put into LSTAR, or for programs of 32 bits CSTAR and SYSENTER_EIP.
 *
 * Ring 0 is the kernel's, firmware included. In real mode, and where the table is not known,
 * causes are not.
 *
 * Example: a program stores to what is not mapped: QEMU is at asm_exc_page_fault, gate 14 of
 * the table; the error code 6 has bits 1, a write, and 2, from user mode; cs is 0x33, of ring 3.
 */
#include "plugin/system/arch/arch.h"

#include <string.h>

#include "format/arena.h"
#include "isa/alone.h"
#include "plugin/core/link.h"
#include "plugin/core/registers.h"
#include "plugin/system/arch/causes.h"
#include "plugin/system/arch/x86_guest.h"
#include "plugin/system/arch/x86_state.h"
#include "plugin/system/memory.h"
#include "waymark.h"

enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, R8, R9, R10 }; /* isa/registers.h */
enum {
	GATES = 256,
	GATE_BYTES = 16,
	LONG_MODE = 1 << 10, /* of efer: it is active */
	RING = 3,
	USER_32 = 0x23, /* Linux's selector of a program's 32-bit code */
	MSR_SYSENTER = 0x176,
};

#define MSR_LSTAR 0xc0000082u
#define MSR_CSTAR 0xc0000083u
/* Exceptions that push an error code. */
#define WITH_CODE 0x60227d00u

static const struct named_register *efer, *cs, *cr2;
static uint64_t lstar, cstar, sysenter;

/* The handlers of a table, read when it is used first; a kernel has one for all harts. */
static struct {
	uint64_t base;
	uint64_t handlers[GATES];
} table;

static void learn(void)
{
	static bool learnt;

	link_lock();
	if (!learnt) {
		efer = registers_find("efer");
		cs = registers_find("cs");
		cr2 = registers_find("cr2");
	}
	learnt = true;
	link_unlock();
}

static uint64_t value_of(const struct named_register *handle)
{
	uint64_t value;

	registers_read_at(handle, &value);
	return value;
}

static bool is_long(void)
{
	learn();
	return value_of(efer) & LONG_MODE;
}

static uint64_t mode_of(uint64_t selector)
{
	return (selector & RING) == RING ? MODE_USER : MODE_KERNEL;
}

/* ---- vectors ------------------------------------------------------------------------ */

/* Where a gate leads: its bits are 15:0, 31:16 and 63:32 of the address. */
static uint64_t handler_of(const uint64_t gate[2])
{
	return (gate[0] & 0xffff) | (gate[0] >> 32 & 0xffff0000) | gate[1] << 32;
}

static void read_table(uint64_t base)
{
	static uint64_t gates[GATES][2];

	memset(gates, 0, sizeof(gates));
	/* It may be shorter: gate by gate then. */
	if (!memory_read(base, gates, sizeof(gates)))
		for (unsigned i = 0; i < GATES; i++)
			memory_read(base + i * sizeof(gates[i]), gates[i],
				    sizeof(gates[i]));
	table.base = base;
	for (unsigned i = 0; i < GATES; i++)
		table.handlers[i] = handler_of(gates[i]);
}

/* -1: no gate, or several of them. */
static int search(uint64_t handler)
{
	int found = -1;

	for (unsigned i = 0; i < GATES; i++)
		if (table.handlers[i] == handler) {
			if (found >= 0)
				return -1;
			found = (int)i;
		}
	return found;
}

/* The number of the gate that leads to a handler; -1: not known. Gates may have changed. */
static int vector_of(unsigned hart, uint64_t handler)
{
	uint64_t base = x86_state_table(hart);
	int vector;

	if (!base)
		return -1;
	link_lock();
	vector = table.base == base ? search(handler) : -1;
	if (vector < 0) {
		read_table(base);
		vector = search(handler);
	}
	link_unlock();
	return vector;
}

static uint64_t page_fault(uint64_t code)
{
	return code & 1 << 4 ? CAUSE_PAGE_FETCH :
	       code & 1 << 1 ? CAUSE_PAGE_STORE :
			       CAUSE_PAGE_LOAD;
}

static uint64_t cause_of(unsigned vector, uint64_t code)
{
	static const uint8_t causes[] = {
		CAUSE_DIVIDE,	  CAUSE_DEBUG,	    CAUSE_NMI,
		CAUSE_BREAKPOINT, CAUSE_OVERFLOW,   CAUSE_BOUND,
		CAUSE_ILLEGAL,	  CAUSE_FP_OFF,	    CAUSE_DOUBLE,
		WM_TRAP_UNKNOWN,  CAUSE_TSS,	    CAUSE_SEGMENT,
		CAUSE_STACK,	  CAUSE_PROTECTION, 0,
		WM_TRAP_UNKNOWN,  CAUSE_FP,	    CAUSE_MISALIGNED_LOAD,
		CAUSE_HARDWARE,	  CAUSE_FP,
	};

	if (vector == 14)
		return page_fault(code);
	return vector < sizeof(causes) ? causes[vector] : WM_TRAP_UNKNOWN;
}

/* ---- traps -------------------------------------------------------------------------- */

static bool pushes_code(const struct arch_trap *trap, int vector)
{
	return trap->exception && vector >= 0 && vector < 32 && WITH_CODE >> vector & 1;
}

/* In 64-bit mode, at the first instruction of a handler. */
static void read_frame(struct arch_trap *trap)
{
	int vector = vector_of(trap->hart, trap->to);
	bool has_code = pushes_code(trap, vector);
	uint64_t frame[3] = { 0 }, stack;

	link_lock();
	stack = memory_register(RSP);
	link_unlock();
	/* [code,] rip, cs */
	memory_read(stack, frame, (2 + has_code) * sizeof(*frame));
	trap->before = mode_of(frame[1 + has_code]);
	if (vector < 0)
		return;
	trap->value = (uint64_t)vector;
	if (!trap->exception) {
		trap->cause = CAUSE_IRQ;
	} else if (vector >= 32) {
		trap->cause = CAUSE_SOFTWARE;
	} else {
		trap->cause = cause_of((unsigned)vector, frame[0]);
		trap->value = vector == 14 ? value_of(cr2) : has_code ? frame[0] : 0;
	}
}

/* The stack pointer is in the frame that the trap has pushed: [code,] rip, cs, rflags, rsp. */
static unsigned read_before(const void *of, unsigned number, uint64_t words[2])
{
	const struct arch_trap *trap = of;
	uint64_t frame[5], stack;
	int vector;
	bool has_code;

	if (number != RSP)
		return registers_read(NULL, number, words);
	vector = is_long() ? vector_of(trap->hart, trap->to) : -1;
	if (vector < 0)
		return 0;
	has_code = pushes_code(trap, vector);
	link_lock();
	stack = memory_register(RSP);
	link_unlock();
	if (!memory_read(stack, frame, (4 + has_code) * sizeof(*frame)))
		return 0;
	words[0] = frame[3 + has_code];
	words[1] = 0;
	return 1;
}

static bool read_trap(struct arch_trap *trap)
{
	bool wide = is_long();

	trap->after = trap->before = mode_of(value_of(cs));
	if (wide)
		read_frame(trap);
	return true;
}

/* iret pops rip and cs; sysret goes to rcx; vmrun has a block in memory. */
static bool read_return(enum arch_insn insn, struct arch_return *ret)
{
	uint64_t frame[2] = { 0 };

	if (!is_long())
		return false;
	if (insn == ARCH_RUNS_GUEST) {
		x86_guest_read_run(ret);
		return true;
	}
	ret->before = mode_of(value_of(cs));
	link_lock();
	if (insn == ARCH_RETURN)
		memory_read(memory_register(RSP), frame, sizeof(frame));
	else
		frame[0] = memory_register(RCX);
	link_unlock();
	ret->to = frame[0];
	ret->after = insn == ARCH_RETURN ? mode_of(frame[1]) : MODE_USER;
	return true;
}

/* ---- instructions ------------------------------------------------------------------- */

static unsigned skip_prefixes(const uint8_t *code, unsigned size)
{
	unsigned at = 0;

	while (at < size && code[at] &&
	       memchr("\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x66\x67", code[at], 10))
		at++;
	if (at < size && (code[at] & 0xf0) == 0x40)
		at++; /* REX; in other modes an instruction of its own, of one byte */
	return at;
}

static enum arch_insn insn(const uint8_t *code, unsigned size)
{
	unsigned at = skip_prefixes(code, size);

	if (alone_may_run(ALONE_X86_64, code, size))
		return ARCH_ALONE;
	if (at < size && code[at] == 0xcf)
		return ARCH_RETURN;
	if (at + 1 >= size || code[at] != 0x0f)
		return ARCH_PLAIN;
	switch (code[at + 1]) {
	case 0x05:
		return ARCH_ENTER;
	case 0x07:
		return ARCH_RETURN_FAST;
	case 0x30:
		return ARCH_SET;
	case 0x34:
		return ARCH_ENTER_OLD;
	case 0x01: /* lidt: a memory operand and 3 in the middle; vmrun: no memory */
		if (at + 2 >= size || (code[at + 2] >> 3 & 7) != 3)
			return ARCH_PLAIN;
		return code[at + 2] >> 6 != 3 ? ARCH_VECTORS :
		       code[at + 2] == 0xd8   ? ARCH_RUNS_GUEST :
						ARCH_PLAIN;
	default:
		return ARCH_PLAIN;
	}
}

static uint64_t *entry_of(uint32_t msr)
{
	switch (msr) {
	case MSR_LSTAR:
		return &lstar;
	case MSR_CSTAR:
		return &cstar;
	case MSR_SYSENTER:
		return &sysenter;
	default:
		return NULL;
	}
}

static void on_set(void)
{
	uint64_t *set;

	link_lock();
	set = entry_of((uint32_t)memory_register(RCX));
	if (set)
		*set = (memory_register(RDX) << 32) | (memory_register(RAX) & UINT32_MAX);
	link_unlock();
}

static bool is_narrow(void)
{
	learn();
	return value_of(cs) == USER_32;
}

/* A kernel that never sets CSTAR may have another selector there. */
static uint64_t entry(enum arch_insn insn)
{
	if (insn == ARCH_ENTER_OLD)
		return sysenter;
	return cstar && is_narrow() ? cstar : lstar;
}

const struct arch arch_x86_64 = {
	.target = "x86_64",
	.arguments = { RDI, RSI },
	.call_number = RAX,
	.call_arguments = { RDI, RSI, RDX, R10, R8, R9 },
	.call_result = RAX,
	.call_bytes = 2,
	.segments = true,
	.steps = true,
	.tells_twice = true,
	.insn = insn,
	.read_trap = read_trap,
	.read_before = read_before,
	.read_return = read_return,
	.on_set = on_set,
	.entry = entry,
	.is_narrow = is_narrow,
	.starts = { 0xfffffff0, 0xfffffff0 },
};
