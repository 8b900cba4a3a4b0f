// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Logs of other tools as sources of a comparison. One kind lists single instructions,
 * each a unit of one place. QEMU's own log lists blocks, which are units of several
 * places. Places are addresses, because a log knows no files.
 *
 * A source gives runs of whole units. At `from` and `to` a unit may be cut: it is then
 * given as a run of one unit, with `skip` and `end`.
 *
 * Example: blocks of 4 instructions, from 2 to 10: a run of one unit with skip 2, a run
 * of one whole unit, and a run of one unit with end 2.
 *
 * Invariant: `insn` is the ordinal of the first instruction of ids[0].
 */
#include <stdlib.h>

#include "analysis/diff/source.h"
#include "base/append.h"
#include "base/error.h"
#include "trace/qemulog-data.h"

struct log_source {
	struct diff_source source; /* first: it is handed out as that */
	const struct pclog *pclog; /* one of the two */
	const struct qemulog *qemulog;
	struct pclog_reader insns; /* of pclog */
	struct logspool_reader blocks;
	uint64_t to; /* ordinal */

	/* Units that were read and not yet handed out. */
	const uint32_t *ids;
	size_t n;
	uint64_t insn; /* ordinal of the first one's first instruction */
};

static struct log_source *source_of(struct diff_source *source)
{
	return (struct log_source *)source;
}

/* ---- the sequence -------------------------------------------------------- */

/* A log of single instructions has units of one instruction. */
static uint32_t insns_of(const struct log_source *source, uint32_t id)
{
	return source->pclog ? 1 : logblocks_at(&source->qemulog->blocks, id)->insns;
}

static int next_ids(struct log_source *source, struct wm_error *err)
{
	struct logspool_reader *blocks = &source->blocks;
	int ret;

	if (source->pclog)
		return pclog_next(&source->insns, &source->ids, &source->n, err);
	ret = logspool_refill(blocks, err);
	source->ids = blocks->buffer;
	source->n = ret ? 0 : blocks->ids;
	return ret;
}

/* Passes units, so that `insn` stays the ordinal of the first one that is left. */
static void take(struct log_source *source, size_t n)
{
	for (size_t i = 0; i < n; i++)
		source->insn += insns_of(source, source->ids[i]);
	source->ids += n;
	source->n -= n;
}

/* Moves on to the unit that contains instruction `from`. */
static int skip(struct log_source *source, struct wm_error *err)
{
	int ret = 0;

	while (!ret) {
		while (source->n && source->insn + insns_of(source, source->ids[0]) <=
					    source->source.from)
			take(source, 1);
		/* A log that ends before `from` ends the source, too. */
		if (source->n)
			break;
		ret = next_ids(source, err);
	}
	return ret;
}

/* The number of whole units before `to`. */
static size_t whole_ones(const struct log_source *source)
{
	uint64_t insn = source->insn;
	size_t i = 0;

	/*
	 * Without an end all units that were read are before it; none needs to be looked
	 * at.
	 */
	if (source->to == UINT64_MAX)
		return source->n;
	while (i < source->n && insns_of(source, source->ids[i]) <= source->to - insn)
		insn += insns_of(source, source->ids[i++]);
	return i;
}

static int log_next(struct diff_source *base, struct diff_run *run, struct wm_error *err)
{
	struct log_source *source = source_of(base);
	int ret = skip(source, err);
	size_t whole;

	if (!ret && source->insn >= source->to)
		return WM_END;
	if (ret)
		return ret;
	*run = (struct diff_run){ source->ids, 1, 0, UINT32_MAX };
	/*
	 * A unit that contains `from` comes alone, because only a run of one unit may be
	 * cut.
	 */
	whole = source->insn < base->from ? 0 : whole_ones(source);
	if (whole) {
		run->n = whole;
	} else {
		if (source->insn < base->from)
			run->skip = (uint32_t)(base->from - source->insn);
		if (source->to - source->insn < insns_of(source, source->ids[0]))
			run->end = (uint32_t)(source->to - source->insn);
	}
	take(source, run->n);
	return 0;
}

