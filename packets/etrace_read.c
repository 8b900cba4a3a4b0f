// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decoder algorithm of E-Trace's specification (chapter "Decoding"), whose names are
 * kept where they say enough. A packet gives branches, and an instruction up to which the
 * program's text is followed:
 *
 * - one after an uninferable discontinuity: the first such on the way leads there;
 * - any other: it is reached when all branches but its own are used up. That may be before
 *   the encoder reached it: `inferred`. The next packet then continues, up to the
 *   discontinuity that leads to the same address, if there is one;
 * - the last branch of a full map.
 *
 * Example: control is at 1000 addi; 1004 beq and 1008 c.jr ra follow. A packet of format
 * 1 with one branch, not taken, and the address 2000: 1004, 1008 and 2000 retire.
 *
 * Hostile packets: text without branches that does not lead to the address is followed
 * for STEPS_MOST instructions and not further.
 */
#include <stdlib.h>

#include "base/error.h"
#include "packets/etrace.h"
#include "packets/follow.h"
#include "packets/te_inst.h"

/* MAP_MOST keeps shifts of branch_map below 64. */
enum { STEPS_MOST = 1 << 22, MAP_MOST = 63 };

struct decoder {
	struct packet_follow follow;
	struct te_widths widths;
	const struct te_inst *inst; /* the packet that is decoded */
	bool started, ever;	    /* traced now; once was */
	bool inferred;		    /* the last address may be met once more */
	bool stop_at_last;	    /* a full map: its last branch is the end */
	uint64_t branch_map;	    /* bit 0: the next branch; 1: not taken */
	unsigned branches;	    /* bits in it */
	uint64_t last_pc;
	uint64_t address;  /* of the last packet */
	uint8_t privilege; /* the same */
	bool has_trap;	   /* one whose handler is not known yet */
	struct packet_trap trap;
};

/* Addresses of 32-bit harts wrap. */
static uint64_t mask(const struct decoder *decoder, uint64_t address)
{
	return decoder->widths.xlen == 32 ? (uint32_t)address : address;
}

static bool is_discontinuity(const struct packet_insn *insn)
{
	return packet_insn_is_indirect(insn) || insn->traps;
}

static bool is_branch_at(const struct decoder *decoder, uint64_t address)
{
	const struct packet_insn *insn = packet_code_at(decoder->follow.code, address);

	return insn && packet_insn_is_branch(insn);
}

static bool is_discontinuity_at(const struct decoder *decoder, uint64_t address)
{
	const struct packet_insn *insn = packet_code_at(decoder->follow.code, address);

	return insn && is_discontinuity(insn);
}

/* ---- one instruction --------------------------------------------------------------------- */

/* Gives the instruction at pc, which has retired, to the sink. */
static int report_pc(struct decoder *decoder)
{
	struct packet_follow *follow = &decoder->follow;
	const struct packet_insn *insn = packet_insn_at(follow, follow->pc);
	struct packet_insn copy;

	if (!insn)
		return WM_E_FORMAT;
	copy = *insn; /* valid until the next lookup only */
	return follow->sink->insn(follow->sink->cookie, follow->pc, &copy, follow->err);
}

/* Consumes the outcome of the oldest branch. */
static int take_branch(struct decoder *decoder, bool *taken)
{
	if (!decoder->branches)
		return packet_fail(&decoder->follow,
				   "nothing says where the branch at 0x%llx goes",
				   (unsigned long long)decoder->follow.pc);
	*taken = !(decoder->branch_map & 1);
	decoder->branch_map >>= 1;
	decoder->branches--;
	return 0;
}

/* Moves pc to the next instruction; *stop_here: by a discontinuity, to `address`. */
static int next_pc(struct decoder *decoder, uint64_t address, bool *stop_here)
{
	struct packet_follow *follow = &decoder->follow;
	const struct packet_insn *insn = packet_insn_at(follow, follow->pc);
	uint64_t this_pc = follow->pc;
	bool taken = false;
	int ret = 0;

	*stop_here = false;
	if (!insn)
		return WM_E_FORMAT;
	if (packet_insn_is_branch(insn))
		ret = take_branch(decoder, &taken);
	if (packet_insn_is_direct(insn) || taken) {
		follow->pc = insn->target;
	} else if (is_discontinuity(insn)) {
		if (decoder->stop_at_last)
			return packet_fail(follow,
					   "the jump at 0x%llx comes before the last "
					   "branch of a full map",
					   (unsigned long long)this_pc);
		follow->pc = address;
		*stop_here = true;
	} else {
		follow->pc = mask(decoder, this_pc + insn->bytes);
	}
	decoder->last_pc = this_pc;
	return ret;
}

