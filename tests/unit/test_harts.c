// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/system: what harts execute, and where they leave a block. */
#include "plugin/core/link.h"
#include "plugin/system/harts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "plugin/system/system.h"
#include "plugin/system/turns.h"
#include "tests/unit/fake/qemu.h"
#include "tests/unit/fake/recording.h"
#include "waymark.h"

#define START 0x80000000u
#define DEVICE 0x10000000u
#define NOP 0x00000013u
#define WFI 0x10500073u
#define AMO 0x00a5a02fu /* amoadd.w zero, a0, (a1) */

enum { STATE_WORDS = 1024, PC = 600, FIRST_BLOCKS = 8 };

static uint64_t cpu[STATE_WORDS]; /* QEMU's CPU state; word 0 is x0 */

/* Hart 0 enters at `address` what was translated at `block`. */
static void enter_moved(uint64_t block, uint64_t address)
{
	cpu[PC] = address;
	fake_run(0, block);
}

static void enter(uint64_t address)
{
	enter_moved(address, address);
}

/* The machine has executed enough for its program counter to be known. */
static void start_of(const char *target)
{
	recording_open();
	recording_start_with(target, &system_emulation);
	for (size_t i = 1; i < STATE_WORDS; i++)
		cpu[i] = START;
	fake_set_state(cpu);
	for (unsigned i = 0; i < FIRST_BLOCKS; i++) {
		fake_block(START + 16 * i, "4", NULL);
		enter(START + 16 * i);
	}
}

static void start(void)
{
	start_of("riscv64");
}

/* What the lane has behind what start() left there. */
static const char *lane(void)
{
	const char *text = recording_lane(0);

	for (unsigned i = 0; i < FIRST_BLOCKS; i++)
		text = strchr(text, ' ') ? strchr(text, ' ') + 1 : "";
	return text;
}

static void first_blocks(void)
{
	start();
	assert_string_equal(recording_lane(0),
			    "80000000+1 80000010+1 80000020+1 80000030+1 80000040+1 "
			    "80000050+1 80000060+1 80000070+1");
}

/* One translation, entered at several addresses. */
static void moved(void)
{
	start();
	fake_block(0x80001000, "424", NULL);
	enter(0x80001000);
	enter_moved(0x80001000, 0xc0001000);
	enter_moved(0x80001000, 0xc0001000);
	enter_moved(0x80001000, 0xe0001000);
	enter(0x80001000);
	enter_moved(0x80001000, 0xc0001000);
	assert_string_equal(lane(), "80001000+3 c0001000+3 c0001000+3 e0001000+3 "
				    "80001000+3 c0001000+3");
}

/* A word that is the block's address by accident, and another one, are told from it. */
static void learns(void)
{
	recording_open();
	recording_start_with("riscv64", &system_emulation);
	memset(cpu, 0, sizeof(cpu));
	fake_set_state(cpu);
	for (unsigned i = 0; i < 20; i++) {
		uint64_t address = START + 16 * i;

		/* A register has the block's address in every entry but the seventh. */
		cpu[10] = i == 7 ? 1 : address;
		fake_block(address, "4", NULL);
		enter(address);
	}
	enter_moved(START, 0x90000000);
	assert_string_equal(strrchr(recording_lane(0), ' '), " 90000000+1");
}

enum { EIP = 16, CS_BASE = 27, REAL_BASE = 0xf0000 };

/* x86 from real mode on: addresses are sums of two words. */
static void enter_segment(uint64_t block, uint64_t base, uint64_t eip)
{
	cpu[EIP] = eip;
	cpu[CS_BASE] = base;
	fake_run(0, block);
}

static void start_segments(void)
{
	recording_open();
	recording_start_with("x86_64", &system_emulation);
	fake_set_state(cpu);
	for (unsigned i = 0; i < FIRST_BLOCKS; i++) {
		fake_block(REAL_BASE + 16 * i, "1", NULL);
		enter_segment(REAL_BASE + 16 * i, REAL_BASE, 16 * i);
	}
}

static void segments(void)
{
	start_segments();
	fake_block(0x201000, "12", NULL);
	/* In 64-bit mode the base is 0, and code may be at several addresses. */
	enter_segment(0x201000, 0, 0x201000);
	enter_segment(0x201000, 0, 0x40201000);
	enter_segment(0x201000, 0, 0x201000);
	/* The sum has 32 bits. */
	fake_block(0x10, "1", NULL);
	enter_segment(0x10, 0xffff0000, 0x10010);
	assert_string_equal(lane(), "201000+2 40201000+2 201000+2 10+1");
}

/*
 * A machine from a snapshot is in 64-bit mode: all words but the program counter are 0, the base among
 * them, and what is as far before the counter as the base is behind it.
 */
