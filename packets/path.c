// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns a stream of a trace into what a processor's trace has: instructions that retired,
 * and traps. A trace of Waymark has blocks that were entered, how much of each began, and
 * signals (of a whole machine traps) with the place where they came. So:
 *
 * - A block is kept until it is known what came next, because only that says where a
 *   branch went.
 * - An instruction that raised a signal began and did not retire: it is taken off the end
 *   of its block, and its address is the trap's epc.
 * - Where control could not go by itself, and no event explains it, an interrupt brought
 *   it there.
 *
 * Example: blocks {1000: ld sd beq}, of which two instructions began, SIGSEGV at 1004,
 * {2000: ...}: a run 1000 to 1000, and an exception at 1004 to 2000.
 */
#include "packets/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/arena.h"
#include "trace/cursor.h"

/* The first code of interrupts that is left to platforms (mcause). */
enum { FIRST_PLATFORM_CAUSE = 16 };

struct walk {
	const struct wm_trace *trace;
	const struct packet_taker *taker;
	struct wm_cursor *cursor;
	struct wm_error *err;
	unsigned xlen;
	uint64_t *taken; /* instructions */
	uint64_t ns;	 /* the highest time so far, so that times never go back */
	bool tracing;

	struct packet_run
		*runs; /* [known + 1] by id, of whole blocks; halfwords 0: not met */
	/* The block that is kept; insns 0: none, because nothing of it retired. */
	uint32_t id;
	struct wm_block block;
	uint32_t insns;
	bool has_trap;
	struct packet_trap trap; /* after that block */
};

static uint32_t word_at(const uint8_t *code, unsigned bytes)
{
	uint32_t word = code[0] | (uint32_t)code[1] << 8;

	return bytes == 4 ? word | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24 :
			    word;
}

/*
 * Makes a run of what began of the kept block, at least one instruction, without its
 * `next`. Whole blocks are frequent, so their runs are kept.
 */
static void make_run(const struct walk *walk, struct packet_run *run)
{
	uint32_t at = 0, before = 0;

	if (walk->insns == walk->block.insns && walk->runs[walk->id].halfwords) {
		*run = walk->runs[walk->id];
		return;
	}
	for (uint32_t i = 0; i + 1 < walk->insns; i++) {
		before = at;
		at += walk->block.sizes[i];
	}
	run->first = walk->block.address;
	run->last = walk->block.address + at;
	run->insn = packet_insn(word_at(walk->block.code + at,
					walk->block.sizes[walk->insns - 1]),
				walk->xlen, run->last);
	run->halfwords = (at + run->insn.bytes) / 2;
	run->xlen = (uint8_t)walk->xlen;
	run->before = (struct packet_insn){ .bytes = 0 };
	run->before_at = run->first + before;
	if (at)
		run->before = packet_insn(word_at(walk->block.code + before, at - before),
					  walk->xlen, run->before_at);
}

/* Whether control comes from the run's last instruction to `to` by itself. */
static bool may_lead(const struct packet_run *run, uint64_t to)
{
	if (packet_insn_is_indirect(&run->insn) || run->insn.traps)
		return true;
	if (packet_insn_is_direct(&run->insn))
		return to == run->insn.target;
	return to == run->last + run->insn.bytes ||
	       (packet_insn_is_branch(&run->insn) && to == run->insn.target);
}

/* Where control goes when nothing else is known: a branch is not taken. */
static uint64_t default_next(const struct packet_run *run)
{
	return packet_insn_is_direct(&run->insn) ? run->insn.target :
						   run->last + run->insn.bytes;
}

/* Gives the kept block and its trap to the encoder; control came to `to` afterwards. */
static void give(struct walk *walk, uint64_t to)
{
	struct packet_run run;

	if (walk->insns) {
		make_run(walk, &run);
		/* A trap comes at epc: up to there control went by itself. */
		run.next = walk->has_trap ? walk->trap.epc : to;
		/*
		 * No event explains the way to `next`: an interrupt after the block is
		 * assumed. The epc of a trap that did come is corrected, as otherwise a
		 * decoder could not follow.
		 */
		if (!may_lead(&run, run.next)) {
			run.next = default_next(&run);
			if (!walk->has_trap)
				walk->trap = (struct packet_trap){ .interrupt = true };
			walk->has_trap = true;
			walk->trap.epc = run.next;
		}
		walk->taker->run(walk->taker->cookie, &run);
	}
	walk->insns = 0;
	if (!walk->has_trap)
		return;
	walk->trap.handler = to;
	walk->taker->trap(walk->taker->cookie, &walk->trap, walk->ns);
	walk->has_trap = false;
}

/*
 * Tracing ends: at a gap, or with the stream. Where control went from the kept block is
 * not known, so it goes where it goes by default.
 */
static void stop(struct walk *walk)
{
	struct packet_run run;

	if (!walk->tracing)
		return;
	if (walk->insns) {
		make_run(walk, &run);
		run.next = walk->has_trap ? walk->trap.epc : default_next(&run);
		walk->taker->run(walk->taker->cookie, &run);
	}
	walk->taker->end(walk->taker->cookie);
	walk->insns = 0;
	walk->has_trap = walk->tracing = false;
}

/*
 * Keeps block `id`, of which `insns` began. Decoders expect control to leave a block only
 * at its end; the code is checked once, when it is met first.
 */
