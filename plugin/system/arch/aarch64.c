// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AArch64. A trap to ELn leaves its cause in ESR_ELn, an address in FAR_ELn, and where it came
 * from in ELR_ELn and SPSR_ELn; eret goes back there. Which kind of trap it was, its vector
 * says: four groups of them (synchronous, IRQ, FIQ, SError) of 128 bytes, by where the trap
 * comes from. QEMU gives the registers by name, and ELn in bits 3:2 of cpsr.
 *
 * Causes have RISC-V's codes where these mean the same, else those from CAUSE_CALL
 * on (format/events.def).
 *
 * Example: a store of EL0 faults: ESR_EL1 is 0x92000047, class 0x24, a data abort from a lower
 * level, bit 6 set because it writes, and status 7: no translation. That is a page fault
 * (store).
 *
 * The groups of vectors are where VBAR_ELn says, which QEMU calls VBAR for EL1.
 *
 * QEMU has moved the program counter behind svc, hvc and smc when it tells of their traps.
 */
#include "plugin/system/arch/arch.h"

#include <string.h>

#include "isa/registers.h"
#include "plugin/core/link.h"
#include "plugin/core/registers.h"
#include "plugin/system/arch/causes.h"
#include "waymark.h"

#define MSR_TTBR0 0xd5182000u
#define REGISTER_MASK 31u

enum { INSN_BYTES = 4, THUMB_BYTES = 2, X8 = 8, SP = 31 };
#define FLAGS 0xf0000000
#define MASKED 0x3c0 /* all interrupts are, in cpsr */
enum { VECTOR_SHIFT = 7, VECTORS_BYTES = 2048 };
enum { OWN_STACK = 1 }; /* of a state: the level's own, and not EL0's */
enum { LEVELS = 4, LEVEL_SHIFT = 2, IS_32_BIT = 1 << 4 };
enum {
	CLASS_SHIFT = 26,
	CLASSES = 64,
	IS_4_BYTES = 1 << 25,
	IS_WRITE = 1 << 6,
	STATUS = 0x3f
};

/* Classes of ESR_ELn. */
enum {
	CLASS_WAIT = 0x01, /* wfi, wfe */
	CLASS_FP = 0x07,
	CLASS_CALL_32 = 0x11,
	CLASS_CALL = 0x15, /* svc */
	CLASS_HVC = 0x16,
	CLASS_SMC = 0x17,
	CLASS_SYSTEM = 0x18, /* msr, mrs */
	CLASS_FETCH = 0x20,  /* and, plus 1, from the same level */
	CLASS_PC = 0x22,
	CLASS_DATA = 0x24,
	CLASS_SP = 0x26,
	CLASS_FP_TRAP_32 = 0x28,
	CLASS_FP_TRAP = 0x2c,
	CLASS_BREAK_FIRST = 0x30, /* hardware's breakpoints, steps, watchpoints */
	CLASS_BREAK_LAST = 0x35,
	CLASS_BKPT_32 = 0x38,
	CLASS_BRK = 0x3c,
};

static const struct named_register *cpsr, *pc, *esr[LEVELS], *far[LEVELS], *elr[LEVELS],
	*spsr[LEVELS], *stack[LEVELS], *vbar[LEVELS];

static void learn_locked(void)
{
	static const struct {
		const char *name;
		const struct named_register **to;
	} names[] = {
		{ "cpsr", &cpsr },	  { "ESR_EL1", &esr[1] },
		{ "ESR_EL2", &esr[2] },	  { "ESR_EL3", &esr[3] },
		{ "FAR_EL1", &far[1] },	  { "FAR_EL2", &far[2] },
		{ "FAR_EL3", &far[3] },	  { "ELR_EL1", &elr[1] },
		{ "ELR_EL2", &elr[2] },	  { "ELR_EL3", &elr[3] },
		{ "SPSR_EL1", &spsr[1] }, { "SPSR_EL2", &spsr[2] },
		{ "SPSR_EL3", &spsr[3] }, { "SP_EL0", &stack[0] },
		{ "SP_EL1", &stack[1] },  { "SP_EL2", &stack[2] },
		{ "VBAR", &vbar[1] },	  { "VBAR_EL2", &vbar[2] },
		{ "VBAR_EL3", &vbar[3] }, { "pc", &pc },
	};
	static bool learnt;

	for (unsigned i = 0; !learnt && i < sizeof(names) / sizeof(*names); i++)
		*names[i].to = registers_find(names[i].name);
	learnt = true;
}

static void learn(void)
{
	link_lock();
	learn_locked();
	link_unlock();
}

/* The level of a state register; of 32-bit code, which is a program, 0. */
static unsigned level_of(uint64_t state)
{
	return state & IS_32_BIT ? 0 : state >> LEVEL_SHIFT & (LEVELS - 1);
}

