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
 * Of the optional modes (settings.modes) a decoder keeps the same model (te_model.h). Returns
 * to where their call came from, and jumps that a lui before them explains, are no
 * discontinuities then. 31 branches that were all foretold begin a count instead of a map,
 * which goes on until one is not. `irets` counts the returns that were not told since the
 * last branch or packet, so that of several that lead to one place the right one is met.
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
#include "packets/te_model.h"

enum { INTERRUPT_CAUSE_MOST = 63 }; /* ecause has 6 bits */
enum { TIME_WIDTH = 4, BPRED_SIZE = 7, CACHE_SIZE = 7, IRETS_MOST = 254 };
/*
 * Half-words and branches that a count may go on for: as much as a decoder follows for one
 * packet (etrace_read.c).
 */
enum { COUNT_HALFWORDS = 1 << 24, COUNT_MOST = 1 << 22 };

/* What the next stretch begins with, besides an address. */
enum sync { SYNC_NONE, SYNC_START, SYNC_TRAP };

struct encoder {
	struct packet_output *out;
	const struct packet_settings *settings;
	struct te_widths widths;
	uint32_t hart, context;
	bool has_held;
	struct packet_run held;
	enum sync sync;		 /* what the held stretch begins with */
	struct packet_trap trap; /* of SYNC_TRAP */
	bool discon;		 /* a discontinuity that must be told came before it */
	uint8_t leaves;	  /* by which kind of instruction control left the last one */
	uint64_t address; /* of the last packet: the next one has the difference */
	uint32_t map;	  /* bit 0: the oldest branch; 1: not taken */
	uint8_t branches;
	uint64_t ns;
	uint8_t privilege, privilege_before; /* now; and before the last trap */
	uint32_t since;			     /* packets since the last one of format 3 */

	/* Optional modes. */
	struct te_model model;
	bool all_right;	   /* all branches of the map were foretold */
	uint32_t right;	   /* branches that are counted instead of the map */
	bool wrong;	   /* the branch after those was not foretold */
	uint64_t counting; /* half-words since the count began */
	uint32_t irets;
	uint8_t returned;  /* what the last return was: enum returned */
	uint64_t expected; /* where it was expected to lead to */
	/* Places of the cache that returns have changed since the last packet. */
	bool changed[TE_MODEL_ENTRIES], any_changed;
	struct packet_insn previous; /* the last instruction of the stretch before */
	uint64_t previous_at;
};

/*
 * The stretch before ended with: no return; one that was not told; one that must be told
 * because it leads elsewhere than expected; one of which nothing was expected.
 */
enum returned { RETURNED_NOT, RETURNED_UNTOLD, RETURNED_TOLD, RETURNED_EMPTY };

static bool has_mode(const struct encoder *encoder, enum packet_mode mode)
{
	return encoder->settings->modes & mode;
}

static void put(struct encoder *encoder, const struct te_inst *inst)
{
	size_t before = encoder->out->buf.len;

	te_put(&encoder->out->buf, inst, &encoder->widths, encoder->hart,
	       encoder->settings->source_bits / 8);
	packet_output_put(encoder->out, before);
	encoder->since = inst->format == TE_SYNC ? 0 : encoder->since + 1;
	encoder->branches = 0;
	encoder->map = 0;
	encoder->right = 0;
	encoder->wrong = false;
	encoder->all_right = true;
	if (encoder->any_changed)
		memset(encoder->changed, 0, sizeof(encoder->changed));
	encoder->any_changed = false;
	encoder->irets = 0;
}

static void put_support(struct encoder *encoder, bool on, unsigned qual_status)
{
	struct te_inst inst = { .format = TE_SYNC,
				.subformat = TE_SUPPORT,
				.ienable = on,
				.qual_status = (uint8_t)qual_status,
				.options = encoder->widths.options };

	put(encoder, &inst);
}

/* ---- addresses and branches -------------------------------------------------------------- */

/* How many bytes a packet takes. */
static size_t bytes_of(const struct encoder *encoder, const struct te_inst *inst)
{
	struct buf buf = BUF_INIT;
	size_t bytes;

	te_put(&buf, inst, &encoder->widths, 0, 0);
	bytes = buf.len;
	buf_fini(&buf);
	return bytes;
}

/*
 * The target of a jump by its place in the cache, if it is there and that is shorter. Such a
 * packet cannot say that one of format 3 follows. A decoder looks the place up when it
 * gets the packet: what a return has put there on the way is not known to it then.
 */
