// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Logs as sources: one tells of instructions, each a unit of one place, QEMU's own of
 * blocks. Places are addresses.
 */
#include <stdlib.h>

#include "analysis/diff_source.h"
#include "base/append.h"
#include "base/error.h"
#include "trace/qemulog-data.h"

struct log_source {
	struct diff_source source; /* first: it is handed out as that */
	const struct pclog *pclog; /* one of the two */
	const struct qemulog *qemulog;
	struct logspool_reader reader;
};

static struct log_source *source_of(struct diff_source *source)
{
	return (struct log_source *)source;
}

static int log_next(struct diff_source *base, struct diff_run *run, struct wm_error *err)
{
	struct logspool_reader *reader = &source_of(base)->reader;
	int ret = reader->at < reader->ids ? 0 : logspool_refill(reader, err);

	if (ret)
		return ret;
	*run = (struct diff_run){ reader->buffer + reader->at, reader->ids - reader->at,
				  0, UINT32_MAX };
	reader->at = reader->ids;
	return 0;
}

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

static void log_free(struct diff_source *base)
{
	free(source_of(base));
}

static struct log_source *log_new(const struct logspool *spool, unsigned cpu,
				  struct wm_error *err)
{
	struct log_source *source = calloc(1, sizeof(*source));

	if (!source) {
		wm_fail_nomem(err, "a comparison");
		return NULL;
	}
	source->source.next = log_next;
	source->source.free = log_free;
	logspool_reader_init(&source->reader, spool, cpu);
	return source;
}

int diff_pclog_new(struct diff_source **out, const struct pclog *log, unsigned cpu,
		   struct wm_error *err)
{
	struct log_source *source = log_new(log->spool, cpu, err);

	*out = source ? &source->source : NULL;
	if (!source)
		return WM_E_NOMEM;
	source->pclog = log;
	source->source.define = define_pc;
	source->source.units = log->n + 1;
	source->source.insns = logspool_length(log->spool, cpu);
	return 0;
}

/* The instructions of all its blocks. */
static int count_insns(struct log_source *source, const struct qemulog *log, unsigned cpu,
		       struct wm_error *err)
{
	uint32_t id;
	int ret;

	while ((ret = logspool_next(&source->reader, &id, err)) == 0)
		source->source.insns += logblocks_at(&log->blocks, id)->insns;
	logspool_reader_init(&source->reader, log->spool, cpu);
	return ret == WM_END ? 0 : ret;
}

int diff_qemulog_new(struct diff_source **out, const struct qemulog *log, unsigned cpu,
		     struct wm_error *err)
{
	struct log_source *source = log_new(log->spool, cpu, err);
	int ret;

	*out = source ? &source->source : NULL;
	if (!source)
		return WM_E_NOMEM;
	source->qemulog = log;
	source->source.define = define_block;
	source->source.units = log->blocks.n + 1;
	ret = count_insns(source, log, cpu, err);
	if (ret) {
		log_free(&source->source);
		*out = NULL;
	}
	return ret;
}