/* One step: the next instruction retires. */
static int move(struct decoder *decoder, uint64_t address, bool *stop_here)
{
	int ret = next_pc(decoder, address, stop_here);

	return ret ? ret : report_pc(decoder);
}

/* ---- up to an address -------------------------------------------------------------------- */

/*
 * All branches are used up, but the one of a branch at pc, which is consumed when control
 * leaves it.
 */
static bool is_used_up(const struct decoder *decoder)
{
	return decoder->branches == is_branch_at(decoder, decoder->follow.pc);
}

/*
 * Whether the path of a packet ends at pc without a discontinuity. After a
 * synchronisation, or if the packet says so (notify), it does for certain. Else a loop
 * may pass the address several times: the first time is taken as the end, and marked as
 * inferred.
 */
static bool is_there(struct decoder *decoder, uint64_t address)
{
	const struct te_inst *inst = decoder->inst;

	if (decoder->follow.pc != address || decoder->stop_at_last ||
	    !is_used_up(decoder))
		return false;
	if (inst->format == TE_SYNC || inst->notify)
		return true;
	decoder->inferred = !is_discontinuity_at(decoder, decoder->last_pc) &&
			    !inst->updiscon;
	return decoder->inferred;
}

/* The path of a full map ends at its last branch, which has not been consumed. */
static bool is_last_branch(struct decoder *decoder)
{
	if (!decoder->stop_at_last || decoder->branches != 1 ||
	    !is_branch_at(decoder, decoder->follow.pc))
		return false;
	decoder->stop_at_last = false;
	return true;
}

/*
 * One step on from an address that was inferred, until a discontinuity leads there again.
 */
static int pass_inferred(struct decoder *decoder, uint64_t address, unsigned *steps)
{
	bool stop_here;
	int ret = move(decoder, address, &stop_here);

	if (stop_here)
		decoder->inferred = false;
	return ret || ++*steps < STEPS_MOST ?
		       ret :
		       packet_fail(&decoder->follow,
				   "the code does not lead to 0x%llx again",
				   (unsigned long long)address);
}

/* Follows the text to the end of a packet's path. */
static int follow_path(struct decoder *decoder, uint64_t address)
{
	uint64_t previous = decoder->follow.pc;
	unsigned steps = 0;
	bool stop_here;
	int ret = 0;

	/* The packet before may have ended later than was inferred. */
	while (!ret && decoder->inferred)
		ret = pass_inferred(decoder, previous, &steps);
	while (!ret) {
		ret = move(decoder, address, &stop_here);
		if (ret || is_last_branch(decoder))
			return ret;
		if (stop_here)
			return is_used_up(decoder) ?
				       0 :
				       packet_fail(
					       &decoder->follow,
					       "branches are left over at 0x%llx",
					       (unsigned long long)decoder->follow.pc);
		if (is_there(decoder, address))
			return 0;
		if (++steps == STEPS_MOST)
			ret = packet_fail(&decoder->follow,
					  "the code does not lead to 0x%llx",
					  (unsigned long long)address);
	}
	return ret;
}

/* ---- packets ----------------------------------------------------------------------------- */

/* Formats 1 and 2. */
static int take_address(struct decoder *decoder, const struct te_inst *inst)
{
	/* Before the first synchronisation there is no place to start from. */
	if (!decoder->started)
		return 0;
	if (!inst->full)
		decoder->address = mask(decoder, decoder->address + inst->address);
	decoder->stop_at_last = inst->full;
	if (inst->format == TE_BRANCHES) {
		uint64_t map = inst->branch_map & ((UINT64_C(1) << inst->branches) - 1);

		/* One branch may be left of the packet before: that at its address. */
		if (decoder->branches + inst->branches > MAP_MOST)
			return packet_fail(&decoder->follow, "branches are left over");
		decoder->branch_map |= map << decoder->branches;
		decoder->branches += inst->branches;
	}
	return follow_path(decoder, decoder->address);
}

