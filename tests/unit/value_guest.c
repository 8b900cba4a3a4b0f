// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest keeps what the codec does not: the values of all registers, known or not. So
 * what an access is follows from nothing but its instruction.
 *
 * Invariant: `known` is followed as a plugin does it, and only an access whose base is known
 * within its block leaves its address out of the ring.
 */
#include "value_guest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sample.h"

uint64_t value_seed;

uint32_t value_any(uint32_t n)
{
	return sample_random(&value_seed) % n;
}

uint64_t value_any64(void)
{
	return (uint64_t)sample_random(&value_seed) << 32 ^ sample_random(&value_seed);
}

static struct value_op random_op(uint16_t insn)
{
	struct value_op op = { .kind = (uint8_t)value_any(OP_KINDS),
			       .insn = insn,
			       .rd = VALUE_NO_REGISTER,
			       .rs = VALUE_NO_REGISTER,
			       .rt = VALUE_NO_REGISTER };
	bool access = op.kind == OP_LOAD || op.kind == OP_STORE;

	if (op.kind == OP_FORGET) {
		op.mask = sample_random(&value_seed) & sample_random(&value_seed) & ~1u;
		return op;
	}
	if (op.kind != OP_STORE)
		op.rd = (uint8_t)(1 + value_any(VALUE_REGISTERS - (op.kind != OP_LOAD)));
	if (op.kind != OP_SET)
		op.rs = (uint8_t)value_any(VALUE_REGISTERS);
	if (op.kind == OP_SUM || op.kind == OP_STORE)
		op.rt = (uint8_t)value_any(VALUE_REGISTERS + (op.kind == OP_STORE));
	if (op.kind != OP_SUM)
		op.imm = value_any(2) ? (int64_t)value_any(4096) - 2048 :
					(int64_t)value_any64();
	if (access) {
		op.size = (uint8_t)value_any(VALUE_SIZE_MAX + 1);
		op.is_signed = op.kind == OP_LOAD && value_any(2);
		op.in_lane = value_any(2);
	}
	return op;
}

static uint64_t cut(const struct value_guest *guest, uint64_t value)
{
	return guest->width == 32 ? (uint32_t)value : value;
}

/* Which registers are known after an operation, as a plugin would see it. */
static void follow(const struct value_op *op, uint64_t *known)
{
	bool known_now = true;

	if (op->kind == OP_FORGET)
		*known &= ~(uint64_t)op->mask;
	if (op->kind == OP_ADD || op->kind == OP_SUM)
		known_now = *known >> op->rs & 1;
	if (op->kind == OP_SUM)
		known_now &= *known >> op->rt & 1;
	if (op->kind == OP_LOAD || op->kind == OP_STORE)
		*known |= UINT64_C(1) << op->rs;
	if (op->kind == OP_LOAD)
		known_now = false;
	if (op->kind != OP_FORGET && op->kind != OP_STORE)
		*known = (*known & ~(UINT64_C(1) << op->rd)) | (uint64_t)known_now
								       << op->rd;
}

static void make_block(struct value_guest *guest, uint32_t id, struct buf *program)
{
	uint64_t known = 1;
	uint16_t last = 0;

	program->len = 0;
	guest->op_count[id] = value_any(VALUE_GUEST_OPS + 1);
	for (unsigned i = 0; i < guest->op_count[id]; i++) {
		struct value_op *op = &guest->ops[id][i];

		*op = random_op((uint16_t)(i * VALUE_GUEST_INSNS / VALUE_GUEST_OPS));
		op->rs = op->rs < VALUE_REGISTERS ? op->rs % 8 : op->rs;
		/* What follows must be known; what is in the lane may be. */
		if (op->kind >= OP_LOAD && !(known >> op->rs & 1))
			op->in_lane = true;
		follow(op, &known);
		value_op_put(program, op, &last);
	}
}

void value_guest_make(struct value_guest *guest, uint32_t wanted, uint32_t width,
		      struct buf *site)
{
	struct sites_writer sites;
	struct buf program = BUF_INIT;