static void segments_of_a_snapshot(void)
{
	enum { WORD = 32 }; /* of QEMU 11.1 */

	recording_open();
	recording_start_with("x86_64", &system_emulation);
	fake_set_state(cpu);
	for (unsigned i = 0; i < FIRST_BLOCKS; i++) {
		cpu[WORD] = START + 16 * i;
		fake_block(START + 16 * i, "1", NULL);
		fake_run(0, START + 16 * i);
	}
	fake_block(0x201000, "1", NULL);
	cpu[WORD] = 0x40201000;
	fake_run(0, 0x201000);
	assert_string_equal(lane(), "40201000+1");
}

/*
 * What looks like half an instruction at the end of a page may be a whole one of 16-bit code:
 * it has its own piece, which is there when it runs.
 */
static void page_end(void)
{
	static const uint8_t code[] = { 0x26, 0x67, 0x89, 0x10, 0xe9, 0xbf, 0x03 };

	start_segments();
	fake_block(0xc3ff7, "43", code);
	enter_segment(0xc3ff7, 0xc0000, 0x3ff7);
	cpu[EIP] = 0x3ff7;
	fake_run_partly(0, 0xc3ff7, 1);
	assert_string_equal(lane(), "c3ff7+1 c3ffb+1 c3ff7+1");
}

/* QEMU reports an exception twice, an interrupt once. */
static void told_twice(void)
{
	start_segments();
	fake_block(0x201000, "111", NULL);
	cpu[EIP] = 0x201000;
	cpu[CS_BASE] = 0;
	fake_run_partly(0, 0x201000, 2);
	fake_discon(0, QEMU_PLUGIN_DISCON_EXCEPTION, 0x201000, 0x201000);
	fake_discon(0, QEMU_PLUGIN_DISCON_INTERRUPT, 0x201001, 0x300000);
	fake_discon(0, QEMU_PLUGIN_DISCON_INTERRUPT, 0x300000, 0x300010);
	assert_string_equal(recording_left(), "9:201001");
}

/* A block that changes itself is left there; the instruction is run alone, with a callback. */
static void steps(void)
{
	static const uint8_t code[] = { 0x90, 0xaa, 0x90 };

	start_segments();
	fake_block(0x201000, "111", code);
	fake_block(0x201001, "1", code + 1);
	cpu[EIP] = 0x201000;
	cpu[CS_BASE] = 0;
	fake_run_partly(0, 0x201000, 2);
	enter_segment(0x201001, 0, 0x201001);
	assert_string_equal(recording_left(), "9:201001");
}

/* QEMU does not end a block behind wfi, and nothing behind it runs. */
static void waits(void)
{
	static const uint32_t code[] = { NOP, WFI, NOP, NOP };

	start();
	fake_block(0x80001000, "4444", code);
	enter(0x80001000);
	assert_string_equal(lane(), "80001000+2");
}

/* Blocks are cut around atomic operations when harts run in parallel. */
static void atomics(void)
{
	static const uint32_t code[] = { NOP, NOP, AMO, NOP, NOP };

	start();
	harts_init(true, true);
	fake_block(0x80001000, "44444", code);
	enter(0x80001000);
	enter_moved(0x80001000, 0xc0001000);
	/* Left at the atomic operation, without a word. */
	cpu[PC] = 0x80001000;
	fake_run_partly(0, 0x80001000, 3);
	assert_string_equal(lane(), "80001000+2 80001008+1 8000100c+2 "
				    "c0001000+2 c0001008+1 c000100c+2 "
				    "80001000+2 80001008+1");
	assert_string_equal(recording_left(), "");
}

/* AArch64's: an exclusive load, a compare and swap, memory copied at once. */
static void atomics_of_aarch64(void)
{
	static const uint32_t code[] = { 0xd503201f, 0x885f7c20, 0xd503201f, 0xc8e3fc44,
					 0x19400440, 0xd503201f, 0xd503201f };

	start_of("aarch64");
	harts_init(true, true);
	fake_block(0x80001000, "4444444", code);
	enter(0x80001000);
	assert_string_equal(lane(), "80001000+1 80001004+1 80001008+1 8000100c+1 "
				    "80001010+1 80001014+2");
}

static void atomics_of_one_hart(void)
{
	static const uint32_t code[] = { NOP, AMO, NOP };

	start();
	fake_block(0x80001000, "444", code);
	enter(0x80001000);
	assert_string_equal(lane(), "80001000+3");
}

