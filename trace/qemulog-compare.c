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
 * The log does not always say which CPU stopped before a block. The trace does: an entry in
 * doubt that is not next in the trace was taken back. Of all these entries as many must be
 * missing as the log has such stops.
 *
 * The log knows CPUs only: the streams that one CPU number had one after another (threads
 * that ended and their successors) are one sequence here, too.
 */
#include <stdlib.h>
#include <sys/wait.h>

#include "base/error.h"
#include "trace/qemulog-comparison.h"

/* ---- the streams of one CPU -------------------------------------------------- */

static void close_stream(struct comparison *walk)
{
	wm_cursor_free(walk->blocks);
	wm_cursor_free(walk->insns);
	walk->blocks = walk->insns = NULL;
	/* Ordinals of instructions begin with 0 in each stream. */
	walk->insn = 0;
}

/* The CPU's stream with the next higher generation; -1: there is none. */
static int64_t following_stream(struct comparison *walk)
{
	struct wm_stream stream;
	/* No generation is higher than the first bound. */
	int64_t found = -1, generation = INT64_MAX;

	for (unsigned i = 0; wm_trace_stream(walk->trace, i, &stream) == 0; i++) {
		if (stream.space != walk->process || stream.vcpu != walk->cpu ||
		    stream.generation <= walk->generation ||
		    stream.generation >= generation)
			continue;
		generation = stream.generation;
		found = i;
	}
	/* The next call looks for a higher one. */
	if (found >= 0)
		walk->generation = generation;
	return found;
}

static int open_next_stream(struct comparison *walk)
{
	int64_t stream = following_stream(walk);
	int ret;

	close_stream(walk);
	if (stream < 0)
		return WM_END;
	ret = wm_cursor_new(&walk->blocks, walk->trace, (unsigned)stream, walk->err);
	/* Two cursors on one stream: see above. */
	if (!ret)
		ret = wm_cursor_new(&walk->insns, walk->trace, (unsigned)stream,
				    walk->err);
	return ret;
}

/* The trace's next block on this CPU. */
static int next_step(struct comparison *walk, struct wm_step *step)
{
	int ret = WM_END;

	/* rest_follows() or is_next() has read one block too many. */
	if (walk->has_ahead) {
		walk->has_ahead = false;
		*step = walk->ahead;
		return 0;
	}
	if (walk->blocks)
		ret = wm_cursor_next_block(walk->blocks, step, walk->err);
	/* A stream may have no block. */
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
 * The log only says that a block was entered, not that it was left early. The
 * ordinals of both cursors must agree as well.
 */
static int walk_insns(struct comparison *walk, const struct wm_step *block)
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
		comparison_say_place(walk);
		comparison_say(walk,
			       "instruction %u of %u is not what comes next in the trace",
			       i, insns);
		return comparison_differs(walk);
	}
	walk->result->insns += insns;
	return 0;
}

/* ---- the walk ----------------------------------------------------------------- */

/* The trace has no block for the log's next one. */
static int trace_ended(struct comparison *walk)
{
	uint64_t length = logspool_length(walk->log->spool, walk->cpu);
	struct qemulog_entry next;
	int ret = walk->stoppable ?
			  qemulog_sequence_next(walk->logged, &next, walk->err) :
			  0;

	if (ret < 0)
		return ret;
	/* QEMU logged it and the process ended before it began. */
	if (ret == WM_END) {
		walk->result->unbegun++;
		return 0;
	}
	comparison_say(walk,
		       "the trace of CPU %u ends after %llu blocks, the log has %llu",
		       walk->cpu, (unsigned long long)walk->ordinal,
		       (unsigned long long)length);
	return comparison_differs(walk);
}

static int log_ended(struct comparison *walk, uint32_t id)
{
	struct wm_block block = { 0 };

	wm_trace_block(walk->trace, id, &block);
	comparison_say(
		walk,
		"the log of CPU %u ends after %llu blocks, the trace goes on at 0x%llx",
		walk->cpu, (unsigned long long)walk->ordinal,
		(unsigned long long)block.address);
	return comparison_differs(walk);
}

