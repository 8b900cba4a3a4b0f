// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "blocks": the blocks with the most instructions, as QEMU translated them, with their
 * code.
 *
 * Blocks overlap. A block's own counts are those of its executions. The number beside
 * each of its instructions is how often that instruction ran in any block. Example: block
 * 3 ran 5 times, and block 4, which begins in its middle, twice. In the list of block 3,
 * the shared instructions have 7 executions and the others 5.
 *
 * The list is cut to BLOCKS_MAX blocks and INSNS_MAX instructions of each; "in_all" says
 * how many blocks ran.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "out/text.h"
#include "report/section.h"

enum { BLOCKS_MAX = 200, INSNS_MAX = 64, TEXT_MAX = 128 };

/*
 * What ran of one block. Addresses in two spaces can differ in meaning; the page names a
 * block by the space with the lowest index.
 */
struct tally {
	uint32_t id, space; /* the first space that ran it */
	uint64_t executions, insns;
};

/*
 * Neighbours are those of one block, of which the lowest space comes first and is kept by
 * fold().
 */
static int by_id(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->space < y->space ? -1 : x->space > y->space;
}

/* Ties are broken by id, so the page does not depend on qsort(). */
static int by_insns(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->insns != y->insns)
		return x->insns > y->insns ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* One tally for each row and each part of the counts; fold() adds up those of a block. */
static size_t collect(const struct report *report, struct tally *all)
{
	const struct counts *counts = report->counts;
	struct wm_block block;
	size_t n = 0;

	for (size_t i = 0; i < counts->n_rows; i++) {
		const struct counts_row *row = &counts->rows[i];

		if (!wm_trace_block(report->ask->trace, row->id, &block))
			all[n++] = (struct tally){ row->id, row->space, row->count,
						   row->count * block.insns };
	}
	for (size_t i = 0; i < counts->n_parts; i++) {
		const struct counts_part *part = &counts->parts[i];

		all[n++] = (struct tally){ part->id, part->space,
					   /*
					    * A part that begins later is the rest of an
					    * execution that began before --from.
					    */
					   part->begin ? 0 : part->count,
					   part->count * (part->end - part->begin) };
	}
	return n;
}

/*
 * Sums up each block and sorts them, the busiest first; returns how many ran. Works in
 * place: `kept` never overtakes `i`. Blocks without instructions end up last and are
 * dropped.
 */
static size_t fold(struct tally *all, size_t n)
{
	size_t kept = 0;

	if (!n)
		return 0;
	qsort(all, n, sizeof(*all), by_id);
	for (size_t i = 1; i < n; i++)
		if (all[i].id == all[kept].id) {
			all[kept].executions += all[i].executions;
			all[kept].insns += all[i].insns;
		} else {
			all[++kept] = all[i];
		}
	qsort(all, ++kept, sizeof(*all), by_insns);
	/* Blocks without instructions were sorted to the end. */
	while (kept && !all[kept - 1].insns)
		kept--;
	return kept;
}

/* Addresses are strings: numbers in JavaScript are exact up to 2^53 only. */
static void put_address(struct json *json, const char *key, uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	json_string(json, key, text);
}

/* In any block: the instruction is found by its place and its bytes. */
static uint64_t executions_of(const struct report *report, const struct insn_counts *all,
			      const struct tally *tally, const struct wm_block *block,
			      uint32_t index)
{
	const struct insn_count *found;
	struct insn_count insn;

	/*
	 * The address alone would not do: the file may be mapped elsewhere in another
	 * space.
	 */
	insn_count_at(&insn, block, report->ask->symbols, tally->space, tally->id, index);
	found = insn_counts_find(all, &insn);
	return found ? found->count : 0;
}

/* "code": for each instruction its address, text, and how often it ran. */
static bool put_code(struct report *report, const struct insn_counts *counts,
		     const struct tally *tally, const struct wm_block *block)
{
	struct json *json = &report->json;
	uint64_t address = block->address;
	/* A text that is too long is cut; instructions are far shorter. */
	char wide[TEXT_MAX], *text = wide;

	json_array(json, "code");
	/* Each entry is an array, not an object: the page has thousands of them. */
	for (uint32_t i = 0; text && i < block->insns && i < INSNS_MAX; i++) {
		/* Empty if there is no text, whatever the last one was. */
		wide[0] = '\0';
		wm_trace_disas(report->ask->trace, tally->id, i, wide, sizeof(wide));
		text = text_disas_new(wide, 0);
		json_array(json, NULL);
		put_address(json, NULL, address);
		json_string(json, NULL, text);
		json_uint(json, NULL, executions_of(report, counts, tally, block, i));
		json_close(json);
		address += block->sizes[i];
		free(text);
	}
	json_close(json);
	return text != NULL;
}

/*
 * A block is shown under the function in which it begins, even when it runs on into the
 * next one.
 */
static int put_block(struct report *report, const struct insn_counts *counts,
		     const struct tally *tally, struct wm_error *err)
{
	struct json *json = &report->json;
	struct wm_block block;
	uint64_t offset = 0;
	uint32_t function, name;
	bool ok;

	/* A block that the trace does not define has no row. */
	if (wm_trace_block(report->ask->trace, tally->id, &block))
		return 0;
	/* The place of the block is that in the first space that ran it. */
	function = functions_at(report->ask->functions, tally->space, block.address,
				tally->id, &offset);
	name = function ? report_function(report, function) : 0;
	if (!name)
		return wm_fail_nomem(err, "hot blocks");
	json_object(json, NULL);
	json_uint(json, "id", tally->id);
	json_uint(json, "name", name);
	/* The offset in the function, so that the page can print main+0x40. */
	json_uint(json, "offset", offset);
	put_address(json, "address", block.address);
	json_uint(json, "executions", tally->executions);
	json_uint(json, "insns", tally->insns);
	json_uint(json, "size", block.insns);
	ok = put_code(report, counts, tally, &block);
	json_close(json);
	return ok ? 0 : wm_fail_nomem(err, "hot blocks");
}

static int put_blocks(struct report *report, const struct tally *all, size_t n,
		      struct wm_error *err)
{
	struct json *json = &report->json;
	int ret = 0;

	json_object(json, "blocks");
	json_uint(json, "in_all", n);
	json_array(json, "hottest");
	/* The hottest first, as they were sorted. */
	for (size_t i = 0; !ret && i < n && i < BLOCKS_MAX; i++)
		ret = put_block(report, report->insns, &all[i], err);
	json_close(json);
	json_close(json);
	return ret;
}

int report_blocks(struct report *report, struct wm_error *err)
{
	/* Each row and each part makes at most one tally. */
	size_t room = report->counts->n_rows + report->counts->n_parts + 1;
	struct tally *all = reallocarray(NULL, room, sizeof(*all));
	int ret;

	if (!all)
		return wm_fail_nomem(err, "hot blocks");
	ret = put_blocks(report, all, fold(all, collect(report, all)), err);
	free(all);
	return ret;
}
