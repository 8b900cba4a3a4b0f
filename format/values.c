// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of programs. The plugin writes them into shared memory and the recorder into
 * files, and guests can write to both, so value_op_get() checks every field: whoever uses
 * an operation may index an array of VALUE_REGISTERS with its registers.
 *
 * Invariant: an operation that was read and is put again gives the same bytes, except for
 * varints that are longer than they need to be.
 *
 * Example: `ld a5, 16(a0)` as instruction 3, after an operation of instruction 1, its
 * address in the lane: kind 4, in_lane, step 2 make 0x2c; rd 15; rs 10; size 3 and the
 * sign's bit make 0x0b; zigzag(16) is 0x20. So 2c 0f 0a 0b 20.
 */
#include "format/values.h"

/*
 * Of an operation's first byte: its kind, in_lane, and the step from the instruction
 * before.
 */
#define KIND_BITS 7
#define IN_LANE 8
#define STEP_SHIFT 4
#define STEP_LONG 15
/* Of the byte that has an access's size. */
#define SIZE_BITS 7
#define SIZE_SIGNED 8

/* ---- putting ------------------------------------------------------------- */

static void put_registers(struct buf *program, uint8_t first, uint8_t second)
{
	buf_put_u8(program, first);
	buf_put_u8(program, second);
}

static void put_access(struct buf *program, const struct value_op *op, uint8_t data)
{
	put_registers(program, data, op->rs);
	buf_put_u8(program, op->size | (op->is_signed ? SIZE_SIGNED : 0));
	buf_put_varint(program, zigzag(op->imm));
}

static void put_operands(struct buf *program, const struct value_op *op)
{
	switch (op->kind) {
	case OP_FORGET:
		buf_put_varint(program, op->mask);
		return;
	case OP_SET:
		buf_put_u8(program, op->rd);
		buf_put_varint(program, zigzag(op->imm));
		return;
	case OP_ADD:
		put_registers(program, op->rd, op->rs);
		buf_put_varint(program, zigzag(op->imm));
		return;
	case OP_SUM:
		put_registers(program, op->rd, op->rs);
		buf_put_u8(program, op->rt);
		return;
	case OP_LOAD:
		put_access(program, op, op->rd);
		return;
	default: /* OP_STORE */
		put_access(program, op, op->rt);
		return;
	}
}

void value_op_put(struct buf *program, const struct value_op *op, uint16_t *insn)
{
	/* Operations are in the order of instructions, so the step is not negative. */
	unsigned step = (unsigned)op->insn - *insn;
	unsigned first = step < STEP_LONG ? step : STEP_LONG;

	buf_put_u8(program, (uint8_t)(op->kind | (op->in_lane ? IN_LANE : 0) |
				      first << STEP_SHIFT));
	if (first == STEP_LONG)
		buf_put_varint(program, step - STEP_LONG);
	put_operands(program, op);
	*insn = op->insn;
}

/* ---- getting ------------------------------------------------------------- */

/* A number of at most `most`; more is malformed. */
static uint8_t get_below(struct span *program, uint8_t least, uint8_t most)
{
	uint8_t value = span_u8(program);

	if (value < least || value > most)
		program->failed = true;
	return value;
}

/* Register 0 is never written; a load may write none that is followed. */
static uint8_t get_written(struct span *program, uint8_t most)
{
	return get_below(program, 1, most);
}

static uint8_t get_read(struct span *program)
{
	return get_below(program, 0, VALUE_REGISTERS - 1);
}

static void get_forget(struct span *program, struct value_op *op)
{
	uint64_t mask = span_varint(program);

	/* Register 0 is always known. */
	if (mask > UINT32_MAX || mask & 1)
		program->failed = true;
	op->mask = (uint32_t)mask;
}

/* What loads and stores have after their register of data. */
static void get_access(struct span *program, struct value_op *op)
{
	uint8_t size;

	op->rs = get_read(program);
	/* 5 to 7 are no sizes, which is checked below. */
	size = get_below(program, 0, SIZE_SIGNED | VALUE_SIZE_MAX);
	op->size = size & SIZE_BITS;
	op->is_signed = size & SIZE_SIGNED;
	/* A store has no sign to extend. */
	if (op->size > VALUE_SIZE_MAX || (op->is_signed && op->kind == OP_STORE))
		program->failed = true;
	op->imm = unzigzag(span_varint(program));
}

static void get_operands(struct span *program, struct value_op *op)
{
	switch (op->kind) {
	case OP_FORGET:
		get_forget(program, op);
		return;
	case OP_SET:
		op->rd = get_written(program, VALUE_REGISTERS - 1);
		op->imm = unzigzag(span_varint(program));
		return;
	case OP_ADD:
		op->rd = get_written(program, VALUE_REGISTERS - 1);
		op->rs = get_read(program);
		op->imm = unzigzag(span_varint(program));
		return;
	case OP_SUM:
		op->rd = get_written(program, VALUE_REGISTERS - 1);
		op->rs = get_read(program);
		op->rt = get_read(program);
		return;
	case OP_LOAD:
		/* VALUE_NO_REGISTER: the data goes to a register that is not followed. */
		op->rd = get_written(program, VALUE_NO_REGISTER);
		get_access(program, op);
		return;
	case OP_STORE:
		op->rt = get_below(program, 0, VALUE_NO_REGISTER);
		get_access(program, op);
		return;
	default:
		program->failed = true;
	}
}

static bool is_access(const struct value_op *op)
{
	return op->kind == OP_LOAD || op->kind == OP_STORE;
}

bool value_op_get(struct span *program, struct value_op *op, uint16_t *insn)
{
	uint64_t step;
	uint8_t first;

	/* The end of a program is no failure. */
	if (program->failed || !span_left(program))
		return false;
	first = span_u8(program);
	*op = (struct value_op){ .kind = first & KIND_BITS, .in_lane = first & IN_LANE };
	op->rd = op->rs = op->rt = VALUE_NO_REGISTER;
	step = first >> STEP_SHIFT;
	if (step == STEP_LONG)
		step += span_varint(program);
	/* Checked before the sum is cut to 16 bits. */
	if (step > UINT16_MAX || step + *insn > UINT16_MAX)
		program->failed = true;
	op->insn = *insn = (uint16_t)(*insn + step);
	get_operands(program, op);
	/* Nothing but an access has an address that could be in the lane. */
	if (op->in_lane && !is_access(op))
		program->failed = true;
	return !program->failed;
}