/* Compares a step with the log's block from its byte `off` on; each pair only once. */
static int compare_step(struct comparison *walk, uint32_t log_id, uint32_t off,
			uint32_t id, uint32_t *bytes)
{
	const struct logblock *logged = logblocks_at(&walk->log->blocks, log_id);
	uint64_t key = (uint64_t)log_id << 32 | id;
	uint32_t *twin = &walk->twins[log_id - 1], *piece;
	struct wm_block block = { 0 };
	int ret;

	*bytes = logged->bytes;
	/* The pair was found equal before. */
	if (!off && *twin == id)
		return 0;
	/*
	 * So was this piece. Offsets are stored plus one, because 0 means that there is
	 * none.
	 */
	if (u64map_get(&walk->pieces, key) == off + 1) {
		wm_trace_block(walk->trace, id, &block);
		*bytes = block.bytes;
		return 0;
	}
	ret = comparison_block(walk, log_id, off, id, bytes);
	if (ret)
		return ret;
	/* It has all bytes of the log's block, so it is no piece. */
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
static bool was_left(struct comparison *walk, const struct wm_step *step)
{
	struct wm_block block = { 0 };
	struct wm_event event;
	bool left = false;

	wm_trace_block(walk->trace, step->id, &block);
	/* A signal came before the block's end. */
	while (wm_cursor_event_here(walk->blocks, &event) == 0)
		left |= event.kind == WM_EVENT_SIGNAL;
	return left || step->uncertain || step->insns < block.insns;
}

/*
 * Whether the rest of a block, from its byte `off` on, comes next. If not, the block must
 * have been left: by a signal, by the end of the thread, or to run one of its
 * instructions alone.
 */
static int rest_follows(struct comparison *walk, const struct logblock *logged,
			uint32_t off, const struct wm_step *step, bool *follows)
{
	bool left = was_left(walk, step);
	int64_t generation = walk->generation;
	struct wm_block block = { 0 };
	int ret = next_step(walk, &walk->ahead);

	*follows = false;
	if (ret)
		/* The thread ended in the block. */
		return ret == WM_END ? 0 : ret;
	walk->has_ahead = true;
	/* Another thread runs on this CPU now, so the block was left. */
	if (walk->generation != generation)
		return 0;
	wm_trace_block(walk->trace, walk->ahead.id, &block);
	*follows = !left && block.address == logged->address + off;
	/*
	 * An address before `off` is an instruction that runs again, alone. Any other one
	 * contradicts the log.
	 */
	if (*follows || left || block.address - logged->address < off)
		return 0;
	return comparison_places_differ(walk, logged, &block);
}

static int walk_block(struct comparison *walk, uint32_t log_id)
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
		/*
		 * Counted by blocks of the trace, of which several may be one of the log.
		 */
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

/*
 * Whether the log's block, or its first piece, is next in the trace; also WM_END. It is not
 * enough where the log's next block is a longer one at the same address, cut in the trace: what
 * is next may be the first piece of that.
 */
static int is_next(struct comparison *walk, uint32_t log_id, bool *next)
{
	const struct logblock *logged = logblocks_at(&walk->log->blocks, log_id);
	struct wm_block block = { 0 };
	struct wm_step step;
	int ret = next_step(walk, &step);

	*next = false;
	if (ret)
		return ret;
	walk->ahead = step;
	walk->has_ahead = true;
	wm_trace_block(walk->trace, step.id, &block);
	*next = block.address == logged->address && block.bytes <= logged->bytes;
	return 0;
}

static int walk_doubt(struct comparison *walk, uint32_t log_id)
{
	bool next;
	int ret = is_next(walk, log_id, &next);

	if (ret < 0)
		return ret;
	if (next)
		return walk_block(walk, log_id);
	/* After the end it may be a block that did not begin. */
	if (ret == WM_END && walk->stoppable)
		walk->ended++;
	else
		walk->stopped++;
	return 0;
}

static int walk_cpu(struct comparison *walk)
{
	struct qemulog_entry entry;
	struct wm_step step;
	int ret;

	walk->ordinal = 0;
	/* Below that of the first stream. */
	walk->generation = -1;
	qemulog_sequence_init(walk->logged, walk->log, walk->cpu);
	while ((ret = qemulog_sequence_next(walk->logged, &entry, walk->err)) == 0) {
		ret = entry.in_doubt ? walk_doubt(walk, entry.id) :
				       walk_block(walk, entry.id);
		if (ret)
			return ret;
	}
	if (ret < 0)
		return ret;
	/* The log has ended, so the trace must end, too. */
	ret = next_step(walk, &step);
	if (ret == 0)
		return log_ended(walk, step.id);
	return ret == WM_END ? 0 : ret;
}

/* threads: how many the process had. A machine, which has no pid, stops its CPUs in order. */
static bool is_stoppable(const struct comparison *walk, unsigned threads)
{
	struct wm_process process = { 0 };

	wm_trace_process(walk->trace, walk->process, &process);
	return process.pid && (threads > 1 || !WIFEXITED(process.status));
}

/* One more than the highest CPU number in the log or the trace. */
static unsigned count_cpus(struct comparison *walk)
{
	struct wm_stream stream;
	unsigned cpus = walk->log->cpus, threads = 0;

	for (unsigned i = 0; wm_trace_stream(walk->trace, i, &stream) == 0; i++) {
		/* A log is of one process. */
		if (stream.space != walk->process)
			continue;
		threads++;
		walk->result->trace_blocks += stream.blocks;
		if (stream.vcpu >= cpus && stream.vcpu < LOGSPOOL_CPUS)
			cpus = stream.vcpu + 1;
	}
	for (unsigned i = 0; i < cpus; i++)
		walk->result->log_blocks += logspool_length(walk->log->spool, i);
	walk->stoppable = is_stoppable(walk, threads);
	return cpus;
}

/* Every stop in doubt was the stop of one CPU. */
static int check_stops(struct comparison *walk)
{
	if (walk->stopped <= walk->log->unsure &&
	    walk->stopped + walk->ended >= walk->log->unsure)
		return 0;
	comparison_say(
		walk,
		"the log stops %llu times on one of several CPUs, and %llu of their "
		"blocks are not in the trace",
		(unsigned long long)walk->log->unsure,
		(unsigned long long)(walk->stopped + walk->ended));
	return comparison_differs(walk);
}

static int walk_all(struct comparison *walk)
{
	unsigned cpus = count_cpus(walk);
	int ret = 0;

	for (walk->cpu = 0; !ret && walk->cpu < cpus; walk->cpu++)
		ret = walk_cpu(walk);
	close_stream(walk);
	walk->result->cpus = cpus;
	/* Blocks on a CPU that no log can have were not compared. */
	if (!ret && walk->traced != walk->result->trace_blocks) {
		comparison_say(
			walk,
			"the trace has %llu blocks, but only %llu are on CPUs of the log",
			(unsigned long long)walk->result->trace_blocks,
			(unsigned long long)walk->traced);
		return comparison_differs(walk);
	}
	if (!ret)
		ret = check_stops(walk);
	if (!ret)
		comparison_say(walk, "equal to the log: %llu blocks, %llu instructions",
			       (unsigned long long)walk->result->blocks,
			       (unsigned long long)walk->result->insns);
	/* Not a difference, but worth knowing. */
	if (!ret && walk->result->unread)
		comparison_say(
			walk,
			"; %u of the code's instructions by their bytes alone, because "
			"QEMU's disassembler does not know them",
			walk->result->unread);
	if (!ret && walk->result->unbegun)
		comparison_say(
			walk,
			"; on %u of the CPUs the log has one block more, before which the "
			"process ended",
			walk->result->unbegun);
	return ret;
}

/* After a gap the place in the log is ambiguous: the same code runs many times. */
static int check_whole(const struct wm_trace *trace, struct wm_error *err)
{
	struct wm_block block;
	uint32_t id = 1;

	/* A gap is a block without instructions. */
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
	struct comparison walk = { .log = log,
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
	walk.logged = malloc(sizeof(*walk.logged));
	if (walk.twins && walk.logged && !u64map_init(&walk.pieces))
		ret = walk_all(&walk);
	else
		ret = wm_fail_nomem(err, "comparing with a log");
	u64map_fini(&walk.pieces);
	free(walk.twins);
	free(walk.logged);
	return ret;
}
