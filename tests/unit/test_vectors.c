// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/system/vectors: traps are seen where they lead to. */
#include "plugin/system/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plugin/system/arch/arch.h"
#include "plugin/system/system.h"
#include "tests/unit/fake/qemu.h"
#include "tests/unit/fake/recording.h"

#define START 0x80000000u
#define SET 0x80001000u /* a block that sets a vector */
#define VECTOR 0x80002100u
#define INTERRUPT (UINT64_C(1) << 63)

enum {
	PC,
	PRIV,
	A0,
	MTVEC,
	MCAUSE,
	MEPC,
	MSTATUS,
	STVEC,
	SCAUSE,
	SEPC,
	SSTATUS,
	STVAL,
	REGISTERS
};
enum { STATE_WORDS = 1024, FIRMWARE = 3, KERNEL = 1, MIE = 8, SIE = 2 };

static const char *const names[REGISTERS + 1] = { "pc",	    "priv", "a0",      "mtvec",
						  "mcause", "mepc", "mstatus", "stvec",
						  "scause", "sepc", "sstatus", "stval",
						  NULL };
static uint64_t values[REGISTERS][2];
static uint64_t cpu[STATE_WORDS];
static char told[256];
static unsigned translated_again;

static void trapped(unsigned vcpu, enum qemu_plugin_discon_type type, uint64_t from,
		    uint64_t to)
{
	size_t n = strlen(told);

	snprintf(told + n, sizeof(told) - n, "%u %s %llx %llx;", vcpu,
		 type == QEMU_PLUGIN_DISCON_EXCEPTION ? "exception" : "interrupt",
		 (unsigned long long)from, (unsigned long long)to);
}

static void trapped_below(const struct arch_trap *trap)
{
	trapped(trap->hart,
		trap->exception ? QEMU_PLUGIN_DISCON_EXCEPTION :
				  QEMU_PLUGIN_DISCON_INTERRUPT,
		trap->from, trap->to);
}

static void again(void)
{
	translated_again++;
}

/* A machine whose first block has run, with what vectors its registers have. */
static void start(void)
{
	qemu_info_t info = { .target_name = "riscv64", .system.max_vcpus = 1 };

	recording_open();
	system_refuses(&info);
	recording_start_with("riscv64", &system_emulation);
	fake_set_state(cpu);
	fake_set_registers(names, values);
	assert_true(vectors_show_traps());
	vectors_init(1, trapped, trapped_below, again);
	fake_block(START, "4", NULL);
	fake_run(0, START);
}

/* The instruction runs, with a0; all code is translated again. */
static void run_setting(uint32_t code, uint64_t a0)
{
	values[A0][0] = a0;
	fake_block(SET, "4", &code);
	fake_run(0, SET);
}

/* Enters a block at `address`; returns the traps that are told there. */
static const char *come(uint64_t address)
{
	*told = '\0';
	values[PC][0] = address;
	fake_block(address, "4", NULL);
	fake_run(0, address);
	return told;
}

static void exceptions(void)
{
	start();
	run_setting(0x30551073, VECTOR); /* csrw mtvec, a0 */
	assert_int_equal(translated_again, 2);
	values[PRIV][0] = FIRMWARE;
	values[MTVEC][0] = VECTOR;
	values[MCAUSE][0] = 5;
	values[MEPC][0] = 0x1234;
	assert_string_equal(come(VECTOR), "0 exception 1234 80002100;");
	/* At the same place of another page, by a jump with interrupts on, in another mode. */
	assert_string_equal(come(VECTOR + 0x1000), "");
	values[MSTATUS][0] = MIE;
	assert_string_equal(come(VECTOR), "");
	values[MSTATUS][0] = 0;
	values[PRIV][0] = KERNEL;
	assert_string_equal(come(VECTOR), "");
	values[PRIV][0] = FIRMWARE;
	/* A vector at a known place: nothing is new. */
	run_setting(0x10551073, VECTOR + 0x5000); /* csrw stvec, a0 */
	assert_int_equal(translated_again, 2);
	values[PRIV][0] = KERNEL;
	values[STVEC][0] = VECTOR + 0x5000;
	values[SCAUSE][0] = 13;
	values[SEPC][0] = 0x4321;
	assert_string_equal(come(VECTOR + 0x5000), "0 exception 4321 80007100;");
	values[SSTATUS][0] = SIE;
	assert_string_equal(come(VECTOR + 0x5000), "");
}

