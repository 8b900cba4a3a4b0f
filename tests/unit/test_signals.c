// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plugin/user/signals: where signals hit, by the frames that Linux puts on the guest's stack.
 * Frames are made here for each guest ISA, and QEMU's CPU state by the same table of offsets.
 */
#include "plugin/user/signals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/kernel.h"
#include "plugin/user/guest.h"
#include "plugin/user/user.h"
#include "tests/unit/fake/qemu.h"
#include "tests/unit/fake/recording.h"
#include "waymark.h"

enum {
	MEMORY = 0x7000000, /* the guest's address of memory[] */
	MEMORY_BYTES = 1 << 16,
	STACK = MEMORY + 0x8000,
	ACTION = MEMORY + 0x100, /* a struct sigaction */
	HANDLER = 0x40000,
	OTHER_HANDLER = 0x50000,
	CODE = 0x10000, /* what the signals hit */
	SIGNAL_SEGV = 11,
	SIGNAL_ALRM = 14,
	FAULT_ADDRESS = 0xdead0,
};

static uint8_t memory[MEMORY_BYTES];
static uint8_t cpu_state[1024];
static const struct abi *abi;
static struct emulation emulation;

static void put(uint64_t address, uint64_t value, unsigned bytes)
{
	memcpy(memory + (address - MEMORY), &value, bytes);
}

static void put_state(uint16_t off, uint64_t value)
{
	memcpy(cpu_state + off, &value, abi->word);
}

/* The guest's memory is here, and not where the fake QEMU has its instructions. */
static struct code_origin find_origin(uint64_t address, const void *host)
{
	(void)address, (void)host;
	return (struct code_origin){ .file = 0 };
}

static void call(const char *name, uint64_t a, uint64_t b)
{
	const struct kernel *kernel = kernel_find(abi->target);

	fake_syscall(0, kernel_number(kernel, name), (uint64_t[6]){ a, b }, 0);
}

/* The guest installs `handler` for a signal. */
static void handle(uint64_t signal, uint64_t handler)
{
	put(ACTION, handler, abi->word);
	call("rt_sigaction", signal, ACTION);
}

static void start(const char *target)
{
	abi = abi_find(target);
	emulation = user_emulation;
	emulation.find_origin = find_origin;
	recording_start_with(target, &emulation);
	guest_learn(MEMORY, memory);
	fake_set_state(cpu_state);
	fake_block(CODE, "444", NULL);
	fake_block(HANDLER, "44", NULL);
	fake_block(OTHER_HANDLER, "44", NULL);
}

/* What a handler starts with: two of its arguments lie in its frame, at these addresses. */
struct frame {
	uint64_t sp, info, context;
};

static struct frame frame_at(uint64_t sp)
{
	return (struct frame){ sp, sp + 128, sp + 256 };
}

/* The kernel puts a frame on the stack: a signal at `pc`. */
static struct frame push(uint64_t sp, uint64_t signal, int32_t code, uint64_t pc)
{
	struct frame frame = frame_at(sp);

	put(frame.info, signal, 4);
	put(frame.info + 8, (uint32_t)code, 4);
	put(frame.info + (abi->word == 8 ? 16 : 12), FAULT_ADDRESS, abi->word);
	put(frame.context + abi->pc, pc, abi->word);
	return frame;
}

/* The registers that a context saved. */
static void save(uint64_t context, uint64_t signal, const struct frame *frame)
{
	put(context + abi->context.signal, signal, abi->word);
	put(context + abi->context.info, frame->info, abi->word);
	put(context + abi->context.context, frame->context, abi->word);
	put(context + abi->context.sp, frame->sp, abi->word);
}

/* Thread 0 enters a handler with these registers. */
static void enter(uint64_t handler, uint64_t signal, const struct frame *frame)
{
	put_state(abi->state.signal, signal);
	put_state(abi->state.info, frame->info);
	put_state(abi->state.context, frame->context);
	put_state(abi->state.sp, frame->sp);
	fake_run(0, handler);
}

static const char *signals(void)
{
	return recording_events(WM_EVENT_SIGNAL);
}

/* ---- tests --------------------------------------------------------------- */

