// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks over a block once and keeps the set of registers whose values follow from what
 * the block has stored or from constants. An access whose base is in the set needs no
 * callback for its address; another one has its address in the lane, which makes its base
 * known. The set begins empty: readers who know more, from the blocks before, use that to
 * predict words, never to leave words out. So a wrong guess of theirs costs bytes and
 * never changes an address.
 *
 * Registers that are forgotten are gathered, and told when an operation reads one of
 * them, or at the block's end: one operation instead of many.
 *
 * Example:	ld   a5, 8(a0)		LOAD  a5, [a0 + 8], in the lane; then a0 is known
 *		xor  a4, a4, a5		-
 *		sd   a4, 16(a0)		FORGET a4; STORE [a0 + 16] of a4: the address follows
 *		addi a0, a0, 24		ADD   a0 = a0 + 24; still known
 *
 * Of guests whose instructions nobody decodes here the program is empty, and every
 * access a firing.
 */
#include "plugin/core/program.h"

#include <string.h>

#include "isa/riscv_registers.h"
#include "isa/riscv_values.h"
#include "plugin/core/dialect.h"
#include "plugin/core/sites.h"
#include "plugin/core/tb_code.h"

static struct program program;
static unsigned xlen; /* 0: there is no program */
static bool any_cpu;
static uint32_t wanted;

void program_init(const char *target_name, uint32_t values)
{
	enum dialect_cpu cpu = dialect_cpu();

	wanted = values;
	any_cpu = cpu != CPU_DEFAULT;
	xlen = 0;
	if (cpu == CPU_ANY)
		return;
	if (!strcmp(target_name, "riscv64"))
		xlen = 64;
	else if (!strcmp(target_name, "riscv32"))
		xlen = 32;
}

/* The state of the walk. */
struct walk {
	uint32_t known;	    /* bit n: register n follows from what is stored */
	uint32_t forgotten; /* not told yet */
	uint16_t insn;	    /* of the operation before */
};

static uint32_t bit(uint8_t number)
{
	/* Registers that are not followed, and x0, are in no set. */
	return number < VALUE_REGISTERS ? 1u << number & ~1u : 0;
}

static void tell_forgotten(struct walk *walk, uint16_t insn)
{
	struct value_op op = { .kind = OP_FORGET, .insn = insn, .mask = walk->forgotten };

	if (walk->forgotten)
		value_op_put(&program.bytes, &op, &walk->insn);
	walk->forgotten = 0;
}

/* Adds an operation that reads these registers and writes op->rd, if that is one. */
static void add(struct walk *walk, const struct value_op *op, uint32_t read)
{
	if (walk->forgotten & read)
		tell_forgotten(walk, op->insn);
	value_op_put(&program.bytes, op, &walk->insn);
	walk->forgotten &= ~bit(op->rd);
}

static void forget(struct walk *walk, uint32_t registers)
{
	walk->known &= ~registers;
	walk->forgotten |= registers;
}

/* rd is known from now on if all these registers are. */
static void follow(struct walk *walk, uint8_t rd, uint32_t registers)
{
	if ((walk->known & registers) == registers)
		walk->known |= bit(rd);
	else
		walk->known &= ~bit(rd);
}

static struct value_op op_of(enum value_op_kind kind, const struct riscv_effect *effect,
			     uint16_t insn)
{
	return (struct value_op){
		.kind = kind,
		.size = effect->size,
		.is_signed = effect->is_signed,
		.insn = insn,
		.rd = effect->rd,
		.rs = effect->rs,
		.rt = effect->rt,
		.imm = effect->imm,
	};
}

/* A load or store. */
static void add_access(struct walk *walk, const struct riscv_effect *effect,
		       uint16_t insn)
{
	bool loads = effect->kind == RISCV_LOADS;
	struct value_op op = op_of(loads ? OP_LOAD : OP_STORE, effect, insn);
	uint32_t base = bit(op.rs);

	if (!loads)
		op.rd = VALUE_NO_REGISTER;
	if (!(wanted & (loads ? VALUES_LOADS : VALUES_STORES))) {
		forget(walk, bit(op.rd));
		return;
	}
	op.in_lane = (walk->known & base) != base;
	program.access[insn] = op.in_lane ? ACCESS_IN_LANE : ACCESS_DERIVED;
	program.size[insn] = op.size;
	add(walk, &op, base | (loads ? 0 : bit(op.rt)));
	walk->known |= base;
	/* Last: a load may write its own base. */
	walk->known &= ~bit(op.rd);
}