/* A packet of format 3 at a branch says where that branch goes. */
static void add_own_branch(struct decoder *decoder, const struct te_inst *inst)
{
	if (!is_branch_at(decoder, inst->address))
		return;
	decoder->branch_map |= (uint64_t)inst->branch << decoder->branches;
	decoder->branches++;
}

/* Gives the trap that is kept to the sink, when the address of its handler is known. */
static int end_trap(struct decoder *decoder, uint64_t handler)
{
	bool has = decoder->has_trap;

	decoder->has_trap = false;
	decoder->trap.handler = handler;
	return has ? packet_trap(&decoder->follow, &decoder->trap) : 0;
}

/*
 * Control is at `address`, to which no path is known: a start, a gap, or a trap's
 * handler.
 */
static int jump(struct decoder *decoder, uint64_t address)
{
	const struct packet_sink *sink = decoder->follow.sink;
	int ret = 0;

	if (!decoder->started && decoder->ever && !decoder->has_trap)
		ret = sink->gap(sink->cookie, decoder->follow.err);
	if (!ret)
		ret = end_trap(decoder, address);
	decoder->started = decoder->ever = true;
	decoder->follow.pc = decoder->last_pc = address;
	return ret ? ret : report_pc(decoder);
}

static int take_start(struct decoder *decoder, const struct te_inst *inst)
{
	int ret;

	decoder->inferred = false;
	decoder->stop_at_last = false;
	decoder->address = inst->address;
	decoder->privilege = inst->privilege;
	if (!decoder->started || decoder->has_trap)
		decoder->branches = 0;
	if (!decoder->branches)
		decoder->branch_map = 0;
	/* Only the branch at the last address may be left over. */
	if (decoder->branches > 1)
		return packet_fail(&decoder->follow, "branches are left over");
	add_own_branch(decoder, inst);
	/* After a trap nothing leads here; else the text must. */
	if (!decoder->started || decoder->has_trap)
		ret = jump(decoder, inst->address);
	else
		ret = follow_path(decoder, inst->address);
	return ret;
}

/*
 * Finds where an exception came at: the instruction after the last one that retired.
 * After an uninferable discontinuity the packet has the address, unless it has the
 * handler's.
 */
static int exception_address(struct decoder *decoder, const struct te_inst *inst,
			     uint64_t *epc)
{
	struct packet_follow *follow = &decoder->follow;
	const struct packet_insn *insn = packet_insn_at(follow, follow->pc);
	uint64_t before = follow->pc;
	bool stop_here;
	int ret;

	if (!insn)
		return WM_E_FORMAT;
	*epc = inst->address;
	if (is_discontinuity(insn)) {
		/*
		 * Then the last instruction was an ecall, which raised the exception
		 * itself.
		 */
		if (inst->thaddr)
			*epc = before;
		return 0;
	}
	ret = next_pc(decoder, 0, &stop_here);
	*epc = follow->pc;
	follow->pc = before;
	return ret;
}

static int take_trap(struct decoder *decoder, const struct te_inst *inst)
{
	struct packet_trap trap = { .interrupt = inst->interrupt,
				    .has_cause = true,
				    .cause = inst->ecause,
				    .before = decoder->privilege,
				    .after = inst->privilege,
				    .value = inst->tval };
	/* A trap before this one whose handler never ran: its handler is here. */
	int ret = end_trap(decoder, inst->address);

	decoder->inferred = false;
	decoder->stop_at_last = false;
	if (decoder->started) {
		trap.epc = decoder->follow.pc;
		if (!inst->interrupt && !ret)
			ret = exception_address(decoder, inst, &trap.epc);
		decoder->trap = trap;
		decoder->has_trap = true;
	}
	decoder->branches = 0;
	decoder->branch_map = 0;
	decoder->address = inst->address;
	decoder->privilege = inst->privilege;
	/*
	 * Without it the address is the exception's own; the next packet has the handler.
	 */
	if (ret || !inst->thaddr)
		return ret;
	add_own_branch(decoder, inst);
	return jump(decoder, inst->address);
}

