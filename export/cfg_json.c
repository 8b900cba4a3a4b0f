// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The control-flow graph as one JSON object: {"insns": N, "blocks": [...], "edges":
 * [...], "loops": [...], "irreducible": [...]}. Blocks refer to each other by "id", the
 * index in the graph, which stays the same whatever part of the graph is wanted. A wanted
 * block has its code. A block at the other end of a wanted block's edge is there without
 * code and marked "outside", so that no edge leads to an id that is not listed.
 */
#include "export/cfg_format.h"

#include <stdlib.h>

#include "base/error.h"
#include "out/json.h"
#include "out/number.h"
#include "out/text.h"

/* The longest instruction of any guest has 15 bytes. */
enum { TEXT = 160, BYTES_MAX = 16 };

/* Addresses are strings, because a reader may take numbers for doubles. */
static void put_address(struct json *json, const char *key, uint64_t address)
{
	char text[NUMBER_TEXT];

	json_string(json, key, number_address(text, address));
}

/* An object of address, bytes and disassembly. */
static void put_insn(struct json *json, const struct cfg_picture *picture,
		     const struct cfg_insn *insn)
{
	static const char digits[] = "0123456789abcdef";
	char bytes[2 * BYTES_MAX + 1] = "", disas[TEXT], *text;
	struct wm_block block;
	uint32_t off = 0;

	if (wm_trace_block(picture->trace, insn->id, &block))
		return;
	/* Offsets within the block follow from the sizes of earlier instructions. */
	for (uint32_t i = 0; i < insn->index; i++)
		off += block.sizes[i];
	for (uint32_t i = 0; i < block.sizes[insn->index] && i < BYTES_MAX; i++) {
		bytes[2 * i] = digits[block.code[off + i] >> 4];
		bytes[2 * i + 1] = digits[block.code[off + i] & 15];
	}
	/* The disassembly with single blanks; without memory as QEMU printed it. */
	wm_trace_disas(picture->trace, insn->id, insn->index, disas, sizeof(disas));
	text = text_disas_new(disas, 0);
	json_object(json, NULL);
	put_address(json, "address", block.address + off);
	json_string(json, "bytes", bytes);
	json_string(json, "disassembly", text ? text : disas);
	json_close(json);
	free(text);
}

/* "code" only when the block is wanted: what is outside may be all of the program. */
static void put_block(struct json *json, const struct cfg_picture *picture, uint32_t id)
{
	const struct cfg_block *block = &picture->cfg->blocks[id];
	const struct function *function =
		functions_get(picture->functions, block->function);
	uint32_t loop = picture->loops->of[id];

	json_object(json, NULL);
	/* The index in the whole graph, so that it is the same for any selection of blocks. */
	json_uint(json, "id", id);
	json_uint(json, "process", block->space);
	put_address(json, "address", block->address);
	json_string(json, "function", function->name);
	json_uint(json, "offset", block->offset);
	json_string(json, "module", function->module);
	json_uint(json, "insns", block->insns);
	json_uint(json, "bytes", block->bytes);
	json_uint(json, "executions", block->executions);
	/* The innermost loop; "parent" of a loop leads outwards. */
	if (loop == CFG_NONE)
		json_null(json, "loop");
	else
		json_uint(json, "loop", loop);
	json_bool(json, "outside", !picture->picked[id]);
	if (picture->picked[id]) {
		json_array(json, "code");
		for (uint32_t i = 0; i < block->insns; i++)
			put_insn(json, picture,
				 &picture->cfg->insns[block->first_insn + i]);
		json_close(json);
	}
	json_close(json);
}

/* Whether an edge has a wanted block at either end. */
static bool is_seen(const struct cfg_picture *picture, const struct cfg_edge *edge)
{
	return picture->picked[edge->from] || picture->picked[edge->to];
}