static void traps(void)
{
	start();
	fake_block(0x80001000, "444", NULL);
	cpu[PC] = 0xc0001000;
	fake_run_partly(0, 0x80001000, 2);
	fake_discon(0, QEMU_PLUGIN_DISCON_EXCEPTION, 0xc0001004, 0x80000000);
	enter(START);
	fake_discon(0, QEMU_PLUGIN_DISCON_INTERRUPT, 0x80000004, 0x80000010);
	assert_string_equal(recording_left(), "9:c0001004");
	/* An exception, 1, and an interrupt, 0, with both addresses. */
	assert_string_equal(recording_events(WM_EVENT_TRAP),
			    "9:1,3221229572,2147483648,64,0,0,0 "
			    "10:0,2147483652,2147483664,64,0,0,0");
}

#if QEMU_PLUGIN_API >= 2 /* from which on QEMU gives registers */
/* QEMU's registers are those of the mode that handles the trap. */
static void causes(void)
{
	static const char *const names[] = { "priv", "mcause", "mtval", "mstatus",
					     "mepc", "scause", "stval", "sstatus",
					     "sepc", NULL };
	static uint64_t values[][2] = { { 1 },	     { 1 },    { 0xbad },
					{ 3 << 11 }, { 0x70 }, { 13 },
					{ 0x4008 },  { 0 },    { 0x60 } };

	start();
	fake_set_registers(names, values);
	/* A load in user mode faults; the kernel handles it. */
	fake_discon(0, QEMU_PLUGIN_DISCON_EXCEPTION, 0x1000, 0x2000);
	/* A timer's interrupt of the kernel goes to the firmware. */
	values[0][0] = 3;
	values[1][0] = 7 | UINT64_C(1) << 63;
	values[3][0] = 1 << 11;
	fake_discon(0, QEMU_PLUGIN_DISCON_INTERRUPT, 0x1000, 0x2000);
	/* A custom code. */
	values[1][0] = 64;
	fake_discon(0, QEMU_PLUGIN_DISCON_EXCEPTION, 0x1000, 0x2000);
	assert_string_equal(recording_events(WM_EVENT_TRAP),
			    "8:1,4096,8192,13,16392,0,1 8:0,4096,8192,39,2989,1,3 "
			    "8:1,4096,8192,64,2989,1,3");
}

/* AArch64's have RISC-V's numbers where these mean the same. */
static void causes_of_aarch64(void)
{
	static const char *const names[] = { "cpsr", "ESR_EL1", "FAR_EL1", "SPSR_EL1",
					     NULL };
	static uint64_t values[][2] = { { 0x3c5 }, { 0x92000047 }, { 0x4008 }, { 0 } };

	start_of("aarch64");
	fake_set_registers(names, values);
	/* A store of EL0 to what is not mapped, then its svc, behind which QEMU is. */
	fake_discon(0, QEMU_PLUGIN_DISCON_EXCEPTION, 0x1000, 0x2400);
	values[1][0] = 0x56000000;
	fake_discon(0, QEMU_PLUGIN_DISCON_EXCEPTION, 0x1008, 0x2400);
	/* The kernel is interrupted, then loads from where nothing is. */
	values[3][0] = 0x3c5;
	fake_discon(0, QEMU_PLUGIN_DISCON_INTERRUPT, 0x1000, 0x2280);
	values[1][0] = 0x96000010;
	fake_discon(0, QEMU_PLUGIN_DISCON_EXCEPTION, 0x1000, 0x2200);
	assert_string_equal(recording_events(WM_EVENT_TRAP),
			    "8:1,4096,9216,15,16392,0,1 8:1,4100,9216,8,16392,0,1 "
			    "8:0,4096,8832,65,0,1,1 8:1,4096,8704,5,16392,1,1");
}

static void returns_of_aarch64(void)
{
	static const char *const names[] = { "cpsr", "SPSR_EL1", "ELR_EL1", NULL };
	static uint64_t values[][2] = { { 0x3c5 }, { 0 }, { 0x70 } };
	static const uint32_t eret[] = { 0xd503201f, 0xd69f03e0 };

	start_of("aarch64");
	fake_set_registers(names, values);
	fake_block(0x80001000, "44", eret);
	enter(0x80001000);
	values[1][0] = 0x3c5;
	enter(0x80001000);
	values[1][0] = 0x10; /* 32-bit code of EL0 */
	enter(0x80001000);
	assert_string_equal(recording_events(WM_EVENT_TRAP_RETURN),
			    "9:112,1,0 10:112,1,1 11:112,1,0");
}

