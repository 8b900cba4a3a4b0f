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
 * Of the optional modes, a packet of support says which there are. Returns go where their
 * call came from, jumps where a lui before them says, and branches that a packet only counts
 * as the predictor foretells; the model (te_model.h) is the encoder's. Where a packet counts
 * returns (irets), its address is met after so many of them since the last branch.
 *
 * Example: control is at 1000 addi; 1004 beq and 1008 c.jr ra follow. A packet of format
 * 1 with one branch, not taken, and the address 2000: 1004, 1008 and 2000 retire.
 *
 * Hostile packets: text that does not lead to the address is followed for STEPS_MOST
 * instructions and not further, or when branches are counted, COUNTED_STEPS_MOST.
 */
#include "packets/etrace_follow.h"

enum { STEPS_MOST = 1 << 22, COUNTED_STEPS_MOST = 1 << 26 };

bool etrace_is_discontinuity(const struct packet_insn *insn)
{
	return packet_insn_is_indirect(insn) || insn->traps;
}

bool etrace_is_branch_at(const struct etrace_decoder *decoder, uint64_t address)
{
	const struct packet_insn *insn = packet_code_at(decoder->follow.code, address);

	return insn && packet_insn_is_branch(insn);
}

/* ---- one instruction --------------------------------------------------------------------- */

int etrace_report(struct etrace_decoder *decoder)
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
static int take_branch(struct etrace_decoder *decoder, bool *taken)
{
	uint64_t pc = decoder->follow.pc;

	if (!decoder->branches)
		return packet_astray(&decoder->follow,
				     "nothing says where the branch at 0x%llx goes",
				     (unsigned long long)pc);
	*taken = decoder->foretold ? te_model_foretells(&decoder->model, pc) :
				     !(decoder->branch_map & 1);
	/* A branch that is left of the packet before has its bit; then the count begins. */
	if (!decoder->foretold)
		decoder->branch_map >>= 1;
	decoder->foretold = etrace_is_count(decoder->inst);
	decoder->branches--;
	decoder->irets = 0;
	te_model_branch(&decoder->model, pc, *taken);
	return 0;
}

/* Whether all branches are used up but that of an instruction that is a branch. */
static bool is_used_up_at(const struct etrace_decoder *decoder, uint64_t address)
{
	return decoder->branches == etrace_is_branch_at(decoder, address);
}

/*
 * Whether a return goes where it is expected to: *expected. One that the packet tells is the
 * last after a number of steps at which it does not.
 */
static bool is_expected(struct etrace_decoder *decoder, uint64_t address,
			uint64_t *expected)
{
	const struct te_inst *inst = decoder->inst;
	bool told = inst->irreport && is_used_up_at(decoder, address) &&
		    inst->irets == decoder->irets;

	*expected = 0;
	if (!packet_returns_pop(&decoder->model.returns, expected))
		return false;
	decoder->irets++;
	return !told;
}

/*
 * A jump whose target no text says, to the packet's address; *address changes when a return
 * has put another one into the cache.
 */
static int jump_to(struct etrace_decoder *decoder, const struct packet_insn *insn,
		   uint64_t *address, bool *stop_here)
{
	const struct te_inst *inst = decoder->inst;
	bool returns = insn->pops && decoder->widths.options.implicit_return;
	uint64_t expected = 0;

	if (returns && is_expected(decoder, *address, &expected)) {
		decoder->follow.pc = expected;
		te_model_target(&decoder->model, expected);
		if (etrace_is_index(inst) &&
		    te_model_index(&decoder->model, expected) == inst->index)
			*address = expected;
		return 0;
	}
	if (decoder->stop_at_last && !etrace_is_branch_at(decoder, *address))
		return packet_astray(
			&decoder->follow,
			"the jump at 0x%llx comes before the last branch of a "
			"full map",
			(unsigned long long)decoder->follow.pc);
	decoder->follow.pc = *address;
	*stop_here = true;
	if (!inst->irreport || *address != expected)
		te_model_target(&decoder->model, *address);
	return 0;
}

/* A jump whose target is in the instruction before it. */
static bool is_followed(const struct etrace_decoder *decoder,
			const struct packet_insn *insn, uint64_t *target)
{
	const struct packet_insn *before;
	struct packet_insn copy = *insn;

	if (!decoder->widths.options.sijump)
		return false;
	before = packet_code_at(decoder->follow.code, decoder->last_pc);
	return before && packet_insn_follows(&copy, before, decoder->last_pc,
					     decoder->widths.xlen, target);
}

int etrace_next(struct etrace_decoder *decoder, uint64_t *address, bool *stop_here)
{
	struct packet_follow *follow = &decoder->follow;
	const struct packet_insn *at = packet_insn_at(follow, follow->pc);
	uint64_t this_pc = follow->pc, target;
	struct packet_insn insn;
	bool taken = false;
	int ret = 0;

	*stop_here = false;
	if (!at)
		return WM_E_FORMAT;
	insn = *at; /* valid until the next lookup only */
	decoder->followed = false;
	if (packet_insn_is_branch(&insn))
		ret = take_branch(decoder, &taken);
	if (packet_insn_is_direct(&insn) || taken) {
		follow->pc = insn.target;
	} else if (is_followed(decoder, &insn, &target)) {
		decoder->followed = true;
		follow->pc = target;
	} else if (etrace_is_discontinuity(&insn)) {
		ret = jump_to(decoder, &insn, address, stop_here);
	} else {
		follow->pc = etrace_mask(decoder, this_pc + insn.bytes);
	}
	if (insn.pushes)
		packet_returns_push(&decoder->model.returns,
				    etrace_mask(decoder, this_pc + insn.bytes));
	decoder->last_pc = this_pc;
	return ret;
}