/* In the order of the graph: by from, to and kind. */
static void put_edges(struct json *json, const struct cfg_picture *picture)
{
	const struct cfg *cfg = picture->cfg;

	json_array(json, "edges");
	for (uint32_t i = 0; i < cfg->n_edges; i++) {
		const struct cfg_edge *edge = &cfg->edges[i];

		if (!is_seen(picture, edge))
			continue;
		json_object(json, NULL);
		json_uint(json, "from", edge->from);
		json_uint(json, "to", edge->to);
		json_string(json, "kind", cfg_kind_name(edge->kind));
		json_uint(json, "count", edge->count);
		json_close(json);
	}
	json_close(json);
}

/*
 * "least" and "most" are iterations of one entry (trips.h). Loops refer to each other by
 * "id", the index among all loops of the graph.
 */
static void put_loop(struct json *json, const struct cfg_picture *picture, uint32_t id)
{
	const struct loop *loop = &picture->loops->loops[id];

	json_object(json, NULL);
	json_uint(json, "id", id);
	json_uint(json, "header", loop->header);
	if (loop->parent == CFG_NONE)
		json_null(json, "parent");
	else
		json_uint(json, "parent", loop->parent);
	json_uint(json, "depth", loop->depth);
	json_uint(json, "blocks", loop->blocks);
	json_uint(json, "entries", loop->entries);
	json_uint(json, "iterations", loop->iterations);
	/* trips.h describes when they are not known; then both members are missing. */
	if (picture->trips && picture->trips[id].known) {
		json_uint(json, "least", picture->trips[id].least);
		json_uint(json, "most", picture->trips[id].most);
	}
	json_uint(json, "insns", loop->insns);
	json_close(json);
}

/* The loops of the wanted code, then the cycles that are no loops. */
static void put_loops(struct json *json, const struct cfg_picture *picture)
{
	json_array(json, "loops");
	for (uint32_t i = 0; i < picture->loops->n; i++)
		/* A loop belongs to the graph that is shown when its header does. */
		if (picture->picked[picture->loops->loops[i].header])
			put_loop(json, picture, i);
	json_close(json);
	/*
	 * Regions with several entries are no loops: they have no header to list them by.
	 */
	json_array(json, "irreducible");
	for (uint32_t i = 0; i < picture->loops->n_tangles; i++) {
		const struct tangle *tangle = &picture->loops->tangles[i];

		/* Likewise by its first block. */
		if (!picture->picked[tangle->block])
			continue;
		json_object(json, NULL);
		json_uint(json, "block", tangle->block);
		json_uint(json, "blocks", tangle->blocks);
		json_uint(json, "insns", tangle->insns);
		json_close(json);
	}
	json_close(json);
}

/* Those that are wanted, and those at the other ends of their edges. */
static bool *find_shown(const struct cfg_picture *picture)
{
	const struct cfg *cfg = picture->cfg;
	bool *shown = calloc((size_t)cfg->n + 1, sizeof(*shown));

	if (!shown)
		return NULL;
	for (uint32_t i = 0; i < cfg->n; i++)
		shown[i] = picture->picked[i];
	for (uint32_t i = 0; i < cfg->n_edges; i++)
		/* One step only: the neighbours' own neighbours are not shown. */
		if (is_seen(picture, &cfg->edges[i]))
			shown[cfg->edges[i].from] = shown[cfg->edges[i].to] = true;
	return shown;
}

static int write_json(FILE *out, const struct cfg_picture *picture, struct wm_error *err)
{
	bool *shown = find_shown(picture);
	struct json json;

	if (!shown)
		return wm_fail_nomem(err, "a control-flow graph");
	json_init(&json, out, false);
	json_object(&json, NULL);
	/* All that ran, also outside of what is wanted: what shares are of. */
	json_uint(&json, "insns", picture->insns);
	json_array(&json, "blocks");
	for (uint32_t i = 0; i < picture->cfg->n; i++)
		if (shown[i])
			put_block(&json, picture, i);
	json_close(&json);
	put_edges(&json, picture);
	put_loops(&json, picture);
	json_close(&json);
	free(shown);
	return 0;
}

const struct cfg_format cfg_json = {
	.format = { "json", FORMAT_CFG, "json", "an object of blocks, edges and loops" },
	.write = write_json,
};
