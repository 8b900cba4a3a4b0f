// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/core/sites: loads that the guest has told, and what their blocks' programs follow. */
#include "plugin/core/sites.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/note.h"
#include "format/values.h"
#include "plugin/core/lane.h"
#include "plugin/core/link.h"
#include "plugin/core/notes.h"
#include "tests/unit/fake/qemu.h"
#include "tests/unit/fake/recording.h"

/* What a method is entered by, and the fetch of its first bytecode in another block. */
static const uint32_t enter[] = {
	0x00853b03, /* ld s6,8(a0) */
	0x030b0b13, /* addi s6,s6,48 */
};
static const uint32_t fetch[] = {
	0x000b4283, /* lbu t0,0(s6) */
};
static const uint8_t told[] = { 0x80, 0x40 };	 /* 0x2000 */
static const uint8_t kept[] = { 0x80, 0x80, 1 }; /* 0x4000 */
/* An evaluator of code units of two bytes, and what its agent tells: 0x3000, 24 bytes, 2. */
static const uint32_t evaluator[] = {
	0x00045803, /* lhu a6,0(s0) */
	0x0ff87793, /* andi a5,a6,255 */
	0x00379793, /* slli a5,a5,3 */
	0x014787b3, /* add a5,a5,s4 */
	0x0007b783, /* ld a5,0(a5) */
	0x00078067, /* jr a5 */
};
static const uint8_t named[] = { 0x80, 0x60, 24, 2 };
static const uint8_t endless[] = { 0x80, 0x60, 0xff, 0xff, 0xff, 0xff, 0x0f, 2 };

/* A guest that has these at 0x2000, 0x3000, 0x4000, and from 0x9000 on. */
static bool read_guest(uint64_t address, void *to, size_t bytes)
{
	if (address >= 0x3000 && address + bytes <= 0x3000 + sizeof(evaluator))
		memcpy(to, (const uint8_t *)evaluator + (address - 0x3000), bytes);
	else if (address >= 0x9100 && address + bytes <= 0x9100 + sizeof(named))
		memcpy(to, named + (address - 0x9100), bytes);
	else if (address >= 0x9200 && address + bytes <= 0x9200 + sizeof(endless))
		memcpy(to, endless + (address - 0x9200), bytes);
	else if (address >= 0x9300 && address + bytes <= 0x9300 + sizeof(kept))
		memcpy(to, kept + (address - 0x9300), bytes);
	else if (address >= 0x4000 && address + bytes <= 0x4000 + sizeof(fetch))
		memcpy(to, (const uint8_t *)fetch + (address - 0x4000), bytes);
	else if (address >= 0x2000 && address + bytes <= 0x2000 + sizeof(fetch))
		memcpy(to, (const uint8_t *)fetch + (address - 0x2000), bytes);
	else if (address >= 0x9000 && address + bytes <= 0x9000 + sizeof(told))
		memcpy(to, told + (address - 0x9000), bytes);
	else
		return false;
	return true;
}

static void begin(void)
{
	recording_open()->values = VALUES_LOADS | VALUES_SITES;
	recording_start("riscv64");
}

/* The pointer is set before the first site is translated, and readers are told. */
static void entered_first(void)
{
	struct span program;
	struct value_op op;
	uint16_t insn = 0;

	begin();
	fake_block(0x1000, "44", enter);
	fake_block(0x2000, "4", fetch);
	notes_send(0, read_guest, NOTE_SITES, 0x9000, sizeof(told));
	fake_run(0, 0x1000);
	program = recording_program(0x1000);
	assert_true(value_op_get(&program, &op, &insn));
	assert_int_equal(op.kind, OP_FORGET);
	assert_int_equal(op.mask, 1 << 22);
	assert_true(value_op_get(&program, &op, &insn));
	assert_int_equal(op.kind, OP_ADD);
	assert_int_equal(op.imm, 48);
	assert_false(value_op_get(&program, &op, &insn));
}

static size_t program_bytes(uint64_t address)
{
	struct span program = recording_program(address);

	return span_left(&program);
}

/*
 * Code far from the interpreter may use its pointer for anything: nothing is followed there, and the
 * block that was entered last is the one that ran.
 */
static void far_away(void)
{
	begin();
	fake_block(0x2000, "4", fetch);
	fake_block(0x20000, "44", enter);
	notes_send(0, read_guest, NOTE_SITES, 0x9000, sizeof(told));
	fake_run(0, 0x2000);
	assert_true(program_bytes(0x2000));
	fake_run(0, 0x20000);
	assert_false(program_bytes(0x20000));
	assert_int_equal(link_last_id(0), lane_last(&lane_heads[0], 0));
}

/* The function is searched for the loads by which it dispatches. */
static void evaluates(void)
{
	struct span program;
	struct value_op op;
	uint16_t insn = 0;

	begin();
	fake_block(0x3000, "444444", evaluator);
	notes_send(0, read_guest, NOTE_EVALUATOR, 0x9200, sizeof(endless));
	notes_send(0, read_guest, NOTE_EVALUATOR, 0x9100, sizeof(named));
	fake_run(0, 0x3000);
	program = recording_program(0x3000);
	assert_true(value_op_get(&program, &op, &insn));
	assert_int_equal(op.kind, OP_LOAD);
	assert_int_equal(op.rs, 8);
	assert_int_equal(insn, 0);
	assert_false(value_op_get(&program, &op, &insn));
}

static void tell_both(uint32_t values)
{
	begin();
	slot_arena()->header.values |= values;
	fake_block(0x2000, "44", enter);
	fake_block(0x4000, "4", fetch);
	notes_send(0, read_guest, NOTE_STEPS, 0x9300, sizeof(kept));
	notes_send(0, read_guest, NOTE_SITES, 0x9000, sizeof(told));
	fake_run(0, 0x2000);
	fake_run(0, 0x4000);
}

/* What follows is left out: only the other sites are recorded, and no register is followed. */
static void steps(void)
{
	struct span program;
	struct value_op op;
	uint16_t insn = 0;

	tell_both(VALUES_STEPS);
	assert_false(program_bytes(0x2000));
	program = recording_program(0x4000);
	assert_true(value_op_get(&program, &op, &insn));
	assert_int_equal(op.kind, OP_LOAD);
	assert_true(value_op_get(&program, &op, &insn));
	assert_int_equal(op.kind, OP_FORGET);
	assert_int_equal(op.mask, 1 << 22);
	assert_false(value_op_get(&program, &op, &insn));
}

/* Of a part of a run all sites are, and nothing else. */
static void steps_not(void)
{
	tell_both(0);
	assert_true(program_bytes(0x2000));
	assert_false(program_bytes(0x4000));
	assert_false(sites_step());
	assert_false(sites_has(0x4000));
}

APART(entered_first)
APART(far_away)
APART(evaluates)
APART(steps)
APART(steps_not)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entered_first), cmocka_unit_test(test_far_away),
		cmocka_unit_test(test_evaluates),     cmocka_unit_test(test_steps),
		cmocka_unit_test(test_steps_not),
	};

	return cmocka_run_group_tests_name("sites", tests, NULL, NULL);
}
