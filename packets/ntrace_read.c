// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decoder of a hart's N-Trace messages, the mirror of ntrace_write.c.
 *
 * A message's I-CNT says how far to run along the program's text. On the way jumps with a
 * target in the text are followed, and branches go by the history; without one only the
 * last instruction of a DirectBranch is a branch that was taken. What a ResourceFull has
 * is kept for the message that follows.
 *
 * Encoders may leave out returns that go where their call came from, and jumps that a lui
 * before them explains. No message says whether they do, and none has to: a jump in the
 * middle of what a message counts is one of these, and one at its end has its target there.
 *
 * Example: 1000 addi (4 bytes), 1004 bne to 1000 (4 bytes). DirectBranch with I-CNT 4:
 * both retire, and control is at 1000. RepeatBranch with B-CNT 9: the same nine times
 * more.
 *
 * Hostile messages: I-CNT and its sum are bounded by what an encoder can count, so that a
 * message of some bytes is at most some million instructions. A history that is not used
 * up, or an address that is not where the text leads, is an error.
 */
#include <stdlib.h>

#include "base/append.h"
#include "base/error.h"
#include "packets/follow.h"
#include "packets/nexus.h"
#include "packets/ntrace.h"
#include "packets/returns.h"

/* Encoders count up to 22 bits here (ntrace_write.c); others may have a few more. */
enum { I_CNT_MOST = 1 << 24, REPEATS_MOST = 1 << 24, CONTEXT_SOON = 8 };

/* A history, with the bit at its head, and how often it comes. */
struct history {
	uint64_t hist, times;
};

struct decoder {
	struct packet_follow follow;
	bool synced, traced;  /* it was synced once, and is traced now */
	uint64_t i_cnt;	      /* of ResourceFull */
	struct history *hist; /* [n_hist] */
	size_t n_hist;
	size_t hist_at; /* the one in use, and its bits that are left */
	unsigned hist_bits;
	struct packet_returns returns;
	struct packet_insn previous; /* the instruction before pc; bytes 0: not known */
	uint64_t previous_at;
	uint64_t address; /* of the last message */
	uint64_t direct;  /* I-CNT of the last message, if it was a DirectBranch */
};

/* ---- histories --------------------------------------------------------------------------- */

/*
 * Keeps a history until the next message that runs. Its highest bit only marks its
 * length.
 */
static int add_history(struct decoder *decoder, uint64_t hist, uint64_t times)
{
	struct history history = { hist, times };

	if (!hist)
		return packet_fail(&decoder->follow, "a history without its first bit");
	/* Only the mark: no branches. */
	if (hist == 1 || !times)
		return 0;
	if (!APPEND(decoder->hist, decoder->n_hist, history))
		return wm_fail_nomem(decoder->follow.err, "a history");
	return 0;
}

/* Branches of a history: its bits below the mark. hist > 1. */
static unsigned bits_of(uint64_t hist)
{
	return 63 - (unsigned)__builtin_clzll(hist);
}

/* Consumes the next branch: bits go from the highest, the oldest branch, down. */
static int next_branch(struct decoder *decoder, uint64_t pc, bool *taken)
{
	struct history *history;

	if (decoder->hist_at == decoder->n_hist)
		return packet_astray(&decoder->follow,
				     "the branch at 0x%llx has no bit in the history",
				     (unsigned long long)pc);
	history = &decoder->hist[decoder->hist_at];
	if (!decoder->hist_bits)
		decoder->hist_bits = bits_of(history->hist);
	*taken = history->hist >> --decoder->hist_bits & 1;
	if (!decoder->hist_bits && !--history->times)
		decoder->hist_at++;
	return 0;
}

/* Forgets the histories; an error if branches are left. */
static int end_history(struct decoder *decoder)
{
	bool left = decoder->hist_at < decoder->n_hist;

	decoder->n_hist = decoder->hist_at = decoder->hist_bits = 0;
	return left ? packet_astray(&decoder->follow,
				    "the history has more branches than the code") :
		      0;
}

/* ---- along the text ---------------------------------------------------------------------- */

/* How the message decides about the branches that it counts. */
enum branches { BY_HISTORY, NOT_TAKEN, LAST_TAKEN };

/*
 * Where an indirect jump leads, if its text or the call before say it. An encoder that
 * does not go by that has a message with the target, which then counts.
 */
static bool is_inferred(struct decoder *decoder, const struct packet_insn *insn,
			uint64_t *target)
{
	if (decoder->previous.bytes &&
	    packet_insn_follows(insn, &decoder->previous, decoder->previous_at,
				decoder->follow.code->xlen, target))
		return true;
	return insn->pops && packet_returns_pop(&decoder->returns, target);
}