/* ---- places -------------------------------------------------------------- */

/* Name 0: the offset is the address itself (places.h). */
static bool append(struct diff_places *places, struct diff_list *list, uint64_t address)
{
	uint32_t place =
		diff_places_at(places, address, &(struct diff_place){ .name = 0 });

	return place && APPEND(list->places, list->n, place);
}

static int define_pc(struct diff_source *base, uint32_t unit, struct diff_places *places,
		     struct diff_list *list, struct wm_error *err)
{
	uint64_t pc = source_of(base)->pclog->pcs[unit - 1];

	return append(places, list, pc) ? 0 : wm_fail_nomem(err, "a comparison");
}

/*
 * A block's text is read when the block comes for the first time, so its addresses need
 * no memory before.
 */
static int define_block(struct diff_source *base, uint32_t unit,
			struct diff_places *places, struct diff_list *list,
			struct wm_error *err)
{
	const struct logblocks *blocks = &source_of(base)->qemulog->blocks;
	const struct logblock *block = logblocks_at(blocks, unit);
	const char *at = blocks->text + block->text_off, *end = at + block->text_bytes;
	struct loginsn insn;

	while (loginsn_next(&at, end, &insn) == 0)
		if (!append(places, list, insn.address))
			return wm_fail_nomem(err, "a comparison");
	return 0;
}

/* ---- to open and close --------------------------------------------------- */

static void log_free(struct diff_source *base)
{
	free(source_of(base));
}

static struct log_source *log_new(const struct diff_part *part, struct wm_error *err)
{
	struct log_source *source = calloc(1, sizeof(*source));

	if (!source) {
		wm_fail_nomem(err, "a comparison");
		return NULL;
	}
	source->source.next = log_next;
	source->source.free = log_free;
	source->source.from = part->from;
	source->to = part->to;
	return source;
}

/* Sets the length of the selected part; the log has `insns` instructions. */
static void set_length(struct log_source *source, uint64_t insns)
{
	uint64_t to = insns < source->to ? insns : source->to;

	/* An end that is not given is UINT64_MAX, beyond every log. */
	source->source.insns = to > source->source.from ? to - source->source.from : 0;
}

int diff_pclog_new(struct diff_source **out, const struct pclog *log,
		   const struct diff_part *part, struct wm_error *err)
{
	struct log_source *source = log_new(part, err);

	*out = source ? &source->source : NULL;
	if (!source)
		return WM_E_NOMEM;
	source->pclog = log;
	source->source.define = define_pc;
	/* Units of logs run from 1. */
	source->source.units = log->n + 1;
	pclog_reader_init(&source->insns, log, *part->streams);
	set_length(source, pclog_length(log, *part->streams));
	return 0;
}

/* Counts the instructions of all blocks of a CPU, and rewinds the reader. */
static int count_insns(struct log_source *source, unsigned cpu, uint64_t *insns,
		       struct wm_error *err)
{
	struct logspool_reader *blocks = &source->blocks;
	uint32_t id;
	/*
	 * Whole blocks are counted, because the log does not have how many instructions
	 * it has in all.
	 */
	int ret;

	logspool_reader_init(blocks, source->qemulog->spool, cpu);
	while ((ret = logspool_next(blocks, &id, err)) == 0)
		*insns += insns_of(source, id);
	logspool_reader_init(blocks, source->qemulog->spool, cpu);
	return ret == WM_END ? 0 : ret;
}

int diff_qemulog_new(struct diff_source **out, const struct qemulog *log,
		     const struct diff_part *part, struct wm_error *err)
{
	struct log_source *source = log_new(part, err);
	uint64_t insns = 0;
	int ret;

	*out = source ? &source->source : NULL;
	if (!source)
		return WM_E_NOMEM;
	source->qemulog = log;
	source->source.define = define_block;
	source->source.units = log->blocks.n + 1;
	ret = count_insns(source, *part->streams, &insns, err);
	set_length(source, insns);
	if (ret) {
		log_free(&source->source);
		*out = NULL;
	}
	return ret;
}
