// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cursor hands over whole chunks as block ids, and every block's lines lie ready in
 * memory (cli/lines.h), so a line costs a memcpy, and a whole block one when its lines
 * have no ordinals. Only the start is special: `from` may stand in the middle of a block,
 * whose rest is taken instruction by instruction.
 */
#include "cli/listing.h"

#include "base/error.h"
#include "cli/ordinal.h"
#include "cli/output.h"
#include "cli/pager.h"

#include <errno.h>

struct walk {
	const struct listing *listing;
	struct wm_cursor *cursor;
	struct lines *lines;
	struct ordinal ordinal;
	uint64_t left; /* lines still to print */
	struct output output;
};

/* Lines first..end of a block, each with its ordinal. */
static void put_numbered(struct walk *walk, const struct block_lines *block,
			 uint32_t first, uint32_t end)
{
	const char *lead = walk->listing->before_ordinal;
	size_t lead_bytes = strlen(lead);
	uint32_t at = first ? block->ends[first - 1] : 0;

	for (uint32_t i = first; i < end; i++) {
		output_put(&walk->output, lead, lead_bytes);
		output_put(&walk->output, ordinal_text(&walk->ordinal),
			   walk->ordinal.used);
		output_put(&walk->output, block->text + at, block->ends[i] - at);
		ordinal_next(&walk->ordinal);
		at = block->ends[i];
	}
}

/* Lines of block `id` from `first` on, as many as are left to print. */
static int put_block(struct walk *walk, uint32_t id, uint32_t first, struct wm_error *err)
{
	const struct block_lines *block = lines_get(walk->lines, id);
	uint32_t end, at;

	if (!block)
		return wm_fail_nomem(err, "lines of the listing");
	end = block->n;
	if (end - first > walk->left)
		end = first + (uint32_t)walk->left;
	at = first ? block->ends[first - 1] : 0;
	if (walk->listing->before_ordinal)
		put_numbered(walk, block, first, end);
	else if (end > first)
		output_put(&walk->output, block->text + at, block->ends[end - 1] - at);
	walk->left -= end - first;
	return WM_OK;
}

static int seek(struct walk *walk, struct wm_error *err)
{
	const struct listing *listing = walk->listing;

	if (!listing->from)
		return WM_OK;
	if (!listing->per_insn)
		return wm_cursor_seek_block(walk->cursor, listing->from, err);
	return wm_cursor_seek_insn(walk->cursor, listing->from, err);
}

/* The rest of the block that `from` is in, for what follows to start at a whole one. */
static int put_first(struct walk *walk, struct wm_error *err)
{
	struct wm_block block;
	struct wm_step step;
	int ret = wm_cursor_next_insn(walk->cursor, &step, err);

	if (!ret)
		ret = put_block(walk, step.id, step.index, err);
	if (ret || wm_trace_block(walk->listing->trace, step.id, &block))
		return ret;
	for (uint32_t i = step.index + 1; i < block.insns && !ret; i++)
		ret = wm_cursor_next_insn(walk->cursor, &step, err);
	return ret;
}

static int put_rest(struct walk *walk, struct wm_error *err)
{
	const uint32_t *ids;
	struct wm_step step;
	size_t n;
	int ret = WM_OK;

	while (walk->left && !ret && !walk->output.error) {
		ret = wm_cursor_next_run(walk->cursor, &ids, &n, &step, err);
		for (size_t i = 0; !ret && i < n && walk->left; i++)
			ret = put_block(walk, ids[i], 0, err);
	}
	return ret;
}

static int put_lines(struct walk *walk, struct wm_error *err)
{
	int ret = seek(walk, err);

	if (ret)
		return ret;
	pager_start();
	if (walk->listing->header)
		output_put(&walk->output, walk->listing->header,
			   strlen(walk->listing->header));
	if (walk->listing->per_insn && walk->listing->from && walk->left)
		ret = put_first(walk, err);
	if (!ret)
		ret = put_rest(walk, err);
	return ret == WM_END ? WM_OK : ret;
}

int listing_print(const struct listing *listing, struct wm_error *err)
{
	static struct walk walk; /* too large for a stack */
	int ret;

	walk.listing = listing;
	walk.left = listing->count;
	output_init(&walk.output);
	ordinal_init(&walk.ordinal, listing->from, listing->ordinal_width);
	ret = lines_new(&walk.lines, listing->trace, listing->per_insn, listing->print,
			listing->cookie, err);
	if (ret)
		return ret;
	ret = wm_cursor_new(&walk.cursor, listing->trace, listing->stream, err);
	if (!ret) {
		ret = put_lines(&walk, err);
		/* What was intact is printed, whatever comes after it. */
		if (!output_flush(&walk.output) && walk.output.error != EPIPE && !ret) {
			errno = walk.output.error;
			ret = wm_fail_errno(err, "cannot write the listing");
		}
		wm_cursor_free(walk.cursor);
	}
	lines_free(walk.lines);
	return ret;
}
