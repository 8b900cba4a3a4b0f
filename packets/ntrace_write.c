// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The encoder of a hart (N-Trace, "Message Generation"). I-CNT counts half-words since
 * the last message. A decoder runs that many along the program's text, so only these need
 * a message:
 *
 * - a branch that is taken, when there is no history: DirectBranch (repetitions are
 *   counted, and sent as RepeatBranch). With history it is a bit of HIST;
 * - a jump whose target the text does not have: IndirectBranch, with the address;
 * - a trap: the same, with another B-TYPE;
 * - a field that is full: ResourceFull.
 *
 * Of the optional modes (settings.modes), returns to where their call came from and jumps
 * that a lui before them explains need no message either; a history that is the same as the
 * one before is counted, and sent once. Addresses may be sent without equal bits at their top.
 *
 * Every settings.resync messages one has the whole address, in a message of its kind
 * "with sync"; with timestamps only these have the time.
 *
 * Example: after a jump, a loop of 4 half-words is taken ten times: DirectBranch with
 * I-CNT 4, and when another message comes, RepeatBranch with B-CNT 9 before it.
 */
#include <stdlib.h>

#include "base/error.h"
#include "packets/nexus.h"
#include "packets/ntrace.h"
#include "packets/path.h"
#include "packets/returns.h"

/*
 * The largest fields of an encoder's counters: 22 bits of I-CNT, 31 branches. Histories that
 * repeat have 30, a multiple of many lengths that the pattern of a loop has.
 */
enum { I_CNT_MOST = (1 << 22) - 1, HISTORY_FULL = 31, HISTORY_REPEATS = 30 };
enum { HREPEAT_MOST = 1 << 16 };
/* So much of I-CNT may come before the message that it belongs to: a decoder has a limit. */
enum { FULL_I_CNT_MOST = 1 << 23 };

struct encoder {
	struct packet_output *out;
	const struct packet_settings *settings;
	struct nexus_form form;
	uint16_t source;
	uint64_t i_cnt, hist, address; /* address: of the last message */
	uint64_t ns;
	uint32_t since;	   /* messages since the last one with sync */
	uint64_t repeated; /* how often the last DirectBranch was repeated */
	uint64_t direct;   /* its I-CNT; 0: the last message was another */
	uint64_t full;	   /* a history that is full and not sent yet; 0: none */
	uint64_t full_times;
	uint64_t full_i_cnt; /* sent ahead of the message that it belongs to */
	uint32_t context;
	uint8_t privilege, privilege_before; /* now; and before the last trap */
	struct packet_returns returns;
	struct packet_insn previous; /* the last instruction of the run before */
	uint64_t previous_at;
};

static void put(struct encoder *encoder, struct nexus_message *message)
{
	struct packet_output *out = encoder->out;

	size_t before = out->buf.len;

	message->source = encoder->source;
	nexus_put(&out->buf, message, &encoder->form);
	packet_output_put(out, before);
	encoder->since++;
}

/*
 * Sends the repetitions that are counted: before any other message, which follows them.
 */
static void put_repeats(struct encoder *encoder)
{
	struct nexus_message message = { .tcode = NEXUS_REPEAT_BRANCH };

	message.fields[NEXUS_B_CNT] = encoder->repeated;
	encoder->direct = 0;
	if (encoder->repeated)
		put(encoder, &message);
	encoder->repeated = 0;
}

/* Sends the full history that is kept, with how often it came. */
static void put_history(struct encoder *encoder)
{
	struct nexus_message message = { .tcode = NEXUS_RESOURCE_FULL };

	if (!encoder->full)
		return;
	message.fields[NEXUS_RCODE] = encoder->full_times > 1 ? NEXUS_R_REPEATED :
								NEXUS_R_HIST;
	message.fields[NEXUS_RDATA] = encoder->full;
	message.fields[NEXUS_HREPEAT] = encoder->full_times;
	encoder->full = 0;
	put(encoder, &message);
}

/* All that was counted instead of sent, which is before what comes. */
static void put_counted(struct encoder *encoder)
{
	put_repeats(encoder);
	put_history(encoder);
}

/* Whose code runs: after each synchronisation, and when the privilege changes. */
static void put_ownership(struct encoder *encoder, enum nexus_process format)
{
	struct nexus_message message = { .tcode = NEXUS_OWNERSHIP };
	uint32_t context = format == NEXUS_P_SCONTEXT ? encoder->context : 0;

	if (!encoder->settings->contexts)
		return;
	message.fields[NEXUS_PROCESS] =
		nexus_process(format, encoder->privilege, context);
	put_counted(encoder);
	put(encoder, &message);
}

/*
 * Sends a message with the I-CNT; control is at `to`. Fields that the message's layout
 * does not have are ignored.
 */
