// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The packets of E-Trace and what a decoder does with each (its specification, chapter
 * "Decoding"); etrace_follow.c walks the text in between. Harts are decoded one after the
 * other, so the packets are sorted first (packets/follow.h).
 *
 * A packet of support comes first and says how the encoder works; options that are not known
 * here are refused, because their packets would be taken for others.
 *
 * Example: support; a start at 1000; format 1 with a branch, not taken, and the address
 * 2000; support, ended. The hart is traced from 1000 over the branch to 2000.
 */
#include <stdlib.h>

#include "base/error.h"
#include "packets/etrace.h"
#include "packets/etrace_follow.h"

/* ---- packets ----------------------------------------------------------------------------- */

static bool has_address(const struct te_inst *inst)
{
	if (inst->format == TE_EXTENSION)
		return inst->subformat == TE_COUNT && inst->branch_fmt != TE_NO_ADDRESS;
	return !inst->full;
}

/* The branches that a packet tells of come after the one that may be left. */
static int add_branches(struct etrace_decoder *decoder, const struct te_inst *inst)
{
	uint64_t map = inst->branch_map & ((UINT64_C(1) << inst->branches) - 1);

	/* Only of the packet before: that at its address. */
	if (decoder->branches > 1)
		return packet_astray(&decoder->follow, "branches are left over");
	if (etrace_is_count(inst)) {
		decoder->foretold = !decoder->branches;
		decoder->branches += (uint64_t)inst->branch_count + TE_BRANCHES_MOST +
				     (inst->branch_fmt != TE_RIGHT);
	} else {
		decoder->foretold = false;
		decoder->branch_map &= 1;
		decoder->branch_map *= decoder->branches;
		decoder->branch_map |= map << decoder->branches;
		decoder->branches += inst->branches;
	}
	return 0;
}

/* An extension that no packet of support has said that there is. */
static int check_extension(const struct etrace_decoder *decoder,
			   const struct te_inst *inst)
{
	const struct te_options *options = &decoder->widths.options;
	bool known = (inst->subformat == TE_COUNT && options->branch_predictor &&
		      inst->branch_fmt != 1) ||
		     (inst->subformat == TE_INDEX && options->jump_target_cache);

	return known || inst->format != TE_EXTENSION ?
		       0 :
		       packet_fail(&decoder->follow,
				   "a packet of format 0 that no support packet has "
				   "announced");
}

/* Formats 0, 1 and 2. */
static int take_address(struct etrace_decoder *decoder, const struct te_inst *inst)
{
	uint64_t address = decoder->address;
	int ret = check_extension(decoder, inst);

	/* Before the first synchronisation there is no place to start from. */
	if (ret || !decoder->started)
		return ret;
	if (etrace_is_index(inst))
		address = decoder->model.targets[inst->index];
	else if (has_address(inst))
		address = etrace_mask(
			decoder, inst->address + (decoder->widths.options.full_iaddress ?
							  0 :
							  decoder->address));
	decoder->stop_at_last = (!etrace_is_index(inst) && !has_address(inst)) ||
				etrace_is_branch_at(decoder, address);
	ret = add_branches(decoder, inst);
	return ret ? ret : etrace_follow(decoder, address);
}

/* A packet of format 3 at a branch says where that branch goes. */
static void add_own_branch(struct etrace_decoder *decoder, const struct te_inst *inst)
{
	if (!etrace_is_branch_at(decoder, inst->address))
		return;
	decoder->foretold = false;
	decoder->branch_map |= (uint64_t)inst->branch << decoder->branches;
	decoder->branches++;
}

/* Gives the trap that is kept to the sink, when the address of its handler is known. */
static int end_trap(struct etrace_decoder *decoder, uint64_t handler)
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
static int jump(struct etrace_decoder *decoder, uint64_t address)
{
	const struct packet_sink *sink = decoder->follow.sink;
	int ret = 0;

	if (!decoder->started && decoder->ever && !decoder->has_trap)
		ret = sink->gap(sink->cookie, decoder->follow.err);
	if (!ret)
		ret = end_trap(decoder, address);
	decoder->started = decoder->ever = true;
	decoder->follow.pc = decoder->last_pc = address;
	return ret ? ret : etrace_report(decoder);
}

static int take_start(struct etrace_decoder *decoder, const struct te_inst *inst)
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
		return packet_astray(&decoder->follow, "branches are left over");
	add_own_branch(decoder, inst);
	/* After a trap nothing leads here; else the text must. */
	if (!decoder->started || decoder->has_trap)
		ret = jump(decoder, inst->address);
	else
		ret = etrace_follow(decoder, inst->address);
	te_model_sync(&decoder->model);
	return ret;
}

/*
 * Finds where an exception came at: the instruction after the last one that retired.
 * After an uninferable discontinuity the packet has the address, unless it has the
 * handler's.
 */