static void returns(void)
{
	static const char *const names[] = { "priv",	"mstatus", "mepc",
					     "sstatus", "sepc",	   NULL };
	static uint64_t values[][2] = { { 3 }, { 1 << 11 }, { 0x70 }, { 0 }, { 0x60 } };
	static const uint32_t mret[] = { NOP, 0x30200073 }, sret[] = { 0x10200073 };

	start();
	fake_set_registers(names, values);
	fake_block(0x80001000, "44", mret);
	fake_block(0x80002000, "4", sret);
	enter(0x80001000);
	values[0][0] = 1;
	enter(0x80002000);
	values[3][0] = 1 << 8; /* SPP */
	enter(0x80002000);
	/* At the end of the block that returns: from firmware to the kernel, and so on. */
	assert_string_equal(recording_events(WM_EVENT_TRAP_RETURN),
			    "9:112,3,1 10:96,1,0 11:96,1,1");
}

/* Harts in one thread: QEMU says 0, whichever it is. */
static void take_turns(void)
{
	static const char *const names[] = { "mhartid", NULL };
	static uint64_t mhartid[][2] = { { 0 } }, other[STATE_WORDS];

	start();
	fake_set_registers(names, mhartid);
	turns_init(2);
	fake_thread_begins(1);
	fake_block(0x80001000, "4", NULL);
	fake_block(0x80002000, "44", NULL);
	enter(0x80001000);
	other[PC] = 0x80001000;
	mhartid[0][0] = 1;
	fake_set_state(other);
	fake_run(0, 0x80001000);
	/* Translated when both are known; left by an exception, of hart 1. */
	other[PC] = 0x80002000;
	fake_run_partly(0, 0x80002000, 1);
	fake_discon(1, QEMU_PLUGIN_DISCON_EXCEPTION, 0x80002000, 0);
	fake_set_state(cpu);
	enter(0x80002000);
	assert_string_equal(lane(), "80001000+1 80002000+2");
	assert_string_equal(recording_lane(1), "80001000+1 80002000+2");
	assert_string_equal(recording_left(), "2:80002000");
}
#endif

/* QEMU's first thread exits when the machine is paused: the last block has run. */
static void exits(void)
{
	start();
	assert_false(link_has_called(0));
	fake_exit();
	assert_true(link_has_called(0));
}

/* An access to a device is run alone, in a block whose entry has no callback. */
static void devices(void)
{
	static const struct fake_access access = { .address = DEVICE, .size = 2 };

	start();
	fake_block(0x80001000, "444", NULL);
	fake_block(0x80001004, "4", NULL);
	enter(0x80001004); /* it is translated, and runs as any other */
	fake_stale(0, 0x80001004, &access);
	assert_string_equal(recording_left(), "");
	cpu[PC] = 0xc0001000;
	fake_run_partly(0, 0x80001000, 1);
	fake_stale(0, 0x80001004, &access);
	assert_string_equal(recording_left(), "10:c0001004");
}

static void refusals(void)
{
	qemu_info_t info = { .target_name = "riscv64", .system.max_vcpus = 2 };

	assert_null(system_refuses(&info));
	info.target_name = "aarch64";
	assert_null(system_refuses(&info));
	info.target_name = "x86_64";
	assert_null(system_refuses(&info));
	info.target_name = "riscv32";
	assert_non_null(system_refuses(&info));
}

APART(first_blocks)
APART(moved)
APART(learns)
APART(waits)
APART(segments)
APART(segments_of_a_snapshot)
APART(page_end)
APART(told_twice)
APART(steps)
APART(atomics)
APART(atomics_of_one_hart)
APART(atomics_of_aarch64)
APART(traps)
#if QEMU_PLUGIN_API >= 2
APART(causes)
APART(returns)
APART(causes_of_aarch64)
APART(returns_of_aarch64)
APART(take_turns)
#endif
APART(exits)
APART(devices)
APART(refusals)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_first_blocks),
	cmocka_unit_test(test_moved),
	cmocka_unit_test(test_learns),
	cmocka_unit_test(test_waits),
	cmocka_unit_test(test_atomics),
	cmocka_unit_test(test_atomics_of_one_hart),
	cmocka_unit_test(test_traps),
	cmocka_unit_test(test_devices),
#if QEMU_PLUGIN_API >= 2
	cmocka_unit_test(test_causes),
	cmocka_unit_test(test_returns),
	cmocka_unit_test(test_causes_of_aarch64),
	cmocka_unit_test(test_returns_of_aarch64),
	cmocka_unit_test(test_take_turns),
#endif
	cmocka_unit_test(test_atomics_of_aarch64),
	cmocka_unit_test(test_segments),
	cmocka_unit_test(test_segments_of_a_snapshot),
	cmocka_unit_test(test_page_end),
	cmocka_unit_test(test_told_twice),
	cmocka_unit_test(test_steps),
	cmocka_unit_test(test_exits),
	cmocka_unit_test(test_refusals),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