static void put_count(struct encoder *encoder, struct nexus_message *message, uint64_t to)
{
	message->fields[NEXUS_I_CNT] = encoder->i_cnt;
	message->fields[NEXUS_F_ADDR] = to >> 1;
	message->fields[NEXUS_U_ADDR] = (to ^ encoder->address) >> 1;
	message->fields[NEXUS_HIST] = encoder->hist;
	put(encoder, message);
	encoder->i_cnt = encoder->full_i_cnt = 0;
}

/*
 * The same with sync: `tcode` is of a kind that has the history, or there is none to
 * send.
 */
static void put_sync(struct encoder *encoder, unsigned tcode, unsigned sync,
		     unsigned b_type, uint64_t to)
{
	struct nexus_message message = { .tcode = (uint8_t)tcode };

	message.fields[NEXUS_SYNC] = sync;
	message.fields[NEXUS_B_TYPE] = b_type;
	message.has_time = encoder->settings->timestamps;
	message.time = encoder->ns;
	put_counted(encoder);
	put_count(encoder, &message, to);
	encoder->address = to;
	encoder->returns.n = 0;
	put_ownership(encoder, NEXUS_P_SCONTEXT);
	encoder->since = 0;
}

static bool sync_is_due(const struct encoder *encoder)
{
	return encoder->since >= encoder->settings->resync;
}

/* I-CNT is full; what it has belongs to the next message that counts. */
static void put_full(struct encoder *encoder)
{
	struct nexus_message message = { .tcode = NEXUS_RESOURCE_FULL };

	message.fields[NEXUS_RCODE] = NEXUS_R_I_CNT;
	message.fields[NEXUS_RDATA] = encoder->i_cnt;
	put_counted(encoder);
	put(encoder, &message);
	encoder->full_i_cnt += encoder->i_cnt;
	encoder->i_cnt = 0;
}

/*
 * A taken branch without history. The same I-CNT again repeats the message: a decoder
 * runs the same count once more.
 */
static void put_direct(struct encoder *encoder, uint64_t to)
{
	struct nexus_message message = { .tcode = NEXUS_DIRECT_BRANCH };
	uint64_t i_cnt = encoder->i_cnt;

	if (sync_is_due(encoder)) {
		put_sync(encoder, NEXUS_DIRECT_BRANCH_SYNC, NEXUS_SYNC_PERIODIC, 0, to);
	} else if (i_cnt == encoder->direct) {
		encoder->repeated++;
		encoder->i_cnt = 0;
	} else {
		put_repeats(encoder);
		put_count(encoder, &message, to);
		encoder->direct = i_cnt;
	}
}

static void put_indirect(struct encoder *encoder, unsigned b_type, uint64_t to)
{
	bool history = encoder->settings->history;
	struct nexus_message message = { .tcode = history ? NEXUS_INDIRECT_BRANCH_HIST :
							    NEXUS_INDIRECT_BRANCH };

	if (sync_is_due(encoder)) {
		put_sync(encoder,
			 history ? NEXUS_INDIRECT_BRANCH_HIST_SYNC :
				   NEXUS_INDIRECT_BRANCH_SYNC,
			 NEXUS_SYNC_PERIODIC, b_type, to);
	} else {
		message.fields[NEXUS_B_TYPE] = b_type;
		put_counted(encoder);
		put_count(encoder, &message, to);
		encoder->address = to;
	}
	/* The message had the history. 1: no branch, only the mark of its length. */
	encoder->hist = 1;
}

/*
 * Adds a branch to the history. A loop that needs no other message is synchronised here,
 * when the history has just been sent.
 */
static void add_history(struct encoder *encoder, bool taken, uint64_t to)
{
	bool repeats = encoder->settings->modes & PACKET_REPEATS;

	encoder->hist = encoder->hist << 1 | taken;
	if (!(encoder->hist >> (repeats ? HISTORY_REPEATS : HISTORY_FULL)))
		return;
	if (encoder->full != encoder->hist || encoder->full_times == HREPEAT_MOST) {
		put_counted(encoder);
		encoder->full = encoder->hist;
		encoder->full_times = 0;
	}
	encoder->full_times++;
	if (!repeats)
		put_counted(encoder);
	encoder->hist = 1;
	if (sync_is_due(encoder))
		put_sync(encoder, NEXUS_PROG_TRACE_SYNC, NEXUS_SYNC_PERIODIC, 0, to);
}

static void take_branch(struct encoder *encoder, const struct packet_run *run)
{
	/* A branch to the next instruction is taken or not; both lead there. */
	bool taken = run->next != run->last + run->insn.bytes;

	if (encoder->settings->history)
		add_history(encoder, taken, run->next);
	else if (taken)
		put_direct(encoder, run->next);
}

/* Tracing starts: counters are 0, and the first message has the whole address. */
static void begin(void *cookie, uint64_t address, uint64_t ns)
{
	struct encoder *encoder = cookie;

	encoder->i_cnt = 0;
	encoder->hist = 1;
	encoder->previous.bytes = 0;
	encoder->ns = ns;
	put_sync(encoder, NEXUS_PROG_TRACE_SYNC, NEXUS_SYNC_TRACE_ENABLE, 0, address);
}