/* Interrupts lead to an address each, exceptions to the first one. */
static void interrupts(void)
{
	values[MTVEC][0] = VECTOR;
	start();
	run_setting(0x3050e073, 0); /* csrsi mtvec, 1 */
	assert_int_equal(translated_again, 2);
	values[PRIV][0] = FIRMWARE;
	values[MTVEC][0] = VECTOR | 1;
	values[MCAUSE][0] = INTERRUPT | 7;
	values[MEPC][0] = 0x1234;
	assert_string_equal(come(VECTOR + 4 * 7), "0 interrupt 1234 8000211c;");
	assert_string_equal(come(VECTOR), "");
	values[MCAUSE][0] = 2;
	assert_string_equal(come(VECTOR), "0 exception 1234 80002100;");
	assert_string_equal(come(VECTOR + 4 * 7), "");
	/* To one address again. */
	run_setting(0x3050f073, 0); /* csrci mtvec, 1 */
	values[MTVEC][0] = VECTOR;
	values[MCAUSE][0] = INTERRUPT | 7;
	assert_string_equal(come(VECTOR), "0 interrupt 1234 80002100;");
}

/* The kernel traps, and before its handler runs an interrupt leads to firmware. */
static void below(void)
{
	enum { HANDLER = VECTOR + 0x400 };

	values[MTVEC][0] = VECTOR;
	values[STVEC][0] = HANDLER;
	start();
	values[PRIV][0] = FIRMWARE;
	values[MCAUSE][0] = INTERRUPT | 3;
	values[MEPC][0] = HANDLER;
	values[MSTATUS][0] = KERNEL << 11;
	values[SCAUSE][0] = 15;
	values[SEPC][0] = 0x4321;
	assert_string_equal(come(VECTOR),
			    "0 exception 4321 80002500;0 interrupt 80002500 80002100;");
	/* Again, before the handler runs. */
	assert_string_equal(come(VECTOR), "0 interrupt 80002500 80002100;");
	values[PRIV][0] = KERNEL;
	assert_string_equal(come(HANDLER), "");
	/* Now it runs, and the next trap is another one. */
	assert_string_equal(come(HANDLER), "0 exception 4321 80002500;");
	/* The kernel had its interrupts on: it was at the handler by a jump. */
	values[PRIV][0] = FIRMWARE;
	values[SSTATUS][0] = SIE;
	assert_string_equal(come(VECTOR), "0 interrupt 80002500 80002100;");
}

/* The machine stops at a vector. */
static void stopped(void)
{
	values[MTVEC][0] = VECTOR;
	start();
	vectors_register();
	values[PRIV][0] = FIRMWARE;
	values[MCAUSE][0] = 5;
	values[MEPC][0] = 0x1234;
	values[PC][0] = VECTOR;
	*told = '\0';
	fake_idle(0);
	fake_idle(0);
	assert_string_equal(told, "0 exception 1234 80002100;");
	assert_string_equal(come(VECTOR), "");
	assert_string_equal(come(VECTOR), "0 exception 1234 80002100;");
	*told = '\0';
	values[PC][0] = VECTOR + 4;
	fake_idle(0);
	assert_string_equal(told, "");
}

/* A snapshot has vectors that nothing has set. */
static void snapshot(void)
{
	values[STVEC][0] = VECTOR;
	values[PRIV][0] = KERNEL;
	values[SCAUSE][0] = 8;
	values[SEPC][0] = 0x70;
	start();
	assert_int_equal(translated_again, 1);
	assert_string_equal(come(VECTOR), "0 exception 70 80002100;");
}

/* Reading a vector sets none: that costs no translation. */
static void other_instructions(void)
{
	start();
	assert_int_equal(translated_again, 1);
	run_setting(0x34051073, VECTOR); /* csrw mscratch, a0 */
	run_setting(0x30200073, VECTOR); /* mret */
	assert_int_equal(translated_again, 1);
}

APART(exceptions)
APART(interrupts)
APART(below)
APART(stopped)
APART(snapshot)
APART(other_instructions)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_exceptions), cmocka_unit_test(test_interrupts),
	cmocka_unit_test(test_below),	   cmocka_unit_test(test_stopped),
	cmocka_unit_test(test_snapshot),   cmocka_unit_test(test_other_instructions),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
