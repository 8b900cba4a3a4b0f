// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * At the entry of a handler its arguments are in the guest's registers: the signal, a
 * siginfo, a ucontext. Translated code keeps a pointer to QEMU's CPU state in a fixed
 * host register, and the state begins with the guest's registers (plugin/user/abi.c).
 * That is QEMU's implementation, so everything is checked: the handler was installed for
 * this signal, the pointers are just above the stack pointer, and the siginfo is of this
 * signal. A handler that is called as an ordinary function fails these checks.
 *
 * Two signals at once: the kernel puts the second frame on top of the first, before the
 * first handler has run. Example: SIGSEGV at 0x10004 with handler H, then SIGALRM with
 * handler G. The upper frame's saved pc is H, and its saved registers are H's arguments;
 * the lower frame's saved pc is 0x10004. When G starts, both are reported, the lower
 * first: that is where the program was. H starts when G returns, and is not reported
 * again (was_reported()).
 */
#include "plugin/user/signals.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "isa/registers.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/gaps.h"
#include "plugin/core/link.h"
#include "plugin/core/pieces.h"
#include "plugin/core/registers.h"
#include "plugin/core/state.h"
#include "plugin/core/windows.h"
#include "plugin/core/written.h"
#include "plugin/user/guest.h"
#include "waymark.h"

#define BUCKETS 256
#define NESTED_MAX 128 /* all 64 at once, and some again in their handlers */
#define FRAME_MAX 8192 /* a frame's bytes, vector registers left out */

static const struct abi *abi;

/*
 * Those with the same hash value. Written under link_lock(), read without it by threads that run
 * a handler; kept for good, because a handler may be installed again.
 */
struct handler {
	uint64_t address;
	_Atomic uint64_t signals; /* bit n: it handles signal n + 1 */
	struct handler *next;
};
static struct handler *_Atomic handlers[BUCKETS];
static _Atomic bool faults_are_handled;

struct frame {
	uint64_t signal, info, context, sp;
	uint64_t pc, code, address;
};

/* Frames that were reported before their handlers started. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
	uint64_t *sps; /* [NESTED_MAX]; there is little room for variables of threads */
	unsigned count;
	uint64_t returned; /* the lane's position when a handler last returned */
} reported;

/* The entry's third argument is QEMU's CPU state. */
__attribute__((used, visibility("hidden"))) void
signals_with_state(unsigned vcpu, void *address, const uint8_t *state);
WITH_STATE(signals_on_handler, signals_with_state);

bool signals_init(const struct abi *guest)
{
	abi = guest;
	return abi && HOST_SEES_STATE && guest_can_be_read();
}

static struct handler *_Atomic *bucket(uint64_t address)
{
	return &handlers[(address ^ address >> 8 ^ address >> 16) % BUCKETS];
}

static struct handler *find(uint64_t address)
{
	struct handler *handler =
		atomic_load_explicit(bucket(address), memory_order_acquire);

	while (handler && handler->address != address)
		handler = handler->next;
	return handler;
}

/* Returns NULL without memory. */
static struct handler *add(uint64_t address)
{
	struct handler *handler = calloc(1, sizeof(*handler));

	if (!handler)
		return NULL;
	handler->address = address;
	handler->next = *bucket(address);
	/* When it is complete: readers have no lock. */
	atomic_store_explicit(bucket(address), handler, memory_order_release);
	return handler;
}

bool signals_faults_are_handled(void)
{
	return atomic_load_explicit(&faults_are_handled, memory_order_relaxed);
}

bool signals_handled_at(uint64_t address)
{
	return find(address);
}

uint64_t signals_watch(uint64_t signal, uint64_t act)
{
	uint64_t address, fresh = 0;
	struct handler *handler;

	/* A null `act` only asks for the current handler. */
	if (!act || !abi || !guest_word(act, abi->word, &address))
		return 0;
	address &= abi->code_mask;
	if (address <= 1 || signal < 1 || signal > 64)
		return 0; /* SIG_DFL, SIG_IGN */
	handler = find(address);
	if (!handler) {
		handler = add(address);
		if (!handler)
			return 0;
		fresh = address;
	}
	atomic_fetch_or(&handler->signals, 1ull << (signal - 1));
	if (signal_is_raised(signal, 1))
		atomic_store(&faults_are_handled, true);
	return fresh;
}

