// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RISC-V. A trap to machine mode leaves its cause in mcause, its address in mtval, and the mode before
 * in mstatus.MPP; one to supervisor mode in scause, stval and sstatus.SPP. A return goes to
 * the mode that is there, at mepc or sepc. QEMU gives all of them by name, and the mode itself
 * as "priv". Reading one takes 200 ns; there are some 100,000 traps in a boot.
 *
 * The vectors are in mtvec and stvec: exceptions lead to the address there, and interrupts, if its
 * lowest bit is set, to that many times 4 bytes behind it. (Machines with hypervisors: stvec is
 * vstvec in a guest of theirs.)
 *
 * Example: a load in user mode faults, the kernel handles it: priv is 1, scause 13, and SPP 0.
 * That is {WM_TRAP_EXCEPTION + 13, stval, user, kernel}.
 */
#include "plugin/system/arch/arch.h"

#include <string.h>

#include "plugin/core/link.h"
#include "plugin/core/registers.h"
#include "waymark.h"

#define ECALL 0x00000073u
#define EBREAK 0x00100073u
#define WFI 0x10500073u
#define SRET 0x10200073u
#define MRET 0x30200073u

enum { MPP_SHIFT = 11, SPP_SHIFT = 8, OPCODE = 0x7f, AMO = 0x2f };
enum { A0 = 10, A7 = 17 }; /* numbers of registers */

/* Instructions that write a CSR, and those that are vectors or the root of the page table. */
enum { SYSTEM = 0x73, CSR_SHIFT = 20 };
enum { STVEC = 0x105, VSTVEC = 0x205, MTVEC = 0x305, SATP = 0x180 };
enum {
	KIND_SHIFT = 12,
	KIND_MASK = 7,
	KIND_WRITE = 1,
	KIND_SET = 2,
	KIND_CLEAR = 3,
	KIND_OPERATION = 3, /* not 0: it is one of them */
	KIND_CONSTANT = 4,
};
enum { VECTORS = 64, VECTOR_BYTES = 4 }; /* of interrupts */

#define ROOT_MASK ((UINT64_C(1) << 44) - 1)

enum { RS1_SHIFT = 15, RS1_MASK = 31, PAGE_SHIFT = 12, PAGING_SHIFT = 60 };

#define INTERRUPT (UINT64_C(1) << 63) /* of a cause */

/* Those of a mode in which traps are handled. */
struct banked {
	const struct named_register *cause, *value, *status, *epc, *vector;
	uint64_t enabled; /* bit of the status: interrupts are taken */
};

static struct banked machine = { .enabled = 1 << 3 }, supervisor = { .enabled = 1 << 1 };
static const struct named_register *priv, *pc, *satp;