static void try_index(struct encoder *encoder, struct te_inst *inst, uint64_t target)
{
	uint8_t index = te_model_index(&encoder->model, target);
	struct te_inst by_index = *inst;

	if (!has_mode(encoder, PACKET_TARGETS) || encoder->right || inst->updiscon ||
	    encoder->changed[index] || encoder->model.targets[index] != target)
		return;
	by_index.format = TE_EXTENSION;
	by_index.subformat = TE_INDEX;
	by_index.index = index;
	if (bytes_of(encoder, &by_index) <= bytes_of(encoder, inst))
		*inst = by_index;
}

/* A packet with an address, and the branches since the last packet. */
static struct te_inst with_address(const struct encoder *encoder, uint64_t address)
{
	struct te_inst inst = { .format = encoder->branches ? TE_BRANCHES : TE_ADDRESS,
				.branches = encoder->branches,
				.branch_map = encoder->map,
				.address = address };

	if (!has_mode(encoder, PACKET_FULL))
		inst.address -= encoder->address;
	if (encoder->right) {
		inst.format = TE_EXTENSION;
		inst.subformat = TE_COUNT;
		inst.branch_count = encoder->right - TE_BRANCHES_MOST;
		inst.branch_fmt = encoder->wrong ? TE_WRONG : TE_RIGHT;
	}
	return inst;
}

/* Reports an instruction that is no target. Which one of a recursion it is, irets tells. */
static void put_address(struct encoder *encoder, uint64_t address)
{
	struct te_inst inst = with_address(encoder, address);

	inst.irreport = encoder->irets;
	inst.irets = (uint8_t)encoder->irets;
	put(encoder, &inst);
	encoder->address = address;
}

/* Reports the target of a jump or a return. */
static void put_target(struct encoder *encoder, uint64_t address, bool updiscon)
{
	struct te_inst inst = with_address(encoder, address);

	/* The packet reports the return that leads here, so it is not counted as implicit. */
	inst.irets = (uint8_t)(encoder->irets - (encoder->returned != RETURNED_EMPTY));
	inst.irreport = encoder->returned == RETURNED_EMPTY ? encoder->irets :
							      encoder->returned;
	if (!inst.irreport)
		inst.irets = 0;
	inst.updiscon = updiscon;
	try_index(encoder, &inst, address);
	put(encoder, &inst);
	encoder->address = address;
	/* What was expected is in the cache since the return. */
	if (!inst.irreport || address != encoder->expected)
		te_model_target(&encoder->model, address);
}

/* 31 branches without an address: the decoder stops at the last of them. */
static void put_full(struct encoder *encoder)
{
	struct te_inst inst = { .format = TE_BRANCHES,
				.full = true,
				.branch_map = encoder->map };

	put(encoder, &inst);
}

/* This number of branches was predicted, and the one after them was not. */
static void put_count(struct encoder *encoder)
{
	struct te_inst inst = { .format = TE_EXTENSION,
				.subformat = TE_COUNT,
				.branch_count = encoder->right - TE_BRANCHES_MOST,
				.branch_fmt = TE_NO_ADDRESS };

	put(encoder, &inst);
}

/* A branch to the next instruction counts as not taken; both lead there. */
static bool is_taken(const struct packet_run *run)
{
	return run->next != run->last + run->insn.bytes;
}

/* Whether the branch was foretold, which a decoder knows when it has taken it. */
static bool foretell(struct encoder *encoder, const struct packet_run *run)
{
	bool taken = is_taken(run), right;

	encoder->irets = 0;
	if (!has_mode(encoder, PACKET_PREDICTION))
		return false;
	right = te_model_foretells(&encoder->model, run->last) == taken;
	te_model_branch(&encoder->model, run->last, taken);
	return right;
}

static void add_branch(struct encoder *encoder, const struct packet_run *run)
{
	bool right = foretell(encoder, run);

	if (encoder->right) {
		encoder->right += right;
		encoder->wrong = !right;
		return;
	}
	encoder->map |= (uint32_t)!is_taken(run) << encoder->branches++;
	encoder->all_right &= right;
	if (encoder->branches < TE_BRANCHES_MOST || !encoder->all_right)
		return;
	/* All were foretold: they are counted from here on. */
	encoder->right = encoder->branches;
	encoder->branches = 0;
	encoder->map = 0;
	encoder->counting = 0;
}

