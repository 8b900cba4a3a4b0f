// SPDX-License-Identifier: GPL-2.0-or-later
/* Its methods are made up as they run: what is at an address follows from it. */
#include "fetch_guest.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "sample.h"

enum { METHODS = 12, METHOD_BYTES = 0x240, DEPTH = 100 };
#define METHODS_AT UINT64_C(0x7f4000)

struct interpreter {
	uint64_t seed, pc;
	uint64_t calls[DEPTH];
	unsigned depth, began;
};

/* The fetch, and then nothing is known of what it was by. */
static void put_program(struct buf *program)
{
	struct value_op load = { .kind = OP_LOAD,
				 .in_lane = true,
				 .rd = VALUE_NO_REGISTER,
				 .rs = 11,
				 .rt = VALUE_NO_REGISTER };
	struct value_op forget = { .kind = OP_FORGET, .insn = 1, .mask = 1u << 11 };
	uint16_t insn = 0;

	value_op_put(program, &load, &insn);
	value_op_put(program, &forget, &insn);
}

void fetch_guest_define(struct value_programs *programs, struct sites_writer *sites)
{
	for (unsigned id = 1; id <= FETCH_BLOCKS; id++) {
		struct buf program = BUF_INIT;
		struct span span;

		put_program(&program);
		span = span_of(program.data, program.len);
		assert_int_equal(value_programs_define(programs, 2, span, NULL), 0);
		if (sites)
			assert_true(sites_writer_add(sites, span));
		buf_fini(&program);
	}
}

static uint64_t method(uint64_t number)
{
	return METHODS_AT + number % METHODS * METHOD_BYTES;
}

static bool chance(struct interpreter *vm, uint32_t n)
{
	return !(sample_random(&vm->seed) % n);
}

static unsigned step(struct interpreter *vm, unsigned bytes)
{
	vm->pc += bytes;
	return bytes == 1 ? FETCH_SHORT : FETCH_LONG;
}

static unsigned call(struct interpreter *vm, uint64_t to)
{
	if (vm->depth < DEPTH)
		vm->calls[vm->depth++] = vm->pc + 3;
	vm->pc = method(to);
	return FETCH_CALL;
}

static unsigned leave(struct interpreter *vm, unsigned calls)
{
	while (calls-- && vm->depth)
		vm->pc = vm->calls[--vm->depth];
	return vm->depth ? FETCH_RETURN : call(vm, vm->began++);
}

/* What the bytecode at pc does. */
static unsigned execute(struct interpreter *vm)
{
	uint64_t is = vm->pc * UINT64_C(0x9e3779b97f4a7c15) >> 32, kind = is % 16;

	if (chance(vm, 500)) {
		leave(vm, 3);
		return FETCH_THROW;
	}
	if (kind < 10)
		return step(vm, kind < 7 ? 1 : 3);
	if (kind < 12) {
		if (chance(vm, 6))
			return step(vm, 3);
		vm->pc += (is & 64 ? 40 : UINT64_C(-30));
		return FETCH_JUMP;
	}
	if (kind < 14 && vm->depth >= 2 + (is >> 20) % 12)
		return step(vm, 3);
	if (kind < 14)
		return call(vm, chance(vm, 40) ? sample_random(&vm->seed) : is >> 8);
	return leave(vm, 1);
}

void fetch_guest_run(uint64_t seed, uint32_t *ids, uint64_t *words, size_t n)
{
	struct interpreter vm = { .seed = seed, .pc = method(0) };

	for (size_t i = 0; i < n; i++) {
		ids[i] = execute(&vm);
		words[i] = vm.pc;
	}
}