static int keep(struct walk *walk, uint32_t id, uint32_t insns)
{
	uint64_t address = walk->block.address;
	const uint8_t *code = walk->block.code;

	walk->id = id;
	/* All of it, for the check and for make_run() below. */
	walk->insns = walk->block.insns;
	for (uint32_t i = 0; !walk->runs[id].halfwords && i + 1 < walk->insns; i++) {
		unsigned bytes = walk->block.sizes[i];

		if (packet_insn(word_at(code, bytes), walk->xlen, address).flow !=
		    FLOW_ON)
			return wm_fail(walk->err, WM_E_RANGE, 0,
				       "the block at 0x%llx jumps in its middle, which "
				       "packets cannot tell",
				       (unsigned long long)walk->block.address);
		code += bytes;
		address += bytes;
	}
	make_run(walk, &walk->runs[id]);
	walk->insns = insns;
	return 0;
}

static int take_block(struct walk *walk, const struct wm_step *step)
{
	struct wm_block block;

	/* A gap. */
	if (!step->insns) {
		stop(walk);
		return 0;
	}
	wm_trace_block(walk->trace, step->id, &block);
	if (walk->tracing)
		give(walk, block.address);
	else
		walk->taker->begin(walk->taker->cookie, block.address, walk->ns);
	walk->tracing = true;
	walk->block = block;
	*walk->taken += step->insns;
	return keep(walk, step->id, step->insns);
}

/* The exception that makes a kernel send a signal; RISC-V Privileged, table of mcause. */
static uint64_t cause_of(uint64_t signal)
{
	switch (signal) {
	case 4: /* SIGILL */
		return 2;
	case 5: /* SIGTRAP */
		return 3;
	case 7: /* SIGBUS */
		return 4;
	default: /* SIGSEGV */
		return 13;
	}
}

/* The address of the last instruction that began. Only while the kept block has one. */
static uint64_t last_began(const struct walk *walk)
{
	struct packet_run run;

	make_run(walk, &run);
	return run.last;
}

/*
 * Takes the trap by which control leaves the kept block. Only the first one counts:
 * nothing retired between two of them.
 */
static void take_trap(struct walk *walk, const struct packet_trap *trap)
{
	bool exception = !trap->interrupt;

	if (!walk->tracing || walk->has_trap)
		return;
	/*
	 * An exception needs an instruction that began at epc; it did not retire and is
	 * taken off. Else the trap counts as an interrupt.
	 */
	exception = exception && walk->insns && last_began(walk) == trap->epc;
	walk->insns -= exception;
	walk->has_trap = true;
	walk->trap = *trap;
	walk->trap.interrupt = !exception;
}

/* A signal that no instruction raised is an interrupt of those that platforms define. */
static void take_signal(struct walk *walk, const struct wm_event *event)
{
	const uint64_t *fields = event->fields;
	bool raised = signal_is_raised(fields[0], (int32_t)fields[1]);
	struct packet_trap trap = {
		.interrupt = !raised,
		.cause = raised ? cause_of(fields[0]) : FIRST_PLATFORM_CAUSE + fields[0],
		.epc = fields[2],
		.value = raised ? fields[3] : 0,
	};

	take_trap(walk, &trap);
}

static void take_event(struct walk *walk, const struct wm_event *event)
{
	const uint64_t *fields = event->fields;

	if (event->ns > walk->ns)
		walk->ns = event->ns;
	/* User programs have signals, whole machines traps. */
	if (event->kind == WM_EVENT_SIGNAL)
		take_signal(walk, event);
	if (event->kind == WM_EVENT_TRAP)
		take_trap(walk, &(struct packet_trap){
					.interrupt = fields[0] != WM_TRAP_EXCEPTION,
					.cause = fields[3] % WM_TRAP_CODES,
					.epc = fields[1],
					.value = fields[4],
					.before = (uint8_t)fields[5] & 3,
					.after = (uint8_t)fields[6] & 3,
				});
}

static int walk_all(struct walk *walk)
{
	struct wm_event event;
	struct wm_step step;
	int ret;

	for (;;) {
		/* Events come before the block that they precede. */
		while (!wm_cursor_event_here(walk->cursor, &event))
			take_event(walk, &event);
		ret = wm_cursor_next_block(walk->cursor, &step, walk->err);
		if (!ret)
			ret = take_block(walk, &step);
		if (ret)
			break;
	}
	stop(walk);
	return ret == WM_END ? 0 : ret;
}

unsigned packet_path_xlen(const struct wm_trace *trace)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");

	return isa && !strcmp(isa, "riscv32") ? 32 : 64;
}

int packet_path_walk(const struct wm_trace *trace, unsigned stream,
		     const struct excerpts *parts, const struct packet_taker *taker,
		     uint64_t *insns, struct wm_error *err)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");
	struct walk walk = { .trace = trace, .taker = taker, .taken = insns, .err = err };
	struct wm_summary summary;
	int ret;

	walk.xlen = packet_path_xlen(trace);
	if (!isa || strncmp(isa, "riscv", 5) != 0)
		return wm_fail(err, WM_E_RANGE, 0,
			       "these packets are of RISC-V, which this guest is not");
	wm_trace_summary(trace, &summary);
	walk.runs = calloc(summary.known_blocks + 1ul, sizeof(*walk.runs));
	if (!walk.runs)
		return wm_fail_nomem(err, "packets");
	ret = wm_cursor_new(&walk.cursor, trace, stream, err);
	if (!ret) {
		cursor_select(walk.cursor, parts);
		ret = walk_all(&walk);
	}
	wm_cursor_free(walk.cursor);
	free(walk.runs);
	return ret;
}
