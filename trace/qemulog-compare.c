// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks a QEMU log and a trace side by side. Each block of the log must meet an equal
 * block of the trace: same address, instruction boundaries, bytes and disassembly. Or it
 * meets several blocks that are its pieces, where a recorder cuts blocks (at the markers
 * of a guest). Example: the log enters 0x100 with 3 instructions, the trace 0x100 with 1
 * and 0x104 with 2.
 *
 * Content is compared once for each pair of blocks. After that an equal pair of ids is
 * enough, so a comparison is about as fast as decoding. A second cursor reads the same
 * stream by instructions, because seeking and stepping through instructions is separate
 * code that must deliver the same.
 *
 * The log knows CPUs only: the streams that one CPU number had one after another (threads
 * that ended and their successors) are one sequence here, too.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/qemulog-data.h"
#include "trace/qemulog.h"

enum { DISAS_BYTES = 512 };

struct walk {
	const struct qemulog *log;
	const struct wm_trace *trace;
	unsigned process;
	struct qemulog_result *result;
	struct wm_error *err;
	uint32_t *twins; /* log id - 1 -> the equal block of the trace; 0: none yet */
	struct u64map pieces; /* log id << 32 | trace's id -> offset of the piece + 1 */
	struct logspool_reader *reader;

	unsigned cpu;
	uint64_t ordinal;     /* of the block on this CPU */
	int64_t generation;   /* of the current stream; -1: before the first */
	uint64_t insn;	      /* ordinal in that stream */
	struct wm_step ahead; /* the next block, if rest_follows() has read it */
	bool has_ahead;
	uint64_t traced; /* blocks of the trace that were met, of all CPUs */
	struct wm_cursor *blocks, *insns; /* NULL: no stream */
};

/* Appends to the sentence in the result. */
__attribute__((format(printf, 2, 3))) static void say(struct walk *walk,
						      const char *format, ...)
{
	char *text = walk->result->text;
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, sizeof(walk->result->text) - used, format, args);
	va_end(args);
}

static int differs(struct walk *walk)
{
	if (walk->log->chained)
		say(walk, ". The log was made without nochain, so it misses blocks");
	return QEMULOG_DIFFERS;
}

/* ---- one block against one block ------------------------------------------- */

/*
 * Whether the texts are equal except for the amount of white space. `b` ends with a NUL.
 */
static bool same_words(const char *a, const char *end, const char *b)
{
	for (;;) {
		while (a < end && isspace((unsigned char)*a))
			a++;
		while (isspace((unsigned char)*b))
			b++;
		if (a == end || !*b)
			return a == end && !*b;
		while (a < end && !isspace((unsigned char)*a))
			if (*a++ != *b++)
				return false;
		if (*b && !isspace((unsigned char)*b))
			return false;
	}
}

/* The instructions of a block on both sides, and how far each side was read. */
struct pair {
	const char *line, *end; /* of the log: the unread part */
	struct loginsn log;

	uint32_t id, index; /* of the trace: the next instruction */
	const struct wm_block *block;
	uint64_t address;
	uint32_t bytes;
	const uint8_t *code;
	char disas[DISAS_BYTES];
};

static bool next_logged(struct pair *pair)
{
	return loginsn_next(&pair->line, pair->end, &pair->log) == 0;
}

static bool next_traced(const struct walk *walk, struct pair *pair)
{
	if (pair->index == pair->block->insns)
		return false;
	pair->address += pair->bytes;
	pair->code += pair->bytes;
	pair->bytes = pair->block->sizes[pair->index];
	wm_trace_disas_qemu(walk->trace, pair->id, pair->index++, pair->disas,
			    sizeof(pair->disas));
	return true;
}

static bool insns_equal(const struct pair *pair)
{
	const struct loginsn *log = &pair->log;

	return log->address == pair->address && log->bytes == pair->bytes &&
	       !memcmp(log->code, pair->code, pair->bytes) &&
	       (same_words(log->disas, log->end, pair->disas) ||
		same_words(log->text, log->end, pair->disas));
}

