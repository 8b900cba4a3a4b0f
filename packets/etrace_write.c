// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The encoder of a hart (E-Trace, "Instruction Trace Encoder Algorithm", delta mode). A
 * decoder follows the program's text, so only these need a packet:
 *
 * - the instruction after an uninferable discontinuity, with its address (format 2, or 1
 *   with the branches since the last packet);
 * - 31 branches (format 1 without an address);
 * - the start, a trap, and every settings.resync packets: format 3. The instruction that
 *   retired last before a trap or the end is reported, and before a synchronisation when
 *   there are branches to report.
 *
 * A branch map includes the branch that is reported: its outcome is known when it
 * retires.
 *
 * Example: a loop of one branch that is taken 62 times and then left, and a return: two
 * packets of 31 branches, and one of format 1 with a branch and the address after the
 * return.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "packets/etrace.h"
#include "packets/path.h"
#include "packets/te_inst.h"

enum { INTERRUPT_CAUSE_MOST = 63 }; /* ecause has 6 bits */

/* What the next stretch begins with, besides an address. */
enum sync { SYNC_NONE, SYNC_START, SYNC_TRAP };

struct encoder {
	struct packet_output *out;
	const struct packet_settings *settings;
	struct te_widths widths;
	uint32_t hart;
	bool has_held;
	struct packet_run held;
	enum sync sync;		 /* what the held stretch begins with */
	struct packet_trap trap; /* of SYNC_TRAP */
	bool discon;		 /* an uninferable discontinuity came before it */
	uint64_t address;	 /* of the last packet: the next one has the difference */
	uint32_t map;		 /* bit 0: the oldest branch; 1: not taken */
	uint8_t branches;
	uint64_t ns;
	uint32_t since; /* packets since the last one of format 3 */
};

static void put(struct encoder *encoder, const struct te_inst *inst)
{
	size_t before = encoder->out->buf.len;

	te_put(&encoder->out->buf, inst, &encoder->widths, encoder->hart,
	       encoder->settings->source_bits / 8);
	packet_output_put(encoder->out, before);
	encoder->since = inst->format == TE_SYNC ? 0 : encoder->since + 1;
}

static void put_support(struct encoder *encoder, bool on, unsigned qual_status)
{
	struct te_inst inst = { .format = TE_SYNC,
				.subformat = TE_SUPPORT,
				.ienable = on,
				.qual_status = (uint8_t)qual_status };

	put(encoder, &inst);
}

/* Reports an instruction, and the branches since the last packet. */
static void put_address(struct encoder *encoder, uint64_t address, bool updiscon)
{
	struct te_inst inst = { .format = encoder->branches ? TE_BRANCHES : TE_ADDRESS,
				.branches = encoder->branches,
				.branch_map = encoder->map,
				.address = address - encoder->address,
				.updiscon = updiscon };

	put(encoder, &inst);
	encoder->address = address;
	encoder->branches = 0;
	encoder->map = 0;
}

/* 31 branches without an address: the decoder stops at the last of them. */
static void put_full(struct encoder *encoder)
{
	struct te_inst inst = { .format = TE_BRANCHES,
				.full = true,
				.branch_map = encoder->map };

	put(encoder, &inst);
	encoder->branches = 0;
	encoder->map = 0;
}

/* A branch to the next instruction counts as not taken; both lead there. */
static bool is_taken(const struct packet_run *run)
{
	return run->next != run->last + run->insn.bytes;
}

static void add_branch(struct encoder *encoder, const struct packet_run *run)
{
	encoder->map |= (uint32_t)!is_taken(run) << encoder->branches++;
}

/* The stretch is a single instruction, so its first one is also its last. */
static bool is_alone(const struct packet_run *run)
{
	return run->first == run->last;
}

static void put_start(struct encoder *encoder, uint64_t address, bool branch)
{
	struct te_inst inst = { .format = TE_SYNC,
				.subformat = TE_START,
				.branch = branch,
				.time = encoder->ns,
				.address = address };

	put(encoder, &inst);
	encoder->address = address;
}

/*
 * A trap. With `thaddr` the address is the handler's, whose first instruction this
 * reports; else it is the address that the trap came at. The branches before it have been
 * reported.
 */
static void put_trap(struct encoder *encoder, bool thaddr, uint64_t address, bool branch)
{
	const struct packet_trap *trap = &encoder->trap;
	uint64_t cause = trap->cause < INTERRUPT_CAUSE_MOST ? trap->cause :
							      INTERRUPT_CAUSE_MOST;
	struct te_inst inst = { .format = TE_SYNC,
				.subformat = TE_TRAP,
				.branch = branch,
				.privilege = trap->after,
				.time = encoder->ns,
				.ecause = (uint8_t)cause,
				.interrupt = trap->interrupt,
				.thaddr = thaddr,
				.address = address,
				.tval = trap->value };

	put(encoder, &inst);
	encoder->address = address;
	encoder->branches = 0;
	encoder->map = 0;
}