/* ---- frames -------------------------------------------------------------- */

static bool is_above(uint64_t address, uint64_t sp)
{
	return address >= sp && address - sp < FRAME_MAX;
}

/*
 * The check that most wrong guesses fail: an ordinary call of the handler rarely has the
 * number of a signal that it handles as its first argument.
 */
static bool takes(const struct handler *handler, uint64_t signal)
{
	return signal >= 1 && signal <= 64 &&
	       atomic_load(&handler->signals) >> (signal - 1) & 1;
}

/* A siginfo: signal, errno and code, then, for faults, the address. */
static bool read_info(struct frame *frame)
{
	int32_t info[3];

	if (!guest_read(frame->info, info, sizeof(info)) ||
	    info[0] != (int32_t)frame->signal)
		return false;
	frame->code = (uint64_t)(int64_t)info[2];
	/* si_addr follows three ints; on 64-bit machines it is aligned to 8 bytes. */
	return guest_word(frame->info + (abi->word == 8 ? 16 : 12), abi->word,
			  &frame->address);
}

/* The frame of a handler that was installed without SA_SIGINFO. */
static bool read_plain_frame(const struct handler *handler, struct frame *frame)
{
	/* Registers are saved in the same order as with a siginfo, passed or not. */
	uint64_t context = frame->sp + abi->plain_pc - abi->pc;

	if (!abi->plain_pc)
		return false;
	/*
	 * i386 passes the signal on the stack; elsewhere it is in the register that was
	 * read.
	 */
	if (abi->plain_signal &&
	    !guest_word(frame->sp + abi->plain_signal, 4, &frame->signal))
		return false;
	if (abi->plain_context && frame->context != context)
		return false; /* an ordinary call */
	frame->context = context;
	frame->code = WM_SIGNAL_CODE_UNKNOWN;
	frame->address = 0;
	return guest_word(frame->sp + abi->plain_pc, abi->word, &frame->pc) &&
	       takes(handler, frame->signal);
}

/* A frame by the registers with which `handler` starts. */
static bool read_frame(const struct handler *handler, struct frame *frame)
{
	/* The frame with a siginfo is tried first, because it has the fault's address. */
	if (!takes(handler, frame->signal) || !is_above(frame->info, frame->sp) ||
	    !is_above(frame->context, frame->sp) || !read_info(frame))
		return read_plain_frame(handler, frame);
	return guest_word(frame->context + abi->pc, abi->word, &frame->pc);
}

/* The registers that a handler was about to start with, from a saved context. */
static bool read_registers(uint64_t context, struct frame *frame)
{
	const struct abi_registers *at = &abi->context;

	return guest_word(context + at->signal, abi->word, &frame->signal) &&
	       guest_word(context + at->info, abi->word, &frame->info) &&
	       guest_word(context + at->context, abi->word, &frame->context) &&
	       guest_word(context + at->sp, abi->word, &frame->sp);
}

/* The frame below, if this signal interrupted a handler at its first instruction. */
static bool read_frame_below(const struct frame *above, struct frame *frame)
{
	const struct handler *handler = find(above->pc & abi->code_mask);

	return handler && read_registers(above->context, frame) &&
	       read_frame(handler, frame);
}

static uint64_t state_word(const uint8_t *state, uint16_t off)
{
	uint64_t wide = 0;

	memcpy(&wide, state + off, abi->word);
	return wide;
}

/* ---- reports ------------------------------------------------------------- */

/* Where a signal was taken: its frame, and QEMU's CPU state as the handler begins. */
struct taken {
	const struct frame *frame;
	const void *state;
};

/*
 * A register of the code that the frame's signal has interrupted. A handler begins with
 * other integer registers; all others are what they were.
 */
static unsigned read_interrupted(const void *from, unsigned number, uint64_t words[2])
{
	const struct taken *taken = from;
	const struct frame *frame = taken->frame;
	uint64_t pc = frame->context + abi->pc;

	if (number >= REGISTERS_FIRST_FP)
		return registers_read(taken->state, number, words);
	words[1] = 0;
	return abi->saved && guest_word(pc + (uint64_t)(abi->saved[number] * abi->word),
					abi->word, &words[0]);
}