/*
 * Whether QEMU executes the instruction, but its disassembler prints ".byte": it does not
 * know the instruction or, in 10.x, did not see all of it at the end of what it reads at
 * a time.
 */
static bool is_unknown(const struct pair *pair)
{
	static const char word[] = ".byte";
	const struct loginsn *log = &pair->log;

	return log->address == pair->address &&
	       (size_t)(log->end - log->disas) >= sizeof(word) &&
	       !strncmp(log->disas, word, sizeof(word) - 1);
}

static bool logged_bytes_are_there(const struct pair *pair)
{
	uint64_t off = pair->log.address - pair->block->address;

	return off <= pair->block->bytes && pair->log.bytes <= pair->block->bytes - off &&
	       !memcmp(pair->log.code, pair->block->code + off, pair->log.bytes);
}

/*
 * After such an instruction the log's boundaries are wrong. Continues until both sides
 * end at the same address again; up to there only the bytes are compared.
 */
static bool catch_up(struct walk *walk, struct pair *pair)
{
	uint32_t first = pair->index;

	while (logged_bytes_are_there(pair)) {
		uint64_t logged = pair->log.address + pair->log.bytes;
		uint64_t traced = pair->address + pair->bytes;

		if (logged == traced) {
			walk->result->unread += pair->index - first + 1;
			return true;
		}
		if (logged < traced ? !next_logged(pair) : !next_traced(walk, pair))
			break;
	}
	return false;
}

static void say_place(struct walk *walk)
{
	say(walk, "block %llu of CPU %u differs: ", (unsigned long long)walk->ordinal,
	    walk->cpu);
}

static int insns_differ(struct walk *walk, const struct pair *pair)
{
	say_place(walk);
	say(walk,
	    "in its instruction %u the log has 0x%llx \"%.*s\", the trace 0x%llx \"",
	    pair->index - 1, (unsigned long long)pair->log.address,
	    (int)(pair->log.end - pair->log.text), pair->log.text,
	    (unsigned long long)pair->address);
	for (uint32_t i = pair->bytes; i-- > 0;)
		say(walk, "%02x", pair->code[i]);
	say(walk, " %s\"", pair->disas);
	return differs(walk);
}

static int compare_insns(struct walk *walk, struct pair *pair)
{
	while (next_traced(walk, pair)) {
		if (!next_logged(pair))
			return wm_fail(walk->err, WM_E_FORMAT, 0,
				       "a text of the log is gone");
		if (insns_equal(pair))
			continue;
		if (!is_unknown(pair) || !catch_up(walk, pair))
			return insns_differ(walk, pair);
	}
	return 0;
}

static int places_differ(struct walk *walk, const struct logblock *logged,
			 const struct wm_block *block)
{
	say_place(walk);
	say(walk,
	    "the log has 0x%llx with %u instructions in %u bytes, the trace 0x%llx with "
	    "%u in %u",
	    (unsigned long long)logged->address, logged->insns, logged->bytes,
	    (unsigned long long)block->address, block->insns, block->bytes);
	return differs(walk);
}

/* Moves the log's side to the instruction at `address`, the first one of a piece. */
static void skip_to(struct pair *pair, uint64_t address)
{
	struct loginsn insn;

	for (const char *at = pair->line;
	     loginsn_next(&at, pair->end, &insn) == 0 && insn.address != address;
	     pair->line = at)
		;
}

/*
 * Compares block `id` with the log's block from its byte `off` on. *bytes is how many of
 * these it covers. A block without bytes is an action of QEMU itself: it covers the whole
 * block.
 */