/* One step: the next instruction retires. */
static int move(struct etrace_decoder *decoder, uint64_t *address, bool *stop_here)
{
	int ret = etrace_next(decoder, address, stop_here);

	return ret ? ret : etrace_report(decoder);
}

/* ---- up to an address -------------------------------------------------------------------- */

/* A jump that is not explained by its text led here. */
static bool came_by_jump(const struct etrace_decoder *decoder)
{
	const struct packet_insn *insn =
		packet_code_at(decoder->follow.code, decoder->last_pc);

	return insn && etrace_is_discontinuity(insn) && !decoder->followed;
}

/*
 * Whether the packet counts more returns than were passed. A return that is its last
 * instruction is among those.
 */
static bool returns_are_left(const struct etrace_decoder *decoder)
{
	const struct packet_insn *insn =
		packet_code_at(decoder->follow.code, decoder->follow.pc);
	unsigned passed =
		decoder->irets + (insn && insn->pops && decoder->model.returns.n > 0);

	return decoder->inst->irreport && decoder->inst->irets > passed;
}

/*
 * Whether the path of a packet ends at pc without a discontinuity. After a
 * synchronisation, or if the packet says so (notify), it does for certain. Else a loop
 * may pass the address several times: the first time is taken as the end, and marked as
 * inferred.
 */
static bool is_there(struct etrace_decoder *decoder, uint64_t address)
{
	const struct te_inst *inst = decoder->inst;

	if (decoder->follow.pc != address || decoder->stop_at_last ||
	    !is_used_up_at(decoder, address))
		return false;
	if (inst->format == TE_SYNC)
		return true;
	if (returns_are_left(decoder))
		return false;
	if (inst->notify)
		return true;
	if (came_by_jump(decoder) || inst->updiscon)
		return false;
	decoder->inferred = true;
	decoder->inferred_by = *inst;
	decoder->inferred_irets = decoder->irets;
	return true;
}

/* The path ends at its last branch, which has not been consumed. */
static bool is_last_branch(struct etrace_decoder *decoder)
{
	if (!decoder->stop_at_last || decoder->branches != 1 ||
	    !etrace_is_branch_at(decoder, decoder->follow.pc))
		return false;
	decoder->stop_at_last = false;
	return true;
}

/*
 * One step on from an address that was inferred, until a discontinuity leads there again.
 */
static int pass_inferred(struct etrace_decoder *decoder, uint64_t *address,
			 unsigned *steps)
{
	bool stop_here;
	int ret = move(decoder, address, &stop_here);

	if (stop_here)
		decoder->inferred = false;
	return ret || ++*steps < STEPS_MOST ?
		       ret :
		       packet_astray(&decoder->follow,
				     "the code does not lead to 0x%llx again",
				     (unsigned long long)*address);
}

int etrace_pass_inferred(struct etrace_decoder *decoder)
{
	const struct te_inst *inst = decoder->inst;
	uint64_t address = decoder->follow.pc;
	unsigned steps = 0;
	int ret = 0;

	if (!decoder->inferred)
		return 0;
	decoder->inst = &decoder->inferred_by;
	decoder->irets = decoder->inferred_irets;
	while (!ret && decoder->inferred)
		ret = pass_inferred(decoder, &address, &steps);
	decoder->inst = inst;
	decoder->irets = 0;
	return ret;
}

/*
 * The branch at which a packet with a count ends is not consumed: it gets the bit that the
 * next packet takes it by.
 */
static void keep_branch(struct etrace_decoder *decoder)
{
	uint64_t pc = decoder->follow.pc;

	if (!etrace_is_count(decoder->inst) || !etrace_is_branch_at(decoder, pc))
		return;
	decoder->branch_map = te_model_foretells(&decoder->model, pc) ==
			      (decoder->inst->branch_fmt != TE_RIGHT);
	decoder->foretold = false;
}

/* One step of a packet's path; *done: it was the last one. */
static int go_on(struct etrace_decoder *decoder, uint64_t *address, bool *done)
{
	bool stop_here;
	int ret = move(decoder, address, &stop_here);

	if (ret)
		return ret;
	*done = is_last_branch(decoder) || stop_here || is_there(decoder, *address);
	if (*done && stop_here && !is_used_up_at(decoder, decoder->follow.pc))
		return packet_astray(&decoder->follow, "branches are left over at 0x%llx",
				     (unsigned long long)decoder->follow.pc);
	return 0;
}

int etrace_follow(struct etrace_decoder *decoder, uint64_t address)
{
	unsigned steps = etrace_is_count(decoder->inst) ? COUNTED_STEPS_MOST : STEPS_MOST;
	int ret = etrace_pass_inferred(decoder);
	bool done = false;

	while (!ret && !done) {
		ret = go_on(decoder, &address, &done);
		if (!ret && !done && !--steps)
			ret = packet_astray(&decoder->follow,
					    "the code does not lead to 0x%llx",
					    (unsigned long long)address);
	}
	decoder->address = address;
	decoder->stop_at_last = false;
	keep_branch(decoder);
	return ret;
}