static uint64_t abort_of(uint64_t syndrome, uint64_t page_fault, uint64_t access_fault,
			 uint64_t misaligned)
{
	unsigned status = syndrome & STATUS;

	if (status == 0x21)
		return misaligned;
	/* Of sizes, translation, access flags and permissions; else the bus refused it. */
	return status < 0x10 ? page_fault : access_fault;
}

static uint64_t data_abort(uint64_t syndrome)
{
	return syndrome & IS_WRITE ?
		       abort_of(syndrome, CAUSE_PAGE_STORE, CAUSE_ACCESS_STORE,
				CAUSE_MISALIGNED_STORE) :
		       abort_of(syndrome, CAUSE_PAGE_LOAD, CAUSE_ACCESS_LOAD,
				CAUSE_MISALIGNED_LOAD);
}

static uint64_t cause_of(uint64_t syndrome, bool from_user)
{
	unsigned class = syndrome >> CLASS_SHIFT & (CLASSES - 1);

	if (class >= CLASS_BREAK_FIRST && class <= CLASS_BREAK_LAST)
		return CAUSE_DEBUG;
	switch (class) {
	case 0:
		return CAUSE_ILLEGAL;
	case CLASS_FP:
		return CAUSE_FP_OFF;
	case CLASS_CALL:
	case CLASS_CALL_32:
		return from_user ? CAUSE_CALL : CAUSE_OWN_CALL;
	case CLASS_HVC:
		return CAUSE_HVC;
	case CLASS_SMC:
		return CAUSE_SMC;
	case CLASS_WAIT:
	case CLASS_SYSTEM:
		return CAUSE_REFUSED;
	case CLASS_FETCH:
	case CLASS_FETCH + 1:
		return abort_of(syndrome, CAUSE_PAGE_FETCH, CAUSE_ACCESS_FETCH,
				CAUSE_MISALIGNED_FETCH);
	case CLASS_PC:
		return CAUSE_MISALIGNED_FETCH;
	case CLASS_DATA:
	case CLASS_DATA + 1:
		return data_abort(syndrome);
	case CLASS_SP:
		return CAUSE_MISALIGNED_LOAD;
	case CLASS_FP_TRAP_32:
	case CLASS_FP_TRAP:
		return CAUSE_FP;
	case CLASS_BKPT_32:
	case CLASS_BRK:
		return CAUSE_BREAKPOINT;
	default:
		return WM_TRAP_UNKNOWN;
	}
}

static bool is_behind(uint64_t cause)
{
	return cause == CAUSE_CALL || cause == CAUSE_OWN_CALL || cause == CAUSE_HVC ||
	       cause == CAUSE_SMC;
}

/* The kind of a trap, by its vector: 0 is that of what an instruction raised. */
static unsigned kind_of(uint64_t vector)
{
	return vector >> VECTOR_SHIFT & 3;
}

static bool read_trap(struct arch_trap *trap)
{
	static const uint64_t kinds[] = { 0, CAUSE_IRQ, CAUSE_FIQ, CAUSE_SERROR };
	unsigned kind = kind_of(trap->to);
	uint64_t state, saved, syndrome;

	learn();
	if (!registers_read_at(cpsr, &state))
		return false;
	trap->after = level_of(state);
	if (!registers_read_at(spsr[trap->after], &saved) ||
	    !registers_read_at(esr[trap->after], &syndrome) ||
	    !registers_read_at(far[trap->after], &trap->value))
		return false;
	trap->before = level_of(saved);
	trap->cause = kind ? kinds[kind] : cause_of(syndrome, trap->before == MODE_USER);
	if (kind)
		trap->value = 0;
	if (is_behind(trap->cause))
		trap->from -= syndrome & IS_4_BYTES ? INSN_BYTES : THUMB_BYTES;
	return true;
}

/*
 * A trap leads to the stack of its level and clears the flags. What the hart had is where the
 * level's stack is kept, and in the saved state.
 */
static unsigned read_before(const void *trap, unsigned number, uint64_t words[2])
{
	uint64_t state, saved;
	unsigned before;

	(void)trap;
	if (number != SP && number != REGISTER_NZCV)
		return registers_read(NULL, number, words);
	learn();
	if (!registers_read_at(cpsr, &state) ||
	    !registers_read_at(spsr[level_of(state)], &saved))
		return 0;
	words[1] = 0;
	if (number == REGISTER_NZCV) {
		words[0] = saved & FLAGS;
		return 1;
	}
	if (saved & IS_32_BIT)
		return 0;
	before = saved & OWN_STACK ? level_of(saved) : 0;
	if (before && before == level_of(state))
		return registers_read(NULL, number, words);
	return registers_read_at(stack[before], words);
}