/*
 * Moves pc on from an instruction that has retired; `last`: the last one that the message
 * counts.
 */
static int go_on(struct decoder *decoder, const struct packet_insn *insn, bool last,
		 enum branches branches)
{
	struct packet_follow *follow = &decoder->follow;
	bool taken = branches == LAST_TAKEN && last;
	uint64_t here = follow->pc, target;
	int ret = 0;

	follow->pc = here + insn->bytes;
	if (packet_insn_is_branch(insn)) {
		if (branches == BY_HISTORY)
			ret = next_branch(decoder, here, &taken);
		if (taken)
			follow->pc = insn->target;
	} else if (packet_insn_is_direct(insn)) {
		follow->pc = insn->target;
	} else if (is_inferred(decoder, insn, &target)) {
		follow->pc = target;
	} else if (packet_insn_is_indirect(insn) && !last) {
		/* An encoder would have sent a message. */
		return packet_astray(follow,
				     "the jump at 0x%llx should end what the message "
				     "counts",
				     (unsigned long long)here);
	}
	if (insn->pushes)
		packet_returns_push(&decoder->returns, here + insn->bytes);
	decoder->previous = *insn;
	decoder->previous_at = here;
	return ret;
}

/* Runs i_cnt half-words along the text, and those of a ResourceFull before. */
static int run(struct decoder *decoder, uint64_t i_cnt, enum branches branches)
{
	struct packet_follow *follow = &decoder->follow;
	const struct packet_insn *insn = NULL;
	int ret = 0;

	i_cnt += decoder->i_cnt;
	decoder->i_cnt = 0;
	while (!ret && i_cnt) {
		struct packet_insn copy;

		/* Copied below: it is valid until the next lookup. */
		insn = packet_insn_at(follow, follow->pc);
		if (!insn)
			return WM_E_FORMAT;
		if (insn->bytes / 2u > i_cnt)
			return packet_astray(
				follow, "I-CNT ends within the instruction at 0x%llx",
				(unsigned long long)follow->pc);
		i_cnt -= insn->bytes / 2u;
		copy = *insn;
		ret = follow->sink->insn(follow->sink->cookie, follow->pc, &copy,
					 follow->err);
		if (!ret)
			ret = go_on(decoder, &copy, !i_cnt, branches);
	}
	return ret ? ret : end_history(decoder);
}

/* ---- messages ---------------------------------------------------------------------------- */

static bool has_sync(const struct nexus_message *message)
{
	return message->tcode == NEXUS_PROG_TRACE_SYNC ||
	       message->tcode == NEXUS_DIRECT_BRANCH_SYNC ||
	       message->tcode == NEXUS_INDIRECT_BRANCH_SYNC ||
	       message->tcode == NEXUS_INDIRECT_BRANCH_HIST_SYNC;
}

static bool has_history(const struct nexus_message *message)
{
	return message->tcode == NEXUS_INDIRECT_BRANCH_HIST ||
	       message->tcode == NEXUS_INDIRECT_BRANCH_HIST_SYNC ||
	       (message->tcode == NEXUS_PROG_TRACE_CORRELATION &&
		message->fields[NEXUS_CDF]);
}

/* Runs to the end of what a message counts. */
static int run_message(struct decoder *decoder, const struct nexus_message *message)
{
	uint64_t i_cnt = message->fields[NEXUS_I_CNT];
	enum branches branches = NOT_TAKEN;
	int ret = 0;

	if (i_cnt > I_CNT_MOST || decoder->i_cnt > I_CNT_MOST)
		return packet_fail(&decoder->follow, "I-CNT is too large");
	if (message->tcode == NEXUS_DIRECT_BRANCH ||
	    message->tcode == NEXUS_DIRECT_BRANCH_SYNC)
		branches = LAST_TAKEN;
	if (has_history(message))
		ret = add_history(decoder, message->fields[NEXUS_HIST], 1);
	/* A message without a history uses that of a ResourceFull before it. */
	if (has_history(message) || decoder->n_hist)
		branches = BY_HISTORY;
	return ret ? ret : run(decoder, i_cnt, branches);
}

/* The address of a message: whole, or xor the one before. Bit 0 is not sent. */
static uint64_t address_of(const struct decoder *decoder,
			   const struct nexus_message *message)
{
	return has_sync(message) ? message->fields[NEXUS_F_ADDR] << 1 :
				   decoder->address ^ message->fields[NEXUS_U_ADDR] << 1;
}