static int exception_address(struct etrace_decoder *decoder, const struct te_inst *inst,
			     uint64_t *epc)
{
	struct packet_follow *follow = &decoder->follow;
	const struct packet_insn *insn = packet_insn_at(follow, follow->pc);
	uint64_t before = follow->pc, none = 0;
	bool stop_here;
	int ret;

	if (!insn)
		return WM_E_FORMAT;
	*epc = inst->address;
	if (etrace_is_discontinuity(insn)) {
		/*
		 * Then the last instruction was an ecall, which raised the exception
		 * itself.
		 */
		if (inst->thaddr)
			*epc = before;
		return 0;
	}
	ret = etrace_next(decoder, &none, &stop_here);
	*epc = follow->pc;
	follow->pc = before;
	return ret;
}

static int take_trap(struct etrace_decoder *decoder, const struct te_inst *inst)
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
	te_model_sync(&decoder->model);
	/*
	 * Without it the address is the exception's own; the next packet has the handler.
	 */
	if (ret || !inst->thaddr)
		return ret;
	add_own_branch(decoder, inst);
	return jump(decoder, inst->address);
}

/* Which of the options an encoder may have that decoding here does not know. */
static const char *unknown(const struct te_options *options)
{
	if (options->implicit_except)
		return "addresses of handlers that are left out";
	if (options->call_counter_size)
		return "counters of calls";
	if (options->implicit_return && !options->iret_ext)
		return "returns by the depth of their stack";
	return NULL;
}

/* Format 3, subformat 3: tracing starts or ends. */
static int take_support(struct etrace_decoder *decoder, const struct te_inst *inst)
{
	const char *why = unknown(&inst->options);
	int ret = 0;

	if (why)
		return packet_fail(&decoder->follow,
				   "the encoder has an option that is not known here: %s",
				   why);
	/* The last address was passed once more before the end. */
	if (inst->qual_status == TE_ENDED_NTR && decoder->started)
		ret = etrace_pass_inferred(decoder);
	if (inst->qual_status != TE_NO_CHANGE)
		decoder->started = decoder->inferred = false;
	decoder->widths.options = inst->options;
	te_model_init(&decoder->model, &inst->options);
	return ret;
}

static int take(struct etrace_decoder *decoder, const struct te_inst *inst)
{
	const struct packet_sink *sink = decoder->follow.sink;

	decoder->inst = inst;
	decoder->irets = 0;
	if (inst->format != TE_SYNC)
		return take_address(decoder, inst);
	if (decoder->widths.options.time_width && inst->subformat != TE_SUPPORT)
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

/* The context of the first synchronisation; 0: packets have none. */
static uint32_t context_of(struct te_widths widths, const uint8_t *data, size_t bytes,
			   const struct packet_place *places, size_t n,
			   unsigned source_bytes)
{
	struct te_inst inst;
	struct te_span span;

	for (size_t i = 0; widths.context_bits && i < n; i++) {
		size_t at = places[i].off;

		te_next(data, bytes, source_bytes, &at, &span);
		te_get(data + span.at, span.bytes, &widths, &inst);
		if (inst.format == TE_SYNC && inst.subformat != TE_SUPPORT)
			return inst.context;
		if (inst.format == TE_SYNC)
			widths.options = inst.options;
	}
	return 0;
}

/*
 * Decodes the packets of one hart: places[n]. sort_out() has checked that they are whole.
 */
static int read_hart(struct etrace_decoder *decoder, const uint8_t *data, size_t bytes,
		     const struct packet_place *places, size_t n, unsigned source_bytes)
{
	const struct packet_sink *sink = decoder->follow.sink;
	uint32_t context =
		context_of(decoder->widths, data, bytes, places, n, source_bytes);
	int ret = sink->hart(sink->cookie, places->hart, context, decoder->follow.err);
	struct te_inst inst;
	struct te_span span;

	for (size_t i = 0; !ret && i < n; i++) {
		size_t at = places[i].off;

		decoder->follow.off = at;
		te_next(data, bytes, source_bytes, &at, &span);
		te_get(data + span.at, span.bytes, &decoder->widths, &inst);
		ret = take(decoder, &inst);
	}
	if (sink->unended && decoder->started)
		*sink->unended = true;
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
		struct etrace_decoder decoder = {
			.follow = { code, sink, err, 0, 0 },
			.widths = { .xlen = code->xlen,
				    .context_bits = settings->contexts ? TE_CONTEXT_BITS :
									 0 },
		};

		te_model_init(&decoder.model, &decoder.widths.options);
		n = packet_places_same(&places, i);
		ret = read_hart(&decoder, data, bytes, places.all + i, n, source_bytes);
	}
	free(places.all);
	return ret;
}
