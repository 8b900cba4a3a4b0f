// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark blocks: the blocks that threads executed, in order. A block that was left early
 * is shown as far as it ran: line->index is its last instruction that began.
 */
#include "cli/command.h"
#include "cli/list/listing.h"
#include "export/block_format.h"

static const char doc[] =
	"List the translation blocks that a thread executed, in order, from FILE "
	"(waymark.wmk)."
	"\v";

static void print(FILE *out, const struct line_format *format,
		  const struct source *source, const struct line *line)
{
	const struct block_format *blocks = (const struct block_format *)format;
	uint32_t bytes = 0;
	struct wm_block known;
	struct code_name place;
	char last[256];

	if (wm_trace_block(source->trace, line->id, &known))
		return;
	for (uint32_t i = 0; i <= line->index; i++)
		bytes += known.sizes[i];
	source_name(source, line->space, known.address, line->id, &place);
	wm_trace_disas(source->trace, line->id, line->index, last, sizeof(last));

	struct block block = {
		.id = line->id,
		.address = known.address,
		.insns = line->index + 1,
		.bytes = bytes,
		.last = last,
		.symbol = place.symbol,
		.module = place.module,
		.offset = place.offset,
	};
	blocks->print(out, &block);
}

int cmd_blocks(int argc, char **argv)
{
	static const struct listing listing = {
		.doc = doc,
		.kind = FORMAT_BLOCKS,
		.print = print,
	};

	return listing_run(&listing, argc, argv);
}