/* A fault in the middle of a block, seen when the handler starts. */
static void one_fault(const char *target)
{
	struct frame frame;

	recording_open();
	start(target);
	handle(SIGNAL_SEGV, HANDLER);
	fake_run_partly(0, CODE, 2);
	frame = push(STACK, SIGNAL_SEGV, 1, CODE + 4);
	enter(HANDLER, SIGNAL_SEGV, &frame);
	/* segv, code 1, pc, address, handler; after one block. */
	assert_string_equal(signals(), "1:11,1,65540,912080,262144");
	assert_int_equal(recording_arena()->header.blind, 0);
}

static void fault_riscv64(void)
{
	one_fault("riscv64");
}
static void fault_riscv32(void)
{
	one_fault("riscv32");
}
static void fault_aarch64(void)
{
	one_fault("aarch64");
}
static void fault_arm(void)
{
	one_fault("arm");
}
static void fault_x86_64(void)
{
	one_fault("x86_64");
}
static void fault_i386(void)
{
	one_fault("i386");
}

/* Handlers without SA_SIGINFO: the saved pc is at a place above the stack pointer. */
static void plain(const char *target)
{
	const struct frame none = { STACK, 0, 0 };

	recording_open();
	start(target);
	handle(SIGNAL_ALRM, HANDLER);
	fake_run(0, CODE);
	put(STACK + abi->plain_pc, CODE + 8, abi->word);
	if (abi->plain_signal)
		put(STACK + abi->plain_signal, SIGNAL_ALRM, 4);
	enter(HANDLER, abi->plain_signal ? 0 : SIGNAL_ALRM, &none);
	assert_string_equal(signals(), "1:14,2147483647,65544,0,262144");
}

static void plain_aarch64(void)
{
	plain("aarch64");
}
static void plain_arm(void)
{
	plain("arm");
}
static void plain_i386(void)
{
	plain("i386");
}

/* The handler was translated as ordinary code before it was installed. */
static void translated_before(void)
{
	struct frame frame;

	recording_open();
	start("riscv64");
	fake_run(0, HANDLER);
	handle(SIGNAL_ALRM, HANDLER);
	frame = push(STACK, SIGNAL_ALRM, 0, CODE);
	enter(HANDLER, SIGNAL_ALRM, &frame);
	assert_string_equal(signals(), "1:14,0,65536,912080,262144");
}

/* Nothing is believed before it is checked. */
static void no_signal(void)
{
	struct frame frame, far;

	recording_open();
	start("riscv64");
	handle(SIGNAL_ALRM, HANDLER);
	frame = push(STACK, SIGNAL_ALRM, 0, CODE);
	enter(HANDLER, SIGNAL_SEGV, &frame); /* it is not for that signal */
	enter(HANDLER, 1000, &frame);	     /* which is none */
	far = (struct frame){ STACK - 0x7000, frame.info, frame.context };
	enter(HANDLER, SIGNAL_ALRM, &far); /* not a frame on its stack */
	put(frame.info, SIGNAL_SEGV, 4);
	enter(HANDLER, SIGNAL_ALRM, &frame); /* another signal's siginfo */
	frame = frame_at(0x100);
	enter(HANDLER, SIGNAL_ALRM, &frame); /* memory that cannot be read */
	assert_string_equal(signals(), "");
}

/* What installs no handler: SIG_DFL, SIG_IGN, a signal that is none, no action at all. */
static void no_handler(void)
{
	recording_open();
	start("riscv64");
	handle(SIGNAL_ALRM, 0);
	handle(SIGNAL_ALRM, 1);
	handle(65, HANDLER);
	call("rt_sigaction", SIGNAL_ALRM, 0);
	call("rt_sigaction", SIGNAL_ALRM, 0x10);
	assert_false(signals_handled_at(0));
	assert_false(signals_handled_at(HANDLER));
}

/*
 * Two signals at once: the upper frame interrupted the lower one's handler at its first
 * instruction. Both are told of when the upper handler starts, the lower one first.
 */
