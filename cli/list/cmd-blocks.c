// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark blocks: the blocks that a thread executed, in order; options and the loop are
 * in cli/list/listing.c. A block that was left early is shown as far as it ran:
 * line->index is its last instruction that began, and size and count end there. Example:
 * of a block of 5 instructions of 4 bytes that faulted in the third, index is 2, which
 * gives 3 instructions and 12 bytes.
 */
#include "base/error.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/fresh_file.h"
#include "cli/list/listing.h"
#include "export/block_format.h"
#include "out/number.h"

static const char doc[] =
	"List the translation blocks that a thread executed, in order, from FILE "
	"(waymark.wmk)."
	"\v";

/*
 * One line without its ordinal. A block id that the trace does not have prints nothing.
 */
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
	/* Sizes vary within a block on x86 and with compressed instructions. */
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

/* Binary formats go past stdout, which takes text only. */
static int write_path(const struct line_format *format, const struct source *source,
		      const struct listing_part *part, struct wm_error *err)
{
	const struct block_format *blocks = (const struct block_format *)format;
	struct block_path path = { source->trace, source->symbols, part->thread,
				   part->from,	  part->to,	   part->count };
	struct fresh_file file;
	char most[NUMBER_TEXT];
	int ret;

	if (!blocks->write)
		return WM_END;
	if (!part->whole)
		return wm_fail(
			err, WM_E_RANGE, 0,
			"the format %s has all blocks of a thread from --from to --to: "
			"--mode, --hart, --syscall and a process that is only a part "
			"of its thread do not apply",
			format->format.name);
	ret = fresh_file_open(&file, "-", err);
	if (ret)
		return ret;
	ret = fresh_file_end(&file, blocks->write(file.out, &path, err), err);
	if (!ret && path.cut)
		remark("only the first %s blocks are written, for more the format %s has no "
		       "place; --from and --to choose others",
		       number_grouped(most, path.cut), format->format.name);
	return ret;
}

int cmd_blocks(int argc, char **argv)
{
	static const struct listing listing = {
		.doc = doc,
		.kind = FORMAT_BLOCKS,
		.print = print,
		.write = write_path,
	};

	return listing_run(&listing, argc, argv);
}
