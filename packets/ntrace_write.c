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

/* The largest fields of an encoder's counters: 22 bits of I-CNT, 31 branches. */
enum { I_CNT_MOST = (1 << 22) - 1, HISTORY_FULL = 31 };

struct encoder {
	struct packet_output *out;
	const struct packet_settings *settings;
	uint16_t source;
	uint64_t i_cnt, hist, address; /* address: of the last message */
	uint64_t ns;
	uint32_t since;	   /* messages since the last one with sync */
	uint64_t repeated; /* how often the last DirectBranch was repeated */
	uint64_t direct;   /* its I-CNT; 0: the last message was another */
};

static void put(struct encoder *encoder, struct nexus_message *message)
{
	struct packet_output *out = encoder->out;

	size_t before = out->buf.len;

	message->source = encoder->source;
	nexus_put(&out->buf, message, encoder->settings->source_bits);
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
	encoder->i_cnt = 0;
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
	put_repeats(encoder);
	put_count(encoder, &message, to);
	encoder->address = to;
	encoder->since = 0;
}

static bool sync_is_due(const struct encoder *encoder)
{
	return encoder->since >= encoder->settings->resync;
}

/* A field that is full, which belongs to the next message that counts. */
static void put_full(struct encoder *encoder, unsigned rcode, uint64_t data)
{
	struct nexus_message message = { .tcode = NEXUS_RESOURCE_FULL };

	message.fields[NEXUS_RCODE] = rcode;
	message.fields[NEXUS_RDATA] = data;
	put_repeats(encoder);
	put(encoder, &message);
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
		put_repeats(encoder);
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
	encoder->hist = encoder->hist << 1 | taken;
	if (!(encoder->hist >> HISTORY_FULL))
		return;
	put_full(encoder, NEXUS_R_HIST, encoder->hist);
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
	encoder->ns = ns;
	put_sync(encoder, NEXUS_PROG_TRACE_SYNC, NEXUS_SYNC_TRACE_ENABLE, 0, address);
}

static void take_run(void *cookie, const struct packet_run *run)
{
	struct encoder *encoder = cookie;

	if (encoder->i_cnt + run->halfwords > I_CNT_MOST) {
		/* Before the run, not within: decoders add the parts. */
		put_full(encoder, NEXUS_R_I_CNT, encoder->i_cnt);
		encoder->i_cnt = 0;
	}
	encoder->i_cnt += run->halfwords;
	if (packet_insn_is_branch(&run->insn))
		take_branch(encoder, run);
	else if (packet_insn_is_indirect(&run->insn) ||
		 (run->insn.traps && run->next != run->last + run->insn.bytes))
		put_indirect(encoder, NEXUS_B_INDIRECT, run->next);
}

static void take_trap(void *cookie, const struct packet_trap *trap, uint64_t ns)
{
	struct encoder *encoder = cookie;

	encoder->ns = ns;
	put_indirect(encoder, trap->interrupt ? NEXUS_B_INTERRUPT : NEXUS_B_EXCEPTION,
		     trap->handler);
}

static void end(void *cookie)
{
	struct encoder *encoder = cookie;
	struct nexus_message message = { .tcode = NEXUS_PROG_TRACE_CORRELATION };

	message.fields[NEXUS_EVCODE] = NEXUS_EV_TRACE_DISABLED;
	message.fields[NEXUS_CDF] = encoder->settings->history;
	put_repeats(encoder);
	/* A correlation has no address. */
	put_count(encoder, &message, 0);
}

int ntrace_write(struct packet_output *out, const struct wm_trace *trace, unsigned stream,
		 uint32_t hart, const struct packet_settings *settings,
		 struct wm_error *err)
{
	struct encoder encoder = { .out = out,
				   .settings = settings,
				   .source = (uint16_t)hart };
	struct packet_taker taker = { begin, take_run, take_trap, end, &encoder };
	int ret = packet_path_walk(trace, stream, &taker, err);

	return !ret && out->buf.failed ? wm_fail_nomem(err, "packets") : ret;
}