static void nested(void)
{
	struct frame lower, upper;

	recording_open();
	start("riscv64");
	handle(SIGNAL_SEGV, HANDLER);
	handle(SIGNAL_ALRM, OTHER_HANDLER);
	fake_run_partly(0, CODE, 2);
	lower = push(STACK, SIGNAL_SEGV, 1, CODE + 4);
	upper = push(STACK - 0x1000, SIGNAL_ALRM, 0, HANDLER);
	save(upper.context, SIGNAL_SEGV, &lower);
	enter(OTHER_HANDLER, SIGNAL_ALRM, &upper);
	assert_string_equal(signals(), "1:11,1,65540,912080,262144 "
				       "1:14,0,262144,912080,327680");
	/* The lower handler starts when the upper one returns, and is not told of again. */
	call("rt_sigreturn", 0, 0);
	enter(HANDLER, SIGNAL_SEGV, &lower);
	assert_string_equal(signals(), "1:11,1,65540,912080,262144 "
				       "1:14,0,262144,912080,327680");
	/* The same frame later is another signal's. */
	enter(HANDLER, SIGNAL_SEGV, &lower);
	assert_string_equal(signals(), "1:11,1,65540,912080,262144 "
				       "1:14,0,262144,912080,327680 "
				       "3:11,1,65540,912080,262144");
}

/* When signals are no events, the recorder still learns where the block was left. */
static void left_without_event(void)
{
	struct board *board = recording_open();
	struct frame frame;

	atomic_store(&board->orders.events, 0);
	start("riscv64");
	handle(SIGNAL_SEGV, HANDLER);
	handle(SIGNAL_ALRM, HANDLER);
	fake_run_partly(0, CODE, 2);
	frame = push(STACK, SIGNAL_SEGV, 1, CODE + 4);
	enter(HANDLER, SIGNAL_SEGV, &frame);
	frame = push(STACK, SIGNAL_ALRM, 0, CODE); /* no fault: it came between blocks */
	enter(HANDLER, SIGNAL_ALRM, &frame);
	assert_string_equal(signals(), "");
	assert_string_equal(recording_left(), "1:10004");
}

/*
 * Code that cannot be fetched, where the block that ran last begins: that was to run again, and has
 * not been left. Inside a block it is the instruction that accesses itself.
 */
static void left_by_fetch(void)
{
	struct board *board = recording_open();
	struct frame frame;

	atomic_store(&board->orders.events, 0);
	start("riscv64");
	handle(SIGNAL_SEGV, HANDLER);
	fake_run(0, CODE);
	frame = push(STACK, SIGNAL_SEGV, 2, CODE);
	put(frame.info + 16, CODE, abi->word);
	enter(HANDLER, SIGNAL_SEGV, &frame);
	assert_string_equal(recording_left(), "");
	fake_run_partly(0, CODE, 2);
	frame = push(STACK, SIGNAL_SEGV, 2, CODE + 4);
	put(frame.info + 16, CODE + 4, abi->word);
	enter(HANDLER, SIGNAL_SEGV, &frame);
	assert_string_equal(recording_left(), "3:10004");
}

/* An ISA of which no frames are known: the recording says that it is blind. */
static void unknown_guest(void)
{
	recording_open();
	emulation = user_emulation;
	emulation.find_origin = find_origin;
	recording_start_with("sparc64", &emulation);
	assert_int_equal(recording_arena()->header.blind, 1);
}

APART(fault_riscv64)
APART(fault_riscv32)
APART(fault_aarch64)
APART(fault_arm)
APART(fault_x86_64)
APART(fault_i386)
APART(plain_aarch64)
APART(plain_arm)
APART(plain_i386)
APART(translated_before)
APART(no_signal)
APART(no_handler)
APART(nested)
APART(left_without_event)
APART(left_by_fetch)
APART(unknown_guest)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_fault_riscv64), cmocka_unit_test(test_fault_riscv32),
	cmocka_unit_test(test_fault_aarch64), cmocka_unit_test(test_fault_arm),
	cmocka_unit_test(test_fault_x86_64),  cmocka_unit_test(test_fault_i386),
	cmocka_unit_test(test_plain_aarch64), cmocka_unit_test(test_plain_arm),
	cmocka_unit_test(test_plain_i386),    cmocka_unit_test(test_translated_before),
	cmocka_unit_test(test_no_signal),     cmocka_unit_test(test_no_handler),
	cmocka_unit_test(test_nested),	      cmocka_unit_test(test_left_without_event),
	cmocka_unit_test(test_left_by_fetch), cmocka_unit_test(test_unknown_guest),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