static void learn_locked(void)
{
	static const struct {
		const char *name;
		const struct named_register **to;
	} names[] = {
		{ "priv", &priv },
		{ "pc", &pc },
		{ "satp", &satp },
		{ "mcause", &machine.cause },
		{ "mtval", &machine.value },
		{ "mstatus", &machine.status },
		{ "mepc", &machine.epc },
		{ "mtvec", &machine.vector },
		{ "scause", &supervisor.cause },
		{ "stval", &supervisor.value },
		{ "sstatus", &supervisor.status },
		{ "sepc", &supervisor.epc },
		{ "stvec", &supervisor.vector },
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

/* The code of a cause, of exceptions and interrupts alike. */
static uint64_t code_of(uint64_t word)
{
	return word & ~INTERRUPT;
}

static bool read_banked(uint64_t mode, const struct banked **of)
{
	*of = mode == MODE_FIRMWARE ? &machine : &supervisor;
	return mode == MODE_FIRMWARE || mode == MODE_KERNEL;
}

/* The mode that a status register says was before. */
static uint64_t previous(const struct banked *banked, uint64_t status)
{
	return banked == &machine ? status >> MPP_SHIFT & 3 : status >> SPP_SHIFT & 1;
}

/* Interrupts are numbered behind the exceptions. */
static uint64_t cause_of(uint64_t word)
{
	uint64_t code = code_of(word);

	if (code >= WM_TRAP_CODES)
		return WM_TRAP_UNKNOWN;
	return word & INTERRUPT ? WM_TRAP_CODES + code : code;
}

static bool read_trap(struct arch_trap *trap)
{
	const struct banked *banked;
	uint64_t cause, status;

	learn();
	if (!registers_read_at(priv, &trap->after) ||
	    !read_banked(trap->after, &banked) ||
	    !registers_read_at(banked->cause, &cause) ||
	    !registers_read_at(banked->value, &trap->value) ||
	    !registers_read_at(banked->status, &status))
		return false;
	trap->cause = cause_of(cause);
	trap->before = previous(banked, status);
	return true;
}

static bool read_return(enum arch_insn insn, struct arch_return *ret)
{
	const struct banked *banked = insn == ARCH_RETURN_MACHINE ? &machine :
								    &supervisor;
	uint64_t status;

	learn();
	if (!registers_read_at(priv, &ret->before) ||
	    !registers_read_at(banked->status, &status) ||
	    !registers_read_at(banked->epc, &ret->to))
		return false;
	ret->after = previous(banked, status);
	return true;
}

/* Where a trap leads with a vector's register and a cause. */
static uint64_t led_to(uint64_t vector, uint64_t cause)
{
	uint64_t base = vector & ~UINT64_C(3);

	return vector & 1 && cause & INTERRUPT ? base + VECTOR_BYTES * code_of(cause) :
						 base;
}

/* A trap leaves interrupts off. */
static bool read_entry(struct arch_trap *trap)
{
	const struct banked *banked;
	uint64_t cause, status, vector, mode;

	learn();
	if (!registers_read_at(priv, &mode) || !read_banked(mode, &banked) ||
	    !registers_read_at(banked->vector, &vector) ||
	    !registers_read_at(banked->cause, &cause) ||
	    !registers_read_at(banked->status, &status) ||
	    !registers_read_at(banked->epc, &trap->from) ||
	    !registers_read_at(pc, &trap->to))
		return false;
	trap->exception = !(cause & INTERRUPT);
	return !(status & banked->enabled) && trap->to == led_to(vector, cause);
}

static bool read_below(const struct arch_trap *above, struct arch_trap *trap)
{
	uint64_t cause, status, vector, now, machine_status;

	learn();
	if (!registers_read_at(priv, &now) || now != MODE_FIRMWARE ||
	    !registers_read_at(machine.status, &machine_status) ||
	    previous(&machine, machine_status) != MODE_KERNEL ||
	    !registers_read_at(supervisor.vector, &vector) ||
	    !registers_read_at(supervisor.cause, &cause) ||
	    !registers_read_at(supervisor.status, &status) ||
	    !registers_read_at(supervisor.value, &trap->value) ||
	    !registers_read_at(supervisor.epc, &trap->from))
		return false;
	trap->to = above->from;
	trap->exception = !(cause & INTERRUPT);
	trap->cause = cause_of(cause);
	trap->before = previous(&supervisor, status);
	trap->after = MODE_KERNEL;
	return !(status & supervisor.enabled) && trap->to == led_to(vector, cause);
}

static struct arch_vectors vectors_of(uint64_t vector)
{
	return (struct arch_vectors){ vector & ~UINT64_C(3), vector & 1 ? VECTORS : 1,
				      VECTOR_BYTES };
}

static const struct named_register *vector_of(unsigned csr)
{
	return csr == MTVEC ? machine.vector : supervisor.vector;
}

/* What csrrw, csrrs or csrrc, with a register or with a constant in its place, makes of a CSR. */
static uint64_t written_by(uint32_t code, const struct named_register *csr)
{
	unsigned from = code >> RS1_SHIFT & RS1_MASK,
		 kind = code >> KIND_SHIFT & KIND_MASK;
	uint64_t words[2] = { 0 }, old = 0;

	if (kind & KIND_CONSTANT)
		words[0] = from;
	else if (from)
		registers_read(NULL, from, words);
	registers_read_at(csr, &old);
	switch (kind & ~KIND_CONSTANT) {
	case KIND_SET:
		return old | words[0];
	case KIND_CLEAR:
		return old & ~words[0];
	default:
		return words[0];
	}
}

static struct arch_vectors read_vectors(uint32_t code)
{
	learn_locked();
	return vectors_of(written_by(code, vector_of(code >> CSR_SHIFT)));
}

static struct arch_vectors vectors_now(unsigned i)
{
	uint64_t vector = 0;

	learn_locked();
	if (i > 1 || !registers_read_at(i ? supervisor.vector : machine.vector, &vector))
		return (struct arch_vectors){ .n = 0 };
	return vectors_of(vector);
}

static bool is_of_csr(uint32_t word)
{
	return (word & OPCODE) == SYSTEM && word >> KIND_SHIFT & KIND_OPERATION;
}

static bool is_vector(uint32_t word)
{
	uint32_t csr = word >> CSR_SHIFT;

	return is_of_csr(word) && (csr == STVEC || csr == VSTVEC || csr == MTVEC);
}

static enum arch_insn insn(const uint8_t *code, unsigned size)
{
	uint32_t word = 0;

	memcpy(&word, code, size < sizeof(word) ? size : sizeof(word));
	if ((word & OPCODE) == AMO)
		return ARCH_ALONE;
	if (is_vector(word))
		return ARCH_SETS_VECTOR;
	switch (word) {
	case ECALL:
		return ARCH_CALL;
	case EBREAK:
		return ARCH_HOST;
	case WFI:
		return ARCH_HALT;
	case SRET:
		return ARCH_RETURN;
	case MRET:
		return ARCH_RETURN_MACHINE;
	default:
		return ARCH_PLAIN;
	}
}

/* One that sets or clears the bits of x0 reads the CSR only. */
static bool sets_table(uint32_t code)
{
	bool writes = (code >> KIND_SHIFT & KIND_OPERATION) == KIND_WRITE ||
		      code >> RS1_SHIFT & RS1_MASK;

	return is_of_csr(code) && code >> CSR_SHIFT == SATP && writes;
}

/* satp: a page's number, and an identifier and a mode above it; without a mode there is no table. */
static uint64_t read_table(uint32_t code)
{
	uint64_t value;

	learn_locked();
	value = written_by(code, satp);
	return value >> PAGING_SHIFT ? (value & ROOT_MASK) << PAGE_SHIFT : 0;
}

const struct arch arch_riscv64 = {
	.target = "riscv64",
	.arguments = { A0, A0 + 1 },
	.call_number = A7,
	.call_arguments = { A0, A0 + 1, A0 + 2, A0 + 3, A0 + 4, A0 + 5 },
	.call_result = A0,
	.call_bytes = 4,
	.hart = "mhartid",
	.sets_table = sets_table,
	.read_table = read_table,
	.insn = insn,
	.read_trap = read_trap,
	.read_return = read_return,
	.read_entry = read_entry,
	.read_below = read_below,
	.read_vectors = read_vectors,
	.vectors_now = vectors_now,
	.starts = { 0x1000, 0x1000 },
};