	*guest = (struct value_guest){ .wanted = wanted, .width = width };
	guest->programs = value_programs_new();
	guest->programs->wanted = wanted;
	guest->programs->width = width;
	guest->ring = calloc(VALUE_GUEST_RING, sizeof(*guest->ring));
	guest->words = (struct value_words){ guest->ring, VALUE_GUEST_RING - 1,
					     VALUE_GUEST_RING - 77,
					     VALUE_GUEST_RING - 77 };
	guest->expected = calloc(VALUE_GUEST_MOST, sizeof(*guest->expected));
	guest->done = calloc(VALUE_GUEST_MOST, sizeof(*guest->done));
	sites_writer_init(&sites, 1);
	for (uint32_t id = 1; id <= VALUE_GUEST_BLOCKS; id++) {
		struct wm_error err;

		make_block(guest, id, &program);
		assert_int_equal(value_programs_define(guest->programs, VALUE_GUEST_INSNS,
						       span_of(program.data, program.len),
						       &err),
				 0);
		assert_true(sites_writer_add(&sites, span_of(program.data, program.len)));
	}
	sites_writer_flush(&sites, wanted, width, site);
	assert_int_equal(sites.first, VALUE_GUEST_BLOCKS + 1);
	sites_writer_fini(&sites);
	buf_fini(&program);
}

void value_guest_free(struct value_guest *guest)
{
	value_programs_free(guest->programs);
	free(guest->ring);
	free(guest->expected);
	free(guest->done);
}

static void put_word(struct value_guest *guest, uint64_t word)
{
	guest->ring[guest->words.end++ % VALUE_GUEST_RING] = word;
}

static struct wm_access *expect(struct value_guest *guest, unsigned kind, unsigned insn,
				unsigned bytes, uint64_t address)
{
	struct wm_access *access = &guest->expected[guest->expected_count];

	assert_true(guest->expected_count++ < VALUE_GUEST_MOST);
	*access = (struct wm_access){ .address = address,
				      .block = guest->block,
				      .insn = insn,
				      .size = (uint8_t)bytes,
				      .kind = (uint8_t)kind };
	return access;
}

/* All words of the access that is expected last are in the ring. */
static void note_done(struct value_guest *guest, bool fires)
{
	guest->done[guest->expected_count - 1] =
		(struct value_done){ guest->words.end, fires };
}

static void put_data(struct value_guest *guest, struct wm_access *access, unsigned words,
		     uint64_t first)
{
	access->has_data = true;
	access->data[0] = first;
	put_word(guest, first);
	if (words > 1) {
		access->data[1] = value_any(3);
		put_word(guest, access->data[1]);
	}
}

static void run_access(struct value_guest *guest, const struct value_op *op)
{
	bool is_load = op->kind == OP_LOAD;
	uint64_t data = is_load ? (value_any(2) ? value_any(4) : value_any64()) :
				  guest->registers[op->rt];
	uint64_t address = cut(guest, guest->registers[op->rs] + (uint64_t)op->imm);
	struct wm_access *access = expect(guest,
					  is_load ? WM_ACCESS_LOAD : WM_ACCESS_STORE,
					  op->insn, 1u << op->size, address);

	if (!is_load && op->rt == VALUE_NO_REGISTER)
		data = value_any64();
	if (op->size < 3)
		data &= (UINT64_C(1) << (8 << op->size)) - 1;
	if (op->in_lane)
		put_word(guest, address);
	if (guest->wanted & VALUES_DATA)
		put_data(guest, access, op->size > 3 ? 2 : 1, data);
	note_done(guest, false);
	if (op->is_signed && op->size < 3 && data >> ((8 << op->size) - 1))
		data |= UINT64_MAX << (8 << op->size);
	if (is_load && op->rd != VALUE_NO_REGISTER)
		guest->registers[op->rd] = cut(guest, data);
}

static void run_op(struct value_guest *guest, const struct value_op *op)
{
	uint64_t *registers = guest->registers, value = (uint64_t)op->imm;

	switch (op->kind) {
	case OP_FORGET:
		for (unsigned i = 0; i < VALUE_REGISTERS; i++)
			if (op->mask >> i & 1)
				registers[i] =
					cut(guest, value_any(2) ? value_any64() : 0x1000);
		return;
	case OP_SUM:
		value = registers[op->rs] + registers[op->rt];
		break;
	case OP_ADD:
		value += registers[op->rs];
		break;
	case OP_SET:
		break;
	default:
		run_access(guest, op);
		return;
	}
	registers[op->rd] = cut(guest, value);
}