/* ---- synchronisations -------------------------------------------------------------------- */

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
				.privilege = encoder->privilege,
				.time = encoder->ns,
				.context = encoder->context,
				.address = address };

	put(encoder, &inst);
	encoder->address = address;
	te_model_sync(&encoder->model);
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
				.context = encoder->context,
				.ecause = (uint8_t)cause,
				.interrupt = trap->interrupt,
				.thaddr = thaddr,
				.address = address,
				.tval = trap->value };

	put(encoder, &inst);
	encoder->address = address;
	encoder->privilege = trap->after;
	encoder->privilege_before = trap->before;
	te_model_sync(&encoder->model);
}

/* Whether the first instruction of the held stretch is a branch that was taken. */
static bool starts_taken(const struct packet_run *run)
{
	return is_alone(run) && packet_insn_is_branch(&run->insn) && is_taken(run);
}

/*
 * Reports the first instruction of the held stretch, if a start, a trap or a
 * discontinuity came before it, or when it is the last before a packet of format 3 and only
 * a return that was not told leads to it. Whether it did.
 */
static bool report_first(struct encoder *encoder, bool sync_follows)
{
	const struct packet_run *run = &encoder->held;
	bool branch = is_alone(run) && packet_insn_is_branch(&run->insn);
	bool last = is_alone(run) && sync_follows;

	if (encoder->sync == SYNC_START) {
		put_start(encoder, run->first, !starts_taken(run));
		if (branch)
			foretell(encoder, run);
	} else if (encoder->sync == SYNC_TRAP) {
		put_trap(encoder, true, run->first, !starts_taken(run));
		if (branch)
			foretell(encoder, run);
	} else if (encoder->discon ||
		   (last && encoder->returned == RETURNED_UNTOLD && encoder->irets)) {
		uint32_t irets = encoder->irets;

		if (branch)
			add_branch(encoder, run);
		encoder->irets = irets;
		put_target(encoder, run->first, last);
	} else {
		return false;
	}
	encoder->sync = SYNC_NONE;
	return true;
}

/* ---- where control goes ------------------------------------------------------------------ */

/* A jump whose target the instruction before it says. */
static bool is_followed(const struct encoder *encoder, const struct packet_run *run)
{
	bool alone = !run->before.bytes;
	const struct packet_insn *before = alone ? &encoder->previous : &run->before;
	uint64_t target;

	return has_mode(encoder, PACKET_JUMPS) && before->bytes &&
	       packet_insn_follows(&run->insn, before,
				   alone ? encoder->previous_at : run->before_at,
				   run->xlen, &target);
}

/* A return: whether it must be told. */
static enum returned take_return(struct encoder *encoder, const struct packet_run *run)
{
	encoder->expected = 0;
	if (!packet_returns_pop(&encoder->model.returns, &encoder->expected))
		return RETURNED_EMPTY;
	encoder->irets++;
	if (encoder->expected != run->next || encoder->irets > IRETS_MOST)
		return RETURNED_TOLD;
	te_model_target(&encoder->model, run->next);
	encoder->changed[te_model_index(&encoder->model, run->next)] = true;
	encoder->any_changed = true;
	return RETURNED_UNTOLD;
}

/* The last instruction of the stretch is over: what leads on from it. */
static void leave(struct encoder *encoder, const struct packet_run *run)
{
	bool jumps = packet_insn_is_indirect(&run->insn) || run->insn.traps;
	bool followed = is_followed(encoder, run);

	encoder->returned = RETURNED_NOT;
	if (run->insn.pops && !followed && has_mode(encoder, PACKET_RETURNS))
		encoder->returned = (uint8_t)take_return(encoder, run);
	if (run->insn.pushes)
		packet_returns_push(&encoder->model.returns, run->last + run->insn.bytes);
	if (run->insn.leaves_trap)
		encoder->privilege = encoder->privilege_before;
	encoder->leaves = jumps;
	encoder->discon = jumps && !followed && encoder->returned != RETURNED_UNTOLD;
	encoder->previous = run->insn;
	encoder->previous_at = run->last;
}

/* A map or a count that is complete. */
static void flush(struct encoder *encoder)
{
	if (encoder->branches == TE_BRANCHES_MOST)
		put_full(encoder);
	else if (encoder->wrong)
		put_count(encoder);
}