/* Whether the instruction that raised the signal began: the thread's last block was left there. */
static bool is_left(unsigned vcpu, const struct frame *frame)
{
	uint32_t last = link_last_id(vcpu);
	bool begins;

	if (!signal_is_raised(frame->signal, (int32_t)frame->code))
		return false;
	if (!last || gaps_has(last) ||
	    !signal_is_of_fetch(frame->signal, frame->pc, frame->address))
		return true;
	/* The table of blocks may grow while another thread translates. */
	link_lock();
	begins = block_ids_begins(last, frame->pc & abi->code_mask);
	link_unlock();
	return !begins;
}

static void report(unsigned vcpu, const struct frame *frame, uint64_t handler,
		   const void *state)
{
	uint64_t fields[] = { frame->signal, frame->code, frame->pc, frame->address,
			      handler };
	bool raised = is_left(vcpu, frame);

	/*
	 * The block was counted whole when it was entered: takes back what did not run.
	 */
	if (raised)
		pieces_left(vcpu, frame->pc & abi->code_mask);
	written_interrupted(vcpu, read_interrupted, &(struct taken){ frame, state });
	/* The window may have closed when the block was entered. */
	if (!windows_open() && raised && !gaps_has(link_last_id(vcpu)))
		link_left(vcpu, frame->pc, false);
	if (!windows_open())
		return;
	if (link_wants(WM_EVENT_SIGNAL))
		link_event(vcpu, WM_EVENT_SIGNAL, fields, 5, NULL);
	/* The recorder must know where a block was left, with or without the event. */
	if (raised && !link_keeps(WM_EVENT_SIGNAL))
		link_left(vcpu, frame->pc, false);
}

void signals_thread_ends(void)
{
	free(reported.sps);
	reported.sps = NULL;
	reported.count = 0;
}

void signals_returned(unsigned vcpu)
{
	reported.returned = link_position(vcpu);
}

/*
 * Whether this frame was reported together with an upper one, which has just returned. A
 * stack pointer alone does not identify a frame, since later frames reuse the place: so
 * nothing may have run since the return, which leaves the lane's position unchanged.
 */
static bool was_reported(unsigned vcpu, uint64_t sp)
{
	if (reported.returned != link_position(vcpu))
		return false;
	for (unsigned i = 0; i < reported.count; i++) {
		if (reported.sps[i] != sp)
			continue;
		/*
		 * The order of the others does not matter, except for which one
		 * remember() drops.
		 */
		reported.sps[i] = reported.sps[--reported.count];
		return true;
	}
	return false;
}

static void remember(uint64_t sp)
{
	if (!reported.sps)
		reported.sps = malloc(NESTED_MAX * sizeof(*reported.sps));
	if (!reported.sps)
		return;
	/* Drops the oldest: its handler never ran, because another one jumped away. */
	if (reported.count == NESTED_MAX)
		memmove(reported.sps, reported.sps + 1,
			--reported.count * sizeof(*reported.sps));
	reported.sps[reported.count++] = sp;
}

/* Reports the frame and those below it, the lowest first. */
static void report_all(unsigned vcpu, const struct frame *frame, uint64_t handler,
		       const void *state, unsigned depth)
{
	struct frame below;

	/*
	 * The depth bounds the recursion: the guest can forge frames that lead to each
	 * other.
	 */
	if (depth < NESTED_MAX && read_frame_below(frame, &below)) {
		uint64_t first = frame->pc & abi->code_mask;

		remember(below.sp);
		report_all(vcpu, &below, first, state, depth + 1);
	}
	report(vcpu, frame, handler, state);
}

void signals_with_state(unsigned vcpu, void *address, const uint8_t *state)
{
	const struct handler *handler = find((uintptr_t)address);
	struct frame frame = {
		.signal = state_word(state, abi->state.signal),
		.info = state_word(state, abi->state.info),
		.context = state_word(state, abi->state.context),
		.sp = state_word(state, abi->state.sp),
	};

	if (abi->word == 4)
		frame.signal &= 0xffffffff;
	if (!handler || !read_frame(handler, &frame) || was_reported(vcpu, frame.sp))
		return;
	report_all(vcpu, &frame, (uintptr_t)address, state, 0);
}