static bool read_return(enum arch_insn insn, struct arch_return *ret)
{
	uint64_t state, saved;

	(void)insn;
	learn();
	if (!registers_read_at(cpsr, &state))
		return false;
	ret->before = level_of(state);
	if (!registers_read_at(spsr[ret->before], &saved) ||
	    !registers_read_at(elr[ret->before], &ret->to))
		return false;
	ret->after = level_of(saved);
	return true;
}

static struct arch_vectors vectors_of(uint64_t base)
{
	return (struct arch_vectors){ base & ~(uint64_t)(VECTORS_BYTES - 1),
				      VECTORS_BYTES >> VECTOR_SHIFT, 1 << VECTOR_SHIFT };
}

/* A trap leaves interrupts off. */
static bool read_entry(struct arch_trap *trap)
{
	struct arch_vectors vectors;
	uint64_t state, base;
	unsigned level;

	learn();
	if (!registers_read_at(cpsr, &state) || (state & MASKED) != MASKED)
		return false;
	level = level_of(state);
	if (!registers_read_at(vbar[level], &base) ||
	    !registers_read_at(elr[level], &trap->from) ||
	    !registers_read_at(pc, &trap->to))
		return false;
	trap->exception = !kind_of(trap->to);
	vectors = vectors_of(base);
	return arch_is_vector(&vectors, trap->to);
}

/* The register that msr has; 31 is the one that is always 0. */
static uint64_t moved_by(uint32_t code)
{
	uint64_t words[2] = { 0 };

	if ((code & REGISTER_MASK) != REGISTER_MASK)
		registers_read(NULL, code & REGISTER_MASK, words);
	return words[0];
}

/* msr vbar_eln, x */
static struct arch_vectors read_vectors(uint32_t code)
{
	return vectors_of(moved_by(code));
}

static struct arch_vectors vectors_now(unsigned i)
{
	uint64_t base;

	learn_locked();
	if (!registers_read_at(vbar[i + 1], &base))
		return (struct arch_vectors){ .n = 0 };
	return vectors_of(base);
}

/* Masks and matches; what the host cannot do at once, and what may be interrupted. */
static const struct {
	uint32_t mask, match;
	enum arch_insn kind;
} patterns[] = {
	{ 0xffe0001f, 0xd4000001, ARCH_CALL },	 /* svc */
	{ 0xffffffff, 0xd45e0000, ARCH_HOST },	 /* hlt 0xf000 */
	{ 0xfffff3ff, 0xd69f03ff, ARCH_RETURN }, /* eretaa, eretab; eret is below */
	{ 0xffffffff, 0xd69f03e0, ARCH_RETURN },
	{ 0xffffffe0, 0xd518c000, ARCH_SETS_VECTOR }, /* msr vbar_el1 */
	{ 0xffffffe0, 0xd51cc000, ARCH_SETS_VECTOR }, /* vbar_el2 */
	{ 0xffffffe0, 0xd51ec000, ARCH_SETS_VECTOR }, /* vbar_el3 */
	{ 0x3f000000, 0x08000000, ARCH_ALONE }, /* exclusive and ordered, cas, casp */
	{ 0x3b200c00, 0x38200000, ARCH_ALONE }, /* ldadd and its like, swp */
	{ 0x3f200c00, 0x19200000, ARCH_ALONE }, /* the same of 16 bytes */
	{ 0x3b200c00, 0x19000400, ARCH_ALONE }, /* cpy, set: memory in one instruction */
};

static enum arch_insn insn(const uint8_t *code, unsigned size)
{
	uint32_t word;

	if (size != sizeof(word))
		return ARCH_PLAIN;
	memcpy(&word, code, sizeof(word));
	for (unsigned i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if ((word & patterns[i].mask) == patterns[i].match)
			return patterns[i].kind;
	return ARCH_PLAIN;
}

/* msr ttbr0_el1, x */
static bool sets_table(uint32_t code)
{
	return (code & ~REGISTER_MASK) == MSR_TTBR0;
}

/* An identifier is above it, a bit below. */
static uint64_t read_table(uint32_t code)
{
	return moved_by(code) & 0x0000fffffffff000;
}

const struct arch arch_aarch64 = {
	.target = "aarch64",
	.arguments = { 0, 1 },
	.call_number = X8,
	.call_arguments = { 0, 1, 2, 3, 4, 5 },
	.call_result = 0,
	.call_bytes = INSN_BYTES,
	.narrows = true,
	.sets_table = sets_table,
	.read_table = read_table,
	.insn = insn,
	.read_trap = read_trap,
	.read_before = read_before,
	.read_return = read_return,
	.read_entry = read_entry,
	.read_vectors = read_vectors,
	.vectors_now = vectors_now,
	.starts = { 0, 0x40000000 }, /* of firmware; of a kernel without one */
};