/* A jump or a trap, to an address that the text does not say. */
static int take_indirect(struct decoder *decoder, const struct nexus_message *message)
{
	uint64_t b_type = message->fields[NEXUS_B_TYPE];
	struct packet_follow *follow = &decoder->follow;
	struct packet_trap trap = { .interrupt = b_type != NEXUS_B_EXCEPTION,
				    .epc = follow->pc };
	int ret = 0;

	decoder->address = trap.handler = address_of(decoder, message);
	if (b_type != NEXUS_B_INDIRECT) {
		ret = packet_trap(follow, &trap);
		decoder->previous.bytes = 0;
	}
	follow->pc = decoder->address;
	return ret;
}

/* The first message that is synced, and each after code that was not traced. */
static int start(struct decoder *decoder, const struct nexus_message *message)
{
	const struct packet_sink *sink = decoder->follow.sink;
	int ret = decoder->synced ? sink->gap(sink->cookie, decoder->follow.err) : 0;

	decoder->synced = decoder->traced = true;
	decoder->address = decoder->follow.pc = address_of(decoder, message);
	decoder->i_cnt = decoder->direct = 0;
	decoder->n_hist = decoder->hist_at = decoder->hist_bits = 0;
	decoder->previous.bytes = 0;
	return ret;
}

/*
 * Checks that the text has led to a message's address; else the trace is of other code.
 */
static int check_address(struct decoder *decoder, const struct nexus_message *message)
{
	decoder->address = address_of(decoder, message);
	return decoder->address == decoder->follow.pc ?
		       0 :
		       packet_astray(&decoder->follow,
				     "the message is at 0x%llx, the code leads to 0x%llx",
				     (unsigned long long)decoder->address,
				     (unsigned long long)decoder->follow.pc);
}

/*
 * A counter of the encoder was full: its contents come before the message they belong to.
 */
static int take_full(struct decoder *decoder, const struct nexus_message *message)
{
	uint64_t data = message->fields[NEXUS_RDATA];

	switch (message->fields[NEXUS_RCODE]) {
	case NEXUS_R_I_CNT:
		if (data > I_CNT_MOST || decoder->i_cnt > I_CNT_MOST)
			return packet_fail(&decoder->follow, "I-CNT is too large");
		decoder->i_cnt += data;
		return 0;
	case NEXUS_R_HIST:
		return add_history(decoder, data, 1);
	case NEXUS_R_REPEATED:
		return add_history(decoder, data, message->fields[NEXUS_HREPEAT]);
	default:
		return packet_fail(&decoder->follow, "ResourceFull of RCODE %llu",
				   (unsigned long long)message->fields[NEXUS_RCODE]);
	}
}

/* The last DirectBranch came n times more, with the same I-CNT. */
static int take_repeats(struct decoder *decoder, const struct nexus_message *message)
{
	uint64_t n = message->fields[NEXUS_B_CNT], i_cnt = decoder->direct;
	int ret = 0;

	if (!i_cnt || n > REPEATS_MOST)
		return packet_fail(&decoder->follow, "there is no such branch to repeat");
	for (; !ret && n; n--)
		ret = run(decoder, i_cnt, LAST_TAKEN);
	return ret;
}

static int take_end(struct decoder *decoder, const struct nexus_message *message)
{
	int ret = run_message(decoder, message);

	/* Code that is not traced follows, up to the next message with sync. */
	decoder->traced = false;
	return ret;
}

/* A message that continues from the last one. */
static int take_traced(struct decoder *decoder, const struct nexus_message *message)
{
	int ret;

	switch (message->tcode) {
	case NEXUS_DIRECT_BRANCH:
		return run_message(decoder, message);
	case NEXUS_INDIRECT_BRANCH:
	case NEXUS_INDIRECT_BRANCH_SYNC:
	case NEXUS_INDIRECT_BRANCH_HIST:
	case NEXUS_INDIRECT_BRANCH_HIST_SYNC:
		ret = run_message(decoder, message);
		return ret ? ret : take_indirect(decoder, message);
	case NEXUS_PROG_TRACE_SYNC:
	case NEXUS_DIRECT_BRANCH_SYNC:
		ret = run_message(decoder, message);
		return ret ? ret : check_address(decoder, message);
	case NEXUS_RESOURCE_FULL:
		return take_full(decoder, message);
	case NEXUS_REPEAT_BRANCH:
		return take_repeats(decoder, message);
	case NEXUS_PROG_TRACE_CORRELATION:
		return take_end(decoder, message);
	case NEXUS_ERROR:
		/* Messages were lost: the next one with sync starts again. */
		decoder->traced = false;
		return 0;
	default:
		return 0;
	}
}