static int compare_blocks(struct walk *walk, uint32_t log_id, uint32_t off, uint32_t id,
			  uint32_t *bytes)
{
	const struct logblock *logged = logblocks_at(&walk->log->blocks, log_id);
	const char *text = walk->log->blocks.text + logged->text_off;
	struct wm_block block;
	struct pair pair = { .line = text, .end = text + logged->text_bytes, .id = id };

	if (wm_trace_block(walk->trace, id, &block) != 0)
		return wm_fail(walk->err, WM_E_DAMAGED, 0,
			       "the trace enters block %u, which it does not have", id);
	*bytes = block.bytes ? block.bytes : logged->bytes;
	if (block.address == logged->address && !block.bytes)
		return 0;
	if (block.address != logged->address + off || block.bytes > logged->bytes - off)
		return places_differ(walk, logged, &block);
	pair.block = &block;
	pair.address = block.address;
	pair.code = block.code;
	skip_to(&pair, block.address);
	return compare_insns(walk, &pair);
}

/* ---- the streams of one CPU -------------------------------------------------- */

static void close_stream(struct walk *walk)
{
	wm_cursor_free(walk->blocks);
	wm_cursor_free(walk->insns);
	walk->blocks = walk->insns = NULL;
	walk->insn = 0;
}

/* The CPU's stream with the next higher generation; -1: there is none. */
static int64_t following_stream(struct walk *walk)
{
	struct wm_stream stream;
	int64_t found = -1, generation = INT64_MAX;

	for (unsigned i = 0; wm_trace_stream(walk->trace, i, &stream) == 0; i++) {
		if (stream.space != walk->process || stream.vcpu != walk->cpu ||
		    stream.generation <= walk->generation ||
		    stream.generation >= generation)
			continue;
		generation = stream.generation;
		found = i;
	}
	if (found >= 0)
		walk->generation = generation;
	return found;
}

static int open_next_stream(struct walk *walk)
{
	int64_t stream = following_stream(walk);
	int ret;

	close_stream(walk);
	if (stream < 0)
		return WM_END;
	ret = wm_cursor_new(&walk->blocks, walk->trace, (unsigned)stream, walk->err);
	if (!ret)
		ret = wm_cursor_new(&walk->insns, walk->trace, (unsigned)stream,
				    walk->err);
	return ret;
}

/* The trace's next block on this CPU. */
static int next_step(struct walk *walk, struct wm_step *step)
{
	int ret = WM_END;

	if (walk->has_ahead) {
		walk->has_ahead = false;
		*step = walk->ahead;
		return 0;
	}
	if (walk->blocks)
		ret = wm_cursor_next_block(walk->blocks, step, walk->err);
	while (ret == WM_END) {
		ret = open_next_stream(walk);
		if (ret)
			return ret;
		ret = wm_cursor_next_block(walk->blocks, step, walk->err);
	}
	return ret;
}

/*
 * The instruction cursor must deliver the instructions of the block that began, in order.
 * The log only says that a block was entered, not that it was left early.
 */
static int walk_insns(struct walk *walk, const struct wm_step *block)
{
	uint32_t insns = block->insns;
	struct wm_step step;

	for (uint32_t i = 0; i < insns; i++, walk->insn++) {
		int ret = wm_cursor_next_insn(walk->insns, &step, walk->err);

		if (ret < 0)
			return ret;
		if (ret == 0 && step.id == block->id && step.index == i &&
		    step.insn_ordinal == walk->insn &&
		    step.block_ordinal == block->block_ordinal)
			continue;
		say_place(walk);
		say(walk, "instruction %u of %u is not what comes next in the trace", i,
		    insns);
		return differs(walk);
	}
	walk->result->insns += insns;
	return 0;
}

/* ---- the walk ----------------------------------------------------------------- */

static int trace_ended(struct walk *walk)
{
	say(walk, "the trace of CPU %u ends after %llu blocks, the log has %llu",
	    walk->cpu, (unsigned long long)walk->ordinal,
	    (unsigned long long)logspool_length(walk->log->spool, walk->cpu));
	return differs(walk);
}