static void add_effect(struct walk *walk, const struct riscv_effect *effect,
		       uint16_t insn)
{
	uint32_t read = bit(effect->rs);
	struct value_op op;

	switch ((enum riscv_effect_kind)effect->kind) {
	case RISCV_ACCESSES:
		program.access[insn] = ACCESS_FIRING;
		forget(walk, effect->written);
		return;
	case RISCV_WRITES:
		forget(walk, effect->written);
		return;
	case RISCV_SETS:
		op = op_of(OP_SET, effect, insn);
		read = 0;
		break;
	case RISCV_ADDS:
		op = op_of(OP_ADD, effect, insn);
		break;
	case RISCV_SUMS:
		op = op_of(OP_SUM, effect, insn);
		read |= bit(effect->rt);
		break;
	default:
		add_access(walk, effect, insn);
		return;
	}
	add(walk, &op, read);
	follow(walk, op.rd, read);
}

/* All accesses are firings. */
static void give_up(uint32_t insns)
{
	program.bytes.len = 0;
	memset(program.access, ACCESS_FIRING, insns);
}

/* ---- sites --------------------------------------------------------------- */

/*
 * Registers that sites in code of no file load by: an interpreter's pointer to its program.
 * They are followed through the interpreter's code, so that an address that is the one before plus
 * a constant costs nothing. Readers take it that what that code calls leaves them as they were; a
 * guess that turns out wrong costs a word. Compiled code uses them for anything: followed there,
 * most of its blocks would have a program, and nothing to store.
 *
 * They are known before any of that code is translated, not by its first site: what enters a
 * method has no site itself, is translated before the method's first bytecode is fetched, and
 * sets them. Readers who were not told would guess wrong at each call.
 */
static uint32_t pointers;

static void add_site(struct walk *walk, const struct riscv_effect *effect, uint16_t insn,
		     bool is_followed)
{
	struct value_op op = op_of(OP_LOAD, effect, insn);

	op.rd = VALUE_NO_REGISTER;
	op.in_lane = true;
	program.access[insn] = ACCESS_IN_LANE;
	program.size[insn] = op.size;
	add(walk, &op, bit(op.rs));
	if (!is_followed)
		forget(walk, bit(op.rs));
}

void program_site(uint32_t word)
{
	struct riscv_effect effect;

	if (!xlen)
		return;
	effect = riscv_effect(word, xlen, 0, any_cpu);
	if (effect.kind == RISCV_LOADS)
		pointers |= bit(effect.rs);
}

/* What an instruction that is no site does to these registers. */
static void follow_pointers(struct walk *walk, const struct riscv_effect *effect,
			    uint32_t word, uint16_t insn)
{
	struct riscv_registers named;
	struct value_op op;

	if (effect->kind == RISCV_ADDS && bit(effect->rd) & pointers &&
	    bit(effect->rs) & pointers) {
		op = op_of(OP_ADD, effect, insn);
		add(walk, &op, bit(op.rs));
		return;
	}
	riscv_registers(word, xlen, &named);
	forget(walk, named.written[RISCV_X] & pointers);
}

/* Only loads at sites are accesses. */
static void add_sites(const struct tb_code *tb_code)
{
	uint64_t address = tb_code->address;
	const uint8_t *code = tb_code->code;
	/* Of few sites, no register foretells the next one: what leads to it has none. */
	bool is_followed = !tb_code->origin.file && !sites_step();
	struct walk walk = { 0 };

	if (!sites_near(address))
		return;
	for (uint32_t i = 0; i < tb_code->insns; i++) {
		struct riscv_effect effect;
		uint32_t word = 0;

		memcpy(&word, code, tb_code->sizes[i]);
		effect = riscv_effect(word, xlen, address, any_cpu);
		if (effect.kind == RISCV_LOADS && sites_has(address))
			add_site(&walk, &effect, (uint16_t)i, is_followed);
		else if (is_followed)
			follow_pointers(&walk, &effect, word, (uint16_t)i);
		code += tb_code->sizes[i];
		address += tb_code->sizes[i];
	}
	tell_forgotten(&walk, (uint16_t)(tb_code->insns - 1));
}

const struct program *program_of(const struct tb_code *tb_code)
{
	const uint8_t *code = tb_code->code;
	uint64_t address = tb_code->address;
	struct walk walk = { 0 };

	program.bytes.len = 0;
	program.bytes.failed = false;
	memset(program.access, ACCESS_NONE, tb_code->insns);
	if (wanted & VALUES_SITES && xlen)
		add_sites(tb_code);
	if (!(wanted & VALUES_ALL) || wanted & VALUES_SITES)
		return &program;
	if (!xlen) {
		give_up(tb_code->insns);
		return &program;
	}
	for (uint32_t i = 0; i < tb_code->insns; i++) {
		struct riscv_effect effect;
		uint32_t word = 0;

		memcpy(&word, code, tb_code->sizes[i]);
		effect = riscv_effect(word, xlen, address, any_cpu);
		add_effect(&walk, &effect, (uint16_t)i);
		code += tb_code->sizes[i];
		address += tb_code->sizes[i];
	}
	if (tb_code->insns)
		tell_forgotten(&walk, (uint16_t)(tb_code->insns - 1));
	if (program.bytes.failed)
		give_up(tb_code->insns);
	return &program;
}
