// SPDX-License-Identifier: GPL-2.0-or-later
/* waymark blocks: the blocks a thread executed, in order. */
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/listing.h"
#include "cli/range.h"
#include "cli/source.h"
#include "export/block_format.h"

static const char doc[] =
	"List the translation blocks that a thread executed, in order, from FILE "
	"(waymark.wmk)."
	"\vFormats: text (for people), pc (the address, in hexadecimal), csv, jsonl.";

static const struct block_format *const formats[] = {
	&block_text,
	&block_pc,
	&block_csv,
	&block_jsonl,
};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

struct blocks {
	struct source source;
	const struct block_format *format;
};

static void print(void *cookie, FILE *out, uint32_t id, uint32_t index)
{
	const struct blocks *blocks = cookie;
	const struct wm_trace *trace = blocks->source.trace;
	struct wm_block known;
	struct place place;
	char last[256];

	(void)index;
	if (wm_trace_block(trace, id, &known))
		return;
	source_place(&blocks->source, known.address, &place);
	wm_trace_disas(trace, id, known.insns - 1, last, sizeof(last));

	struct block block = {
		.id = id,
		.address = known.address,
		.insns = known.insns,
		.bytes = known.bytes,
		.last = last,
		.symbol = place.symbol,
		.module = place.module,
		.offset = place.offset,
	};
	blocks->format->print(out, &block);
}

static int list(const struct range *range, struct wm_error *err)
{
	struct blocks blocks = { .format = formats[range->format] };
	struct listing listing = {
		.stream = range->thread,
		.from = range->from,
		.count = range->count,
		.header = blocks.format->header,
		.before_ordinal = blocks.format->before_ordinal,
		.ordinal_width = blocks.format->ordinal_width,
		.print = print,
		.cookie = &blocks,
	};
	int ret = source_open(&blocks.source, range, err);

	if (ret)
		return ret;
	listing.trace = blocks.source.trace;
	ret = listing_print(&listing, err);
	source_close(&blocks.source);
	return ret;
}

int cmd_blocks(int argc, char **argv)
{
	const char *names[FORMATS + 1] = { NULL };
	struct range range = { .formats = names };
	struct wm_error err;

	for (unsigned i = 0; i < FORMATS; i++)
		names[i] = formats[i]->name;
	range_parse(&range, argc, argv, doc);
	return list(&range, &err) ? fail_on(range.file, &err) : EXIT_OK;
}