static int log_ended(struct walk *walk, uint32_t id)
{
	struct wm_block block = { 0 };

	wm_trace_block(walk->trace, id, &block);
	say(walk, "the log of CPU %u ends after %llu blocks, the trace goes on at 0x%llx",
	    walk->cpu, (unsigned long long)walk->ordinal,
	    (unsigned long long)block.address);
	return differs(walk);
}

/* Compares a step with the log's block from its byte `off` on; each pair only once. */
static int compare_step(struct walk *walk, uint32_t log_id, uint32_t off, uint32_t id,
			uint32_t *bytes)
{
	const struct logblock *logged = logblocks_at(&walk->log->blocks, log_id);
	uint64_t key = (uint64_t)log_id << 32 | id;
	uint32_t *twin = &walk->twins[log_id - 1], *piece;
	struct wm_block block = { 0 };
	int ret;

	*bytes = logged->bytes;
	if (!off && *twin == id)
		return 0;
	if (u64map_get(&walk->pieces, key) == off + 1) {
		wm_trace_block(walk->trace, id, &block);
		*bytes = block.bytes;
		return 0;
	}
	ret = compare_blocks(walk, log_id, off, id, bytes);
	if (ret)
		return ret;
	if (*bytes == logged->bytes) {
		*twin = id;
		return 0;
	}
	piece = u64map_at(&walk->pieces, key);
	if (!piece)
		return wm_fail_nomem(walk->err, "comparing with a log");
	*piece = off + 1;
	return 0;
}

/* Whether the block was left after this step, as far as the trace shows it. */
static bool was_left(struct walk *walk, const struct wm_step *step)
{
	struct wm_block block = { 0 };
	struct wm_event event;
	bool left = false;

	wm_trace_block(walk->trace, step->id, &block);
	while (wm_cursor_event_here(walk->blocks, &event) == 0)
		left |= event.kind == WM_EVENT_SIGNAL;
	return left || step->uncertain || step->insns < block.insns;
}

/*
 * Whether the rest of a block, from its byte `off` on, comes next. If not, the block must
 * have been left: by a signal, by the end of the thread, or to run one of its
 * instructions alone.
 */
static int rest_follows(struct walk *walk, const struct logblock *logged, uint32_t off,
			const struct wm_step *step, bool *follows)
{
	bool left = was_left(walk, step);
	int64_t generation = walk->generation;
	struct wm_block block = { 0 };
	int ret = next_step(walk, &walk->ahead);

	*follows = false;
	if (ret)
		return ret == WM_END ? 0 : ret;
	walk->has_ahead = true;
	if (walk->generation != generation)
		return 0;
	wm_trace_block(walk->trace, walk->ahead.id, &block);
	*follows = !left && block.address == logged->address + off;
	if (*follows || left || block.address - logged->address < off)
		return 0;
	return places_differ(walk, logged, &block);
}

static int walk_block(struct walk *walk, uint32_t log_id)
{
	const struct logblock *logged = logblocks_at(&walk->log->blocks, log_id);
	struct wm_step step;
	uint32_t off = 0, bytes;
	bool more = true;

	while (more) {
		int ret = next_step(walk, &step);

		if (ret == WM_END)
			return trace_ended(walk);
		if (!ret)
			ret = compare_step(walk, log_id, off, step.id, &bytes);
		if (!ret)
			ret = walk_insns(walk, &step);
		if (ret)
			return ret;
		walk->traced++;
		off += bytes;
		more = off < logged->bytes;
		if (more && (ret = rest_follows(walk, logged, off, &step, &more)))
			return ret;
	}
	walk->ordinal++;
	walk->result->blocks++;
	return 0;
}

