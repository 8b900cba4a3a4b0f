// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Effects of a trace come from a cursor of their own, in parts of some hundred blocks, so
 * that a part stays in the processor's cache. Those of a log come from its spool. Both are
 * read in step with a comparison that only goes forward.
 *
 * Where a trace has the path and not the values (they end early, or a recovered file lost
 * them), one effect stands for all instructions of that run: `unknown_insns`.
 *
 * Example: blocks of 4 and 3 instructions from ordinal 100 on, the second's last one stores:
 * one effect, insn 106.
 *
 * Invariant: an instruction's effects are never divided between two refills.
 */
#include "analysis/diff/effects.h"

#include <stdlib.h>

#include "base/error.h"
#include "isa/registers.h"
#include "trace/cursor.h"
#include "trace/trace.h"
#include "trace/values.h"

/* SEEK_INSNS: to seek costs decoding a chunk up to there, to read costs as much. */
enum { PART_BLOCKS = 256, LOG_PART = 4096, SEEK_INSNS = 1 << 16 };

#define KIND(name) (1u << WM_ACCESS_##name)

/* Makes room for `more` effects. APPEND() would begin small again with each refill. */
static bool make_room(struct effects *effects, size_t more)
{
	size_t room = effects->n + more;
	struct effect *grown;

	if (room <= effects->room)
		return true;
	room *= 2;
	grown = reallocarray(effects->all, room, sizeof(*grown));
	if (!grown)
		return false;
	effects->all = grown;
	effects->room = room;
	return true;
}

static bool add(struct effects *effects, const struct effect *effect)
{
	if (!make_room(effects, 1))
		return false;
	effects->all[effects->n++] = *effect;
	return true;
}

int effects_pass(struct effects *effects, uint64_t insn, struct wm_error *err)
{
	int ret = 0;

	while (!ret) {
		while (effects->at < effects->n &&
		       effects->all[effects->at].insn < insn &&
		       effects->all[effects->at].insn +
				       effects->all[effects->at].unknown_insns <=
			       insn)
			effects->at++;
		if (effects->at < effects->n)
			break;
		if (effects->seek)
			ret = effects->seek(effects, insn, err);
		if (!ret)
			ret = effects->refill(effects, err);
	}
	return ret == WM_END ? 0 : ret;
}

/* ---- of a trace ------------------------------------------------------------------------- */

struct trace_effects {
	struct effects effects; /* first: it is handed out as that */
	const struct wm_trace *trace;
	struct diff_part part;
	unsigned stream; /* the next of the part's */
	uint64_t first,
		after; /* ordinals where the current stream and the next one begin */
	struct wm_cursor *cursor; /* NULL: at the begin of the next stream */
	/* What is left of the cursor's run. */
	const uint32_t *ids;
	size_t done, n;
	uint64_t insn; /* ordinal of ids[done]'s first instruction */
};

static int next_stream(struct trace_effects *of, struct wm_error *err)
{
	struct wm_stream stream = { .insns = 0 };
	unsigned index;

	wm_cursor_free(of->cursor);
	of->cursor = NULL;
	of->done = of->n = 0;
	if (of->stream == of->part.n)
		return WM_END;
	index = of->part.streams[of->stream++];
	wm_trace_stream(of->trace, index, &stream);
	of->first = of->insn = of->after;
	of->after += stream.insns;
	return wm_cursor_new(&of->cursor, of->trace, index, err);
}

static int next_run(struct trace_effects *of, struct wm_error *err)
{
	struct wm_step step = { .insns = 0 };
	int ret = of->cursor ? 0 : next_stream(of, err);

	/* A gap has no instructions. */
	while (!ret && !step.insns) {
		ret = wm_cursor_next_run(of->cursor, &of->ids, &of->n, &step, err);
		of->done = 0;
		of->insn = of->first + step.insn_ordinal;
		if (ret)
			of->n = 0;
		if (ret == WM_END)
			ret = next_stream(of, err);
	}
	return ret;
}

static int take_accesses(struct trace_effects *of, const struct wm_access *accesses,
			 size_t n, size_t blocks, struct wm_error *err)
{
	const struct wm_block *table = of->trace->table.blocks;
	struct effect *to;
	size_t i = 0;

	if (!make_room(&of->effects, n))
		return wm_fail_nomem(err, "values");
	to = of->effects.all + of->effects.n;
	for (uint32_t block = 0; block < blocks; block++) {
		uint32_t id = of->ids[of->done + block];

		for (; i < n && accesses[i].block == block; i++)
			*to++ = (struct effect){ .insn = of->insn + accesses[i].insn,
						 .id = id,
						 .is = accesses[i] };
		of->insn += table[id].insns;
	}
	of->effects.n = (size_t)(to - of->effects.all);
	of->done += blocks;
	return 0;
}

/* The rest of the run has no values. */
static int take_unknown(struct trace_effects *of, struct wm_error *err)
{
	struct effect effect = { .insn = of->insn };

	for (; of->done < of->n; of->done++)
		effect.unknown_insns += of->trace->table.blocks[of->ids[of->done]].insns;
	of->insn += effect.unknown_insns;
	return add(&of->effects, &effect) ? 0 : wm_fail_nomem(err, "values");
}

