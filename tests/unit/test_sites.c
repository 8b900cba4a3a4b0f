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
static const uint8_t told[] = { 0x80, 0x40 }; /* 0x2000 */

/* A guest that has these at 0x2000 and at 0x9000. */
static bool read_guest(uint64_t address, void *to, size_t bytes)
{
	if (address >= 0x2000 && address + bytes <= 0x2000 + sizeof(fetch))
		memcpy(to, (const uint8_t *)fetch + (address - 0x2000), bytes);
	else if (address >= 0x9000 && address + bytes <= 0x9000 + sizeof(told))
		memcpy(to, told + (address - 0x9000), bytes);
	else
		return false;
	return true;
}

/* The pointer is set before the first site is translated, and readers are told. */
static void entered_first(void)
{
	struct span program;
	struct value_op op;
	uint16_t insn = 0;

	recording_open()->values = VALUES_LOADS | VALUES_SITES;
	recording_start("riscv64");
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
	recording_open()->values = VALUES_LOADS | VALUES_SITES;
	recording_start("riscv64");
	fake_block(0x2000, "4", fetch);
	fake_block(0x20000, "44", enter);
	notes_send(0, read_guest, NOTE_SITES, 0x9000, sizeof(told));
	fake_run(0, 0x2000);
	assert_true(program_bytes(0x2000));
	fake_run(0, 0x20000);
	assert_false(program_bytes(0x20000));
	assert_int_equal(link_last_id(0), lane_last(&lane_heads[0], 0));
}

APART(entered_first)
APART(far_away)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entered_first),
		cmocka_unit_test(test_far_away),
	};

	return cmocka_run_group_tests_name("sites", tests, NULL, NULL);
}