/*
 * Reports the first instruction of the held stretch, if a start, a trap or a
 * discontinuity came before it. Whether it did. In format 3 `branch` is 0 only for a
 * branch that was taken.
 */
static bool report_first(struct encoder *encoder, bool sync_follows)
{
	const struct packet_run *run = &encoder->held;
	bool branch = is_alone(run) && packet_insn_is_branch(&run->insn);

	if (encoder->sync == SYNC_START) {
		put_start(encoder, run->first, !branch || !is_taken(run));
	} else if (encoder->sync == SYNC_TRAP) {
		put_trap(encoder, true, run->first, !branch || !is_taken(run));
	} else if (encoder->discon) {
		if (branch)
			add_branch(encoder, run);
		put_address(encoder, run->first, is_alone(run) && sync_follows);
	} else {
		return false;
	}
	encoder->sync = SYNC_NONE;
	return true;
}

/*
 * The held stretch is over. `sync_follows`: a packet of format 3 is next; `must`: its last
 * instruction must be reported before that.
 */
static void release(struct encoder *encoder, bool sync_follows, bool must)
{
	const struct packet_run *run = &encoder->held;
	bool reported;

	if (!encoder->has_held)
		return;
	encoder->has_held = false;
	/*
	 * The map is full. Only here, so that an instruction that fills the map and is
	 * reported itself needs one packet.
	 */
	if (encoder->branches == TE_BRANCHES_MOST)
		put_full(encoder);
	/* Whether the last instruction is the one that was reported. */
	reported = report_first(encoder, sync_follows) && is_alone(run);
	if (!reported && packet_insn_is_branch(&run->insn))
		add_branch(encoder, run);
	if (sync_follows && !reported && (must || encoder->branches))
		put_address(encoder, run->last, false);
	encoder->discon = packet_insn_is_indirect(&run->insn) || run->insn.traps;
}

/* Tracing starts: a packet of support, then the first stretch begins with a start. */
static void begin(void *cookie, uint64_t address, uint64_t ns)
{
	struct encoder *encoder = cookie;

	(void)address;
	encoder->ns = ns;
	encoder->discon = false;
	encoder->branches = 0;
	encoder->map = 0;
	put_support(encoder, true, TE_NO_CHANGE);
	encoder->sync = SYNC_START;
}

/*
 * A stretch of code is held until it is known what follows it, because a packet about a
 * discontinuity's target says when a packet of format 3 follows at once (updiscon).
 */
static void take_run(void *cookie, const struct packet_run *run)
{
	struct encoder *encoder = cookie;
	bool sync = encoder->since >= encoder->settings->resync &&
		    encoder->sync == SYNC_NONE;

	release(encoder, sync, false);
	if (sync)
		encoder->sync = SYNC_START;
	encoder->held = *run;
	encoder->has_held = true;
}

static void take_trap(void *cookie, const struct packet_trap *trap, uint64_t ns)
{
	struct encoder *encoder = cookie;

	release(encoder, true, true);
	encoder->ns = ns;
	/* Nothing retired since another trap, so no packet has reported that one. */
	if (encoder->sync == SYNC_TRAP)
		put_trap(encoder, false, encoder->trap.epc, true);
	encoder->trap = *trap;
	encoder->sync = SYNC_TRAP;
	/*
	 * After a discontinuity a decoder cannot infer where an exception came at: a
	 * packet says it, and the handler then begins with a start.
	 */
	if (encoder->discon && !trap->interrupt) {
		put_trap(encoder, false, trap->epc, true);
		encoder->sync = SYNC_START;
	}
	encoder->discon = false;
}

static void end(void *cookie)
{
	struct encoder *encoder = cookie;

	release(encoder, true, true);
	/* The handler of a last trap was not entered. */
	if (encoder->sync == SYNC_TRAP)
		put_trap(encoder, false, encoder->trap.epc, true);
	put_support(encoder, false, TE_ENDED_REP);
}

int etrace_write(struct packet_output *out, const struct wm_trace *trace, unsigned stream,
		 uint32_t hart, const struct packet_settings *settings,
		 struct wm_error *err)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");
	struct encoder encoder = {
		.out = out,
		.settings = settings,
		.hart = hart,
		.widths = { isa && !strcmp(isa, "riscv32") ? 32 : 64,
			    settings->timestamps },
	};
	struct packet_taker taker = { begin, take_run, take_trap, end, &encoder };
	int ret;

	if (settings->source_bits % 8)
		return wm_fail(err, WM_E_RANGE, 0,
			       "numbers of harts have 0, 8 or 16 bits in E-Trace");
	ret = packet_path_walk(trace, stream, &taker, err);
	return !ret && out->buf.failed ? wm_fail_nomem(err, "packets") : ret;
}