static int refill_trace(struct effects *effects, struct wm_error *err)
{
	struct trace_effects *of = (struct trace_effects *)effects;
	const struct wm_access *accesses;
	size_t n, blocks;
	int ret = 0;

	effects->at = effects->n = 0;
	while (!ret && !effects->n) {
		if (of->done == of->n)
			ret = next_run(of, err);
		if (ret)
			break;
		blocks = of->n - of->done < PART_BLOCKS ? of->n - of->done : PART_BLOCKS;
		ret = cursor_part_accesses(of->cursor, (uint32_t)of->done,
					   (uint32_t)blocks, &accesses, &n, err);
		if (ret == WM_END)
			ret = take_unknown(of, err);
		else if (!ret)
			ret = take_accesses(of, accesses, n, blocks, err);
	}
	return ret;
}

static int seek_trace(struct effects *effects, uint64_t insn, struct wm_error *err)
{
	struct trace_effects *of = (struct trace_effects *)effects;
	int ret = 0;

	if (insn < of->insn || insn - of->insn < SEEK_INSNS)
		return 0;
	while (!ret && insn >= of->after)
		ret = next_stream(of, err);
	/* A stream that was just entered has no cursor only after the last one. */
	if (ret || !of->cursor || insn == of->first)
		return ret;
	of->done = of->n = 0;
	return wm_cursor_seek_insn(of->cursor, insn - of->first, err);
}

static void free_trace(struct effects *effects)
{
	struct trace_effects *of = (struct trace_effects *)effects;

	wm_cursor_free(of->cursor);
	free(effects->all);
	free(of);
}

/* The first register whose writes `record --commits` finds by comparing. */
static uint32_t changes_of(const struct wm_trace *trace)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");
	uint32_t number = 0;

	while (isa && number < REGISTERS_MAX && !register_is_compared(isa, number))
		number++;
	return number;
}

static unsigned kinds_of(const struct wm_trace *trace)
{
	unsigned recorded = trace_values_recorded(trace), kinds = 0;

	kinds |= recorded & VALUES_LOADS ? KIND(LOAD) : 0;
	kinds |= recorded & VALUES_STORES ? KIND(STORE) : 0;
	kinds |= recorded & VALUES_WRITTEN ? KIND(WRITTEN) : 0;
	if (recorded & VALUES_PLACES)
		kinds |= KIND(REGISTER) | KIND(RETURNED) | KIND(MEMORY);
	return kinds;
}

int effects_trace_new(struct effects **out, const struct wm_trace *trace,
		      const struct diff_part *part, struct wm_error *err)
{
	unsigned has = kinds_of(trace);
	struct trace_effects *of;

	*out = NULL;
	if (!has)
		return 0;
	of = calloc(1, sizeof(*of));
	if (!of)
		return wm_fail_nomem(err, "values");
	of->effects.has = has;
	of->effects.changes_from = changes_of(trace);
	of->effects.refill = refill_trace;
	of->effects.seek = seek_trace;
	of->effects.free = free_trace;
	of->trace = trace;
	of->part = *part;
	*out = &of->effects;
	return 0;
}

/* ---- of a log --------------------------------------------------------------------------- */

struct log_effects {
	struct effects effects; /* first: it is handed out as that */
	struct pclog_values values;
	struct logvalue next; /* was read, to see whether its instruction is another one */
	bool has_next;
};

/* Appends the value that was read, and reads the next one. */
static int take_value(struct log_effects *of, struct wm_error *err)
{
	struct effect effect = { .insn = of->next.position,
				 .unknown_insns = of->next.unknown,
				 .is = of->next.access };
	int ret = 0;

	if (of->has_next && !add(&of->effects, &effect))
		ret = wm_fail_nomem(err, "values");
	if (!ret)
		ret = pclog_values_next(&of->values, &of->next, err);
	of->has_next = !ret;
	return ret;
}

static int refill_log(struct effects *effects, struct wm_error *err)
{
	struct log_effects *of = (struct log_effects *)effects;
	int ret = 0;

	effects->at = effects->n = 0;
	while (!ret && (effects->n < LOG_PART ||
			effects->all[effects->n - 1].insn == of->next.position))
		ret = take_value(of, err);
	return ret == WM_END && effects->n ? 0 : ret;
}

static void free_log(struct effects *effects)
{
	free(effects->all);
	free(effects);
}

int effects_log_new(struct effects **out, const struct pclog *log,
		    const struct diff_part *part, bool registers, struct wm_error *err)
{
	unsigned has = log->values.has;
	struct log_effects *of;

	*out = NULL;
	/* A log that has one access has all. */
	if (has & (KIND(LOAD) | KIND(STORE)))
		has |= KIND(LOAD) | KIND(STORE);
	if (!registers)
		has &= ~KIND(WRITTEN);
	if (!has)
		return 0;
	of = calloc(1, sizeof(*of));
	if (!of)
		return wm_fail_nomem(err, "values");
	of->effects.has = has;
	of->effects.changes_from = log->changes_from;
	of->effects.refill = refill_log;
	of->effects.free = free_log;
	pclog_values_init(&of->values, log, *part->streams);
	*out = &of->effects;
	return 0;
}