/* Format 3, subformat 3: tracing starts or ends. */
static int take_support(struct decoder *decoder, const struct te_inst *inst)
{
	uint64_t previous = decoder->follow.pc;
	unsigned steps = 0;
	int ret = 0;

	if (inst->ioptions)
		return packet_fail(&decoder->follow,
				   "the encoder has options that are not known here");
	if (inst->qual_status == TE_NO_CHANGE || !decoder->started)
		return 0;
	/* The last address was passed once more before the end. */
	if (inst->qual_status == TE_ENDED_NTR)
		while (!ret && decoder->inferred)
			ret = pass_inferred(decoder, previous, &steps);
	decoder->started = false;
	decoder->inferred = false;
	return ret;
}

static int take(struct decoder *decoder, const struct te_inst *inst)
{
	const struct packet_sink *sink = decoder->follow.sink;

	decoder->inst = inst;
	if (inst->format == TE_EXTENSION)
		return packet_fail(&decoder->follow,
				   "a packet of format 0 (branch prediction, jump "
				   "targets), which is not read");
	if (inst->format != TE_SYNC)
		return take_address(decoder, inst);
	if (decoder->widths.time && inst->subformat != TE_SUPPORT)
		sink->clock(sink->cookie, inst->time);
	switch (inst->subformat) {
	case TE_START:
		return take_start(decoder, inst);
	case TE_TRAP:
		return take_trap(decoder, inst);
	case TE_SUPPORT:
		return take_support(decoder, inst);
	default:
		return 0;
	}
}

/* ---- the file ---------------------------------------------------------------------------- */

/* Finds the packets of all harts. */
static int sort_out(struct packet_places *places, const uint8_t *data, size_t bytes,
		    unsigned source_bytes, struct wm_error *err)
{
	struct packet_follow follow = { .err = err };
	struct te_span span;

	for (size_t at = 0; at < bytes;) {
		follow.off = at;
		if (!te_next(data, bytes, source_bytes, &at, &span))
			return packet_fail(&follow, "the file ends within a packet");
		if (span.bytes && !packet_places_add(places, span.hart, follow.off))
			return wm_fail_nomem(err, "packets");
	}
	packet_places_sort(places);
	return places->n ? 0 :
			   wm_fail(err, WM_E_FORMAT, 0, "there is no packet of E-Trace");
}

/*
 * Decodes the packets of one hart: places[n]. sort_out() has checked that they are whole.
 */
static int read_hart(struct decoder *decoder, const uint8_t *data, size_t bytes,
		     const struct packet_place *places, size_t n, unsigned source_bytes)
{
	const struct packet_sink *sink = decoder->follow.sink;
	int ret = sink->hart(sink->cookie, places->hart, decoder->follow.err);
	struct te_inst inst;
	struct te_span span;

	for (size_t i = 0; !ret && i < n; i++) {
		size_t at = places[i].off;

		decoder->follow.off = at;
		te_next(data, bytes, source_bytes, &at, &span);
		te_get(data + span.at, span.bytes, &decoder->widths, &inst);
		ret = take(decoder, &inst);
	}
	return ret;
}

int etrace_read(const uint8_t *data, size_t bytes, struct packet_code *code,
		const struct packet_settings *settings, const struct packet_sink *sink,
		struct wm_error *err)
{
	struct packet_places places = { .n = 0 };
	unsigned source_bytes = settings->source_bits / 8;
	int ret = settings->source_bits % 8 ?
			  wm_fail(err, WM_E_RANGE, 0,
				  "numbers of harts have 0, 8 or 16 bits in E-Trace") :
			  sort_out(&places, data, bytes, source_bytes, err);

	for (size_t i = 0, n; !ret && i < places.n; i += n) {
		struct decoder decoder = {
			.follow = { code, sink, err, 0, 0 },
			.widths = { code->xlen, settings->timestamps },
		};

		n = packet_places_same(&places, i);
		ret = read_hart(&decoder, data, bytes, places.all + i, n, source_bytes);
	}
	free(places.all);
	return ret;
}