static int take(struct decoder *decoder, const struct nexus_message *message)
{
	const struct packet_sink *sink = decoder->follow.sink;
	uint64_t i_cnt = message->fields[NEXUS_I_CNT] + decoder->i_cnt;
	int ret;

	/* The time of other messages is compressed in ways that encoders choose. */
	if (has_sync(message) && message->has_time)
		sink->clock(sink->cookie, message->time);
	if (!decoder->traced)
		ret = has_sync(message) ? start(decoder, message) : 0;
	else
		ret = take_traced(decoder, message);
	/* A decoder may begin here: nothing is expected of what was before. */
	if (has_sync(message))
		decoder->returns.n = 0;
	/* Repeats leave the branch as it is: another RepeatBranch may follow. */
	if (message->tcode != NEXUS_REPEAT_BRANCH)
		decoder->direct = message->tcode == NEXUS_DIRECT_BRANCH ? i_cnt : 0;
	return ret;
}

/* ---- the file ---------------------------------------------------------------------------- */

/* Finds the messages; a source is a hart. */
static int sort_out(struct packet_places *places, const uint8_t *data, size_t bytes,
		    const struct nexus_form *form, struct wm_error *err)
{
	struct packet_follow follow = { .err = err };
	struct nexus_message message;
	enum nexus_found found;
	const char *why = "";
	size_t at = 0;

	for (;;) {
		follow.off = at;
		found = nexus_get(data, bytes, &at, form, &message, &why);
		if (found == NEXUS_END)
			break;
		if (found == NEXUS_BAD)
			return packet_fail(&follow, "%s", why);
		if (found == NEXUS_MESSAGE &&
		    !packet_places_add(places, message.source, follow.off))
			return wm_fail_nomem(err, "messages");
	}
	packet_places_sort(places);
	return places->n ? 0 :
			   wm_fail(err, WM_E_FORMAT, 0, "there is no message of N-Trace");
}

/* The context of a hart: it follows the first synchronisation. 0: the packet has none. */
static uint32_t context_of(const uint8_t *data, size_t bytes,
			   const struct packet_place *places, size_t n,
			   const struct nexus_form *form)
{
	struct nexus_message message;
	const char *why;

	for (size_t i = 0; i < n && i < CONTEXT_SOON; i++) {
		size_t at = places[i].off;
		uint64_t process;

		nexus_get(data, bytes, &at, form, &message, &why);
		process = message.fields[NEXUS_PROCESS];
		if (message.tcode == NEXUS_OWNERSHIP &&
		    nexus_process_format(process) == NEXUS_P_SCONTEXT)
			return (uint32_t)nexus_process_context(process);
	}
	return 0;
}

/* Decodes the messages of one hart: places[n]. */
static int read_hart(struct decoder *decoder, const uint8_t *data, size_t bytes,
		     const struct packet_place *places, size_t n,
		     const struct nexus_form *form)
{
	const struct packet_sink *sink = decoder->follow.sink;
	uint32_t context = context_of(data, bytes, places, n, form);
	int ret = sink->hart(sink->cookie, places->hart, context, decoder->follow.err);
	struct nexus_message message;
	const char *why;

	for (size_t i = 0; !ret && i < n; i++) {
		size_t at = places[i].off;

		decoder->follow.off = at;
		nexus_get(data, bytes, &at, form, &message, &why);
		ret = take(decoder, &message);
	}
	if (sink->unended && decoder->traced)
		*sink->unended = true;
	return ret;
}

int ntrace_read(const uint8_t *data, size_t bytes, struct packet_code *code,
		const struct packet_settings *settings, const struct packet_sink *sink,
		struct wm_error *err)
{
	bool extended = settings->modes & PACKET_ADDRESSES;
	struct nexus_form form = { settings->source_bits, extended ? code->xlen : 0 };
	struct packet_places places = { .n = 0 };
	int ret = sort_out(&places, data, bytes, &form, err);

	for (size_t i = 0, n; !ret && i < places.n; i += n) {
		struct decoder decoder = { .follow = { code, sink, err, 0, 0 },
					   .returns = { .most = PACKET_RETURNS_MOST } };

		n = packet_places_same(&places, i);
		ret = read_hart(&decoder, data, bytes, places.all + i, n, &form);
		free(decoder.hist);
	}
	free(places.all);
	return ret;
}