static void run_firing(struct value_guest *guest, const struct value_firing *firing)
{
	static const uint8_t kinds[VALUE_KINDS] = {
		WM_ACCESS_LOAD,	   WM_ACCESS_STORE,  WM_ACCESS_REGISTER,
		WM_ACCESS_WRITTEN, WM_ACCESS_MEMORY, WM_ACCESS_RETURNED,
	};
	bool is_register = value_is_register(firing->kind);
	struct wm_access *access =
		expect(guest, kinds[firing->kind], firing->insn,
		       is_register ? 8u << firing->size : 1u << firing->size,
		       is_register ? firing->what & VALUE_NUMBER_MASK : value_any(4) * 8);

	access->place = (uint16_t)(firing->what >> VALUE_PLACE_SHIFT);
	if (!is_register)
		put_word(guest, access->address);
	if (is_register)
		put_data(guest, access, firing->size + 1u, value_any(7));
	else if (guest->wanted & VALUES_DATA || firing->kind == VALUE_MEMORY)
		put_data(guest, access, firing->size > 3 ? 2 : 1, value_any64());
	note_done(guest, true);
}

/* Few different patterns, so that they recur. */
void value_guest_fire(struct value_execution *execution)
{
	uint16_t insn = 0;

	execution->firing_count = value_any(3) * value_any(3);
	for (unsigned i = 0; i < execution->firing_count; i++) {
		struct value_firing *firing = &execution->firings[i];

		insn = (uint16_t)(insn + value_any(3));
		*firing =
			(struct value_firing){ .insn = insn,
					       .kind = (uint8_t)value_any(VALUE_KINDS) };
		firing->size = (uint8_t)(value_is_register(firing->kind) ?
						 value_any(2) :
						 2 + value_any(3));
		if (value_is_register(firing->kind))
			firing->what = value_any(2);
		if (firing->kind > VALUE_STORE)
			firing->what |= value_any(3) << VALUE_PLACE_SHIFT;
	}
}

/* Whether it is left early, not before its last firing; returns its accesses then. */
static uint32_t leave(const struct value_guest *guest, struct value_execution *execution)
{
	uint32_t n = execution->firing_count;
	uint16_t last = n ? execution->firings[n - 1].insn : 0;

	execution->left = 0;
	if (value_any(20))
		return guest->programs->of[execution->id].accesses;
	execution->left = (uint16_t)(1 + last + value_any(VALUE_GUEST_INSNS - last));
	return value_program_before(guest->programs, execution->id, execution->left - 1u);
}

void value_guest_run(struct value_guest *guest, struct value_execution *execution)
{
	const struct value_program *program = &guest->programs->of[execution->id];
	uint32_t at = 0, n = guest->op_count[execution->id], done = 0;
	uint32_t most = leave(guest, execution);

	for (uint32_t i = 0; i <= execution->firing_count; i++) {
		const struct value_firing *firing =
			i < execution->firing_count ? &execution->firings[i] : NULL;

		for (; at < n; at++) {
			const struct value_op *op = &guest->ops[execution->id][at];

			if (firing && (op->insn > firing->insn ||
				       (op->insn == firing->insn &&
					value_comes_first(firing->kind))))
				break;
			if (op->kind < OP_LOAD) {
				run_op(guest, op);
				continue;
			}
			/* A firing shows that all accesses before it were done. */
			if (!firing && done == most)
				break;
			run_op(guest, op);
			done++;
			most = most < done ? done : most;
		}
		if (firing)
			run_firing(guest, firing);
	}
	execution->accesses = done;
	/* Left early: what other code did to registers is not known to the model. */
	if (done < program->accesses)
		for (unsigned i = 1; i < VALUE_REGISTERS; i++)
			guest->registers[i] = cut(guest, value_any64());
}