/* A jump whose target the instruction before it says, both counted by one message. */
static bool is_followed(const struct encoder *encoder, const struct packet_run *run)
{
	bool alone = !run->before.bytes;
	const struct packet_insn *before = alone ? &encoder->previous : &run->before;
	uint64_t target;

	/* I-CNT has the run already. */
	if (!(encoder->settings->modes & PACKET_JUMPS) || !before->bytes ||
	    (alone && encoder->i_cnt == run->halfwords))
		return false;
	return packet_insn_follows(&run->insn, before,
				   alone ? encoder->previous_at : run->before_at,
				   run->xlen, &target);
}

/* Whether the text, and the calls before, say where the run's last instruction leads. */
static bool is_inferred(struct encoder *encoder, const struct packet_run *run)
{
	bool followed = is_followed(encoder, run);
	uint64_t expected = 0;
	bool known = run->insn.pops && !followed &&
		     packet_returns_pop(&encoder->returns, &expected);

	if (run->insn.pushes)
		packet_returns_push(&encoder->returns, run->last + run->insn.bytes);
	if (known && encoder->settings->modes & PACKET_RETURNS)
		return expected == run->next;
	return followed ||
	       (!packet_insn_is_indirect(&run->insn) &&
		(!run->insn.traps || run->next == run->last + run->insn.bytes));
}

/*
 * Ends what I-CNT has ahead of its message, with the branches since the last one. A loop of
 * jumps alone, as where a thread waits for its end, has no other place for a message.
 */
static void end_full(struct encoder *encoder, uint64_t to)
{
	put_counted(encoder);
	if (encoder->hist != 1) {
		encoder->full = encoder->hist;
		encoder->full_times = 1;
	}
	encoder->hist = 1;
	put_sync(encoder, NEXUS_PROG_TRACE_SYNC, NEXUS_SYNC_PERIODIC, 0, to);
}

static void take_run(void *cookie, const struct packet_run *run)
{
	struct encoder *encoder = cookie;

	/* Before the run, not within: decoders add the parts. */
	if (encoder->i_cnt + run->halfwords > I_CNT_MOST)
		put_full(encoder);
	encoder->i_cnt += run->halfwords;
	if (packet_insn_is_branch(&run->insn))
		take_branch(encoder, run);
	else if (!is_inferred(encoder, run))
		put_indirect(encoder, NEXUS_B_INDIRECT, run->next);
	encoder->previous = run->insn;
	encoder->previous_at = run->last;
	if (run->insn.leaves_trap && encoder->privilege != encoder->privilege_before) {
		encoder->privilege = encoder->privilege_before;
		put_ownership(encoder, NEXUS_P_PRIVILEGE);
	}
	if (encoder->full_i_cnt >= FULL_I_CNT_MOST)
		end_full(encoder, run->next);
}

static void take_trap(void *cookie, const struct packet_trap *trap, uint64_t ns)
{
	struct encoder *encoder = cookie;

	bool changes = trap->after != encoder->privilege;

	encoder->ns = ns;
	encoder->privilege = trap->after;
	encoder->privilege_before = trap->before;
	encoder->previous.bytes = 0;
	put_indirect(encoder, trap->interrupt ? NEXUS_B_INTERRUPT : NEXUS_B_EXCEPTION,
		     trap->handler);
	if (changes)
		put_ownership(encoder, NEXUS_P_PRIVILEGE);
}

static void end(void *cookie)
{
	struct encoder *encoder = cookie;
	struct nexus_message message = { .tcode = NEXUS_PROG_TRACE_CORRELATION };

	message.fields[NEXUS_EVCODE] = NEXUS_EV_TRACE_DISABLED;
	message.fields[NEXUS_CDF] = encoder->settings->history;
	put_counted(encoder);
	/* A correlation has no address. */
	put_count(encoder, &message, 0);
}

int ntrace_write(struct packet_output *out, const struct wm_trace *trace, unsigned stream,
		 uint32_t hart, const struct packet_settings *settings,
		 struct wm_error *err)
{
	bool extended = settings->modes & PACKET_ADDRESSES;
	struct encoder encoder = { .out = out,
				   .settings = settings,
				   .form = { settings->source_bits,
					     extended ? packet_path_xlen(trace) : 0 },
				   .source = (uint16_t)hart,
				   .returns = { .most = 1 << PACKET_RETURNS_BITS } };
	struct packet_taker taker = { begin, take_run, take_trap, end, &encoder };
	struct wm_stream facts;
	int ret;

	if (!wm_trace_stream(trace, stream, &facts))
		encoder.context = facts.tid;
	ret = packet_path_walk(trace, stream, settings->parts, &taker, &out->insns, err);
	return !ret && out->buf.failed ? wm_fail_nomem(err, "packets") : ret;
}