static int walk_cpu(struct walk *walk)
{
	struct wm_step step;
	uint32_t log_id;
	int ret;

	walk->ordinal = 0;
	walk->generation = -1;
	logspool_reader_init(walk->reader, walk->log->spool, walk->cpu);
	while ((ret = logspool_next(walk->reader, &log_id, walk->err)) == 0) {
		ret = walk_block(walk, log_id);
		if (ret)
			return ret;
	}
	if (ret < 0)
		return ret;
	ret = next_step(walk, &step);
	if (ret == 0)
		return log_ended(walk, step.id);
	return ret == WM_END ? 0 : ret;
}

/* One more than the highest CPU number in the log or the trace. */
static unsigned count_cpus(struct walk *walk)
{
	struct wm_stream stream;
	unsigned cpus = walk->log->cpus;

	for (unsigned i = 0; wm_trace_stream(walk->trace, i, &stream) == 0; i++) {
		if (stream.space != walk->process)
			continue;
		walk->result->trace_blocks += stream.blocks;
		if (stream.vcpu >= cpus && stream.vcpu < LOGSPOOL_CPUS)
			cpus = stream.vcpu + 1;
	}
	for (unsigned i = 0; i < cpus; i++)
		walk->result->log_blocks += logspool_length(walk->log->spool, i);
	return cpus;
}

static int walk_all(struct walk *walk)
{
	unsigned cpus = count_cpus(walk);
	int ret = 0;

	for (walk->cpu = 0; !ret && walk->cpu < cpus; walk->cpu++)
		ret = walk_cpu(walk);
	close_stream(walk);
	walk->result->cpus = cpus;
	if (!ret && walk->traced != walk->result->trace_blocks) {
		say(walk,
		    "the trace has %llu blocks, but only %llu are on CPUs of the log",
		    (unsigned long long)walk->result->trace_blocks,
		    (unsigned long long)walk->traced);
		return differs(walk);
	}
	if (!ret)
		say(walk, "equal to the log: %llu blocks, %llu instructions",
		    (unsigned long long)walk->result->blocks,
		    (unsigned long long)walk->result->insns);
	if (!ret && walk->result->unread)
		say(walk,
		    "; %u of the code's instructions by their bytes alone, because "
		    "QEMU's disassembler does not know them",
		    walk->result->unread);
	return ret;
}

/* After a gap the place in the log is ambiguous: the same code runs many times. */
static int check_whole(const struct wm_trace *trace, struct wm_error *err)
{
	struct wm_block block;
	uint32_t id = 1;

	while (wm_trace_block(trace, id, &block) == 0 && block.insns)
		id++;
	if (wm_trace_block(trace, id, &block) != 0)
		return 0;
	return wm_fail(
		err, WM_E_RANGE, 0,
		"parts of the run are not recorded in this trace, and only a whole "
		"one can be held against a log");
}

static int check_process(const struct wm_trace *trace, unsigned process,
			 struct wm_error *err)
{
	struct wm_process unused;

	if (wm_trace_process(trace, process, &unused) == 0)
		return 0;
	return wm_fail(err, WM_E_RANGE, 0, "the trace has no process %u", process);
}

int qemulog_compare(const struct qemulog *log, const struct wm_trace *trace,
		    unsigned process, struct qemulog_result *result, struct wm_error *err)
{
	struct walk walk = { .log = log,
			     .trace = trace,
			     .process = process,
			     .result = result,
			     .err = err };
	int ret = check_process(trace, process, err);

	*result = (struct qemulog_result){ 0 };
	if (!ret)
		ret = check_whole(trace, err);
	if (ret)
		return ret;
	walk.twins = calloc(log->blocks.n, sizeof(*walk.twins));
	walk.reader = malloc(sizeof(*walk.reader));
	if (walk.twins && walk.reader && !u64map_init(&walk.pieces))
		ret = walk_all(&walk);
	else
		ret = wm_fail_nomem(err, "comparing with a log");
	u64map_fini(&walk.pieces);
	free(walk.twins);
	free(walk.reader);
	return ret;
}