/* A count that goes on for too long ends at a branch, with its address. */
static bool is_long(struct encoder *encoder, const struct packet_run *run)
{
	encoder->counting += run->halfwords;
	return encoder->right && packet_insn_is_branch(&run->insn) &&
	       (encoder->counting >= COUNT_HALFWORDS || encoder->right >= COUNT_MOST);
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
	 * Only here, so that an instruction that fills the map and is reported itself
	 * needs one packet.
	 */
	flush(encoder);
	/* Whether the last instruction is the one that was reported. */
	reported = report_first(encoder, sync_follows) && is_alone(run);
	if (!reported && packet_insn_is_branch(&run->insn))
		add_branch(encoder, run);
	leave(encoder, run);
	if (reported)
		return;
	if ((sync_follows &&
	     (must || encoder->branches || encoder->right || encoder->irets)) ||
	    is_long(encoder, run))
		put_address(encoder, run->last);
}

/* ---- what happens ------------------------------------------------------------------------ */

/* Tracing starts: a packet of support, then the first stretch begins with a start. */
static void begin(void *cookie, uint64_t address, uint64_t ns)
{
	struct encoder *encoder = cookie;

	(void)address;
	encoder->ns = ns;
	encoder->discon = false;
	encoder->leaves = false;
	encoder->returned = RETURNED_NOT;
	encoder->previous.bytes = 0;
	put_support(encoder, true, TE_NO_CHANGE);
	encoder->sync = SYNC_START;
}

/*
 * Whether a synchronisation may come before a stretch: not at a jump or a return that would
 * be told by what is before it, and not behind a return, because its packet could not say
 * that the return leads elsewhere than expected.
 */
static bool may_sync(const struct encoder *encoder, const struct packet_run *run)
{
	bool explained = is_alone(run) && packet_insn_is_indirect(&run->insn);
	bool returned = encoder->has_held && encoder->held.insn.pops;

	return encoder->sync == SYNC_NONE &&
	       !(explained && has_mode(encoder, PACKET_JUMPS)) &&
	       !((explained || returned) && has_mode(encoder, PACKET_RETURNS));
}

/*
 * A stretch of code is held until it is known what follows it, because a packet about a
 * discontinuity's target says when a packet of format 3 follows at once (updiscon).
 */
static void take_run(void *cookie, const struct packet_run *run)
{
	struct encoder *encoder = cookie;
	bool sync = encoder->since >= encoder->settings->resync && may_sync(encoder, run);

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
	if (encoder->leaves && !trap->interrupt) {
		put_trap(encoder, false, trap->epc, true);
		encoder->sync = SYNC_START;
	}
	encoder->discon = false;
	encoder->leaves = false;
	encoder->previous.bytes = 0;
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

static struct te_options options_of(const struct packet_settings *settings)
{
	unsigned modes = settings->modes;
	bool predicts = modes & PACKET_PREDICTION, caches = modes & PACKET_TARGETS;

	return (struct te_options){
		.sijump = modes & PACKET_JUMPS,
		.implicit_return = modes & PACKET_RETURNS,
		.branch_predictor = predicts,
		.jump_target_cache = caches,
		.full_iaddress = modes & PACKET_FULL,
		.iret_ext = true,
		.time_width = settings->timestamps ? TIME_WIDTH : 0,
		.f0s_width = predicts && caches,
		.return_stack_size = modes & PACKET_RETURNS ? PACKET_RETURNS_BITS : 0,
		.bpred_size = predicts ? BPRED_SIZE : 0,
		.cache_size = caches ? CACHE_SIZE : 0,
	};
}

int etrace_write(struct packet_output *out, const struct wm_trace *trace, unsigned stream,
		 uint32_t hart, const struct packet_settings *settings,
		 struct wm_error *err)
{
	struct encoder encoder = {
		.out = out,
		.settings = settings,
		.hart = hart,
		.widths = { packet_path_xlen(trace),
			    settings->contexts ? TE_CONTEXT_BITS : 0,
			    options_of(settings) },
	};
	struct packet_taker taker = { begin, take_run, take_trap, end, &encoder };
	struct wm_stream facts;
	int ret;

	if (settings->source_bits % 8)
		return wm_fail(err, WM_E_RANGE, 0,
			       "numbers of harts have 0, 8 or 16 bits in E-Trace");
	if (!wm_trace_stream(trace, stream, &facts))
		encoder.context = facts.tid;
	te_model_init(&encoder.model, &encoder.widths.options);
	ret = packet_path_walk(trace, stream, settings->parts, &taker, &out->insns, err);
	return !ret && out->buf.failed ? wm_fail_nomem(err, "packets") : ret;
}
