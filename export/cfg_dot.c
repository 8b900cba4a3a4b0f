// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The language of graphviz's dot. Nodes show their code; those of a function are in a
 * cluster. Colours go from white to red by the logarithm of the executions, so that a block
 * that ran a thousand times less than the hottest still differs from one that ran once. Kinds
 * of edges differ in their line styles, too, not only in colour.
 *
 * Edges to blocks that are not wanted are gathered: all blocks of a function outside are
 * one node, an ellipse with its name. With b0 wanted and two blocks of `puts` outside:
 *
 *	b0 -> f7 [label="12"]; f7 [label="puts"]	12 = the sum of both edges' counts
 */
#include "export/cfg_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "out/dot.h"
#include "out/number.h"
#include "out/shorten.h"
#include "out/text.h"

/* A block of more than 32 instructions shows its first and its last 16. */
enum { TEXT = 160, NODE_INSNS = 32, MNEMONIC = 8 };

/* An edge with an end outside: the same function's are drawn as one. */
struct outward {
	uint32_t block, function;
	bool leaves; /* from the block, or to it */
	enum cfg_kind kind;
	uint64_t count;
};

struct drawing {
	FILE *out;
	const struct cfg_picture *picture;
	uint64_t hottest; /* executions */
	uint32_t *order;  /* [n] wanted blocks by function */
	uint32_t n;
	struct outward *outwards; /* [n_outwards] */
	size_t n_outwards;
};

/*
 * Calls, returns and interruptions do not constrain the layout; otherwise every callee
 * would be drawn below all of its callers.
 */
static const struct {
	const char *style;
	bool constrains;
} edge_looks[CFG_KINDS] = {
	[CFG_FALLTHROUGH] = { "color=\"#333333\"", true },
	[CFG_TAKEN] = { "color=\"#1f5fbf\"", true },
	[CFG_CALL] = { "color=\"#2e7d32\", style=dashed", false },
	[CFG_RETURN] = { "color=\"#7b3fa0\", style=dashed", false },
	[CFG_INDIRECT] = { "color=\"#b35900\", style=bold", true },
	[CFG_INTERRUPTED] = { "color=\"#c62828\", style=dotted", false },
};

static const char *name_of(const struct drawing *drawing, uint32_t function)
{
	return functions_get(drawing->picture->functions, function)->name;
}

/*
 * Graphviz takes no text of more than 16,384 bytes. A character has at most four, and two when it
 * is escaped.
 */
enum { NAME_COLUMNS = 4000 };

static void put_name(const struct drawing *drawing, uint32_t function)
{
	const char *name = name_of(drawing, function);
	char *text = shorten(name, NAME_COLUMNS);

	dot_put_escaped(drawing->out, text ? text : name);
	free(text);
}

/* ---- nodes --------------------------------------------------------------- */

/*
 * 0 to 1, on a logarithmic scale: 1 is the hottest block. `hottest` is at least 1, so the
 * divisor is at least 1.
 */
static double heat(const struct drawing *drawing, uint64_t executions)
{
	return log2((double)executions + 1) / log2((double)drawing->hottest + 1);
}

/* A line of a node. */
static void put_insn(const struct drawing *drawing, const struct cfg_insn *insn)
{
	char disas[TEXT], *text;
	struct wm_block block;
	uint64_t address;

	if (wm_trace_block(drawing->picture->trace, insn->id, &block))
		return;
	address = block.address;
	for (uint32_t i = 0; i < insn->index; i++)
		address += block.sizes[i];
	wm_trace_disas(drawing->picture->trace, insn->id, insn->index, disas,
		       sizeof(disas));
	text = text_disas_new(disas, MNEMONIC);
	fprintf(drawing->out, "%" PRIx64 "  ", address);
	dot_put_escaped(drawing->out, text ? text : disas);
	/* "\l" ends a line that is aligned to the left. */
	fputs("\\l", drawing->out);
	free(text);
}

static void put_node(const struct drawing *drawing, uint32_t index)
{
	const struct cfg_block *block = &drawing->picture->cfg->blocks[index];
	const struct cfg_insn *insns = &drawing->picture->cfg->insns[block->first_insn];
	uint32_t head = block->insns > NODE_INSNS ? NODE_INSNS / 2 : block->insns;
	uint32_t tail = block->insns > NODE_INSNS ? NODE_INSNS / 2 : 0;
	char times[NUMBER_TEXT];

	/* The two bytes are the sign of multiplication in UTF-8. */
	fprintf(drawing->out, "    b%" PRIu32 " [label=\"%s\xc3\x97\\l", index,
		number_grouped(times, block->executions));
	for (uint32_t i = 0; i < head; i++)
		put_insn(drawing, &insns[i]);
	if (tail)
		fprintf(drawing->out, "... %" PRIu32 " more\\l",
			block->insns - head - tail);
	for (uint32_t i = block->insns - tail; i < block->insns; i++)
		put_insn(drawing, &insns[i]);
	/*
	 * Hue 0.03 is red; the saturation grows with the executions, so a cold block is
	 * nearly white.
	 */
	fprintf(drawing->out, "\", fillcolor=\"0.03 %.3f 1\"];\n",
		0.75 * heat(drawing, block->executions));
}

/* Whether two blocks are in one cluster. */
static bool together(const struct cfg_block *a, const struct cfg_block *b)
{
	return a->function == b->function && a->space == b->space;
}

/* A cluster for each function; blocks are in the order of functions. */
static void put_functions(const struct drawing *drawing)
{
	const struct cfg_block *blocks = drawing->picture->cfg->blocks;

	for (uint32_t i = 0; i < drawing->n; i++) {
		const struct cfg_block *block = &blocks[drawing->order[i]];
		const struct cfg_block *before = i ? &blocks[drawing->order[i - 1]] :
						     NULL;

		/*
		 * Blocks of one function are neighbours (compare_blocks()), so a change
		 * begins a cluster.
		 */
		if (!before || !together(before, block)) {
			fprintf(drawing->out,
				"%s  subgraph cluster_%" PRIu32 "_%" PRIu32
				" {\n    label=\"",
				before ? "  }\n" : "", block->space, block->function);
			put_name(drawing, block->function);
			fputs("\";\n", drawing->out);
		}
		put_node(drawing, drawing->order[i]);
	}
	if (drawing->n)
		fputs("  }\n", drawing->out);
}

/* ---- edges --------------------------------------------------------------- */

/*
 * Edges from one cluster to another, or out of all, do not constrain the layout either:
 * where they go round, dot ("trouble in init_rank") loses edges, or dies.
 */
static void put_line(const struct drawing *drawing, enum cfg_kind kind, uint64_t count,
		     bool within)
{
	char times[NUMBER_TEXT];

	/* Lines are 1 to 3 points wide. */
	fprintf(drawing->out, " [label=\"%s\", %s%s, penwidth=%.2f];\n",
		number_grouped(times, count), edge_looks[kind].style,
		within && edge_looks[kind].constrains ? "" : ", constraint=false",
		1 + 2 * heat(drawing, count));
}

static bool keep_outward(struct drawing *drawing, uint32_t block, uint32_t other,
			 bool leaves, const struct cfg_edge *edge)
{
	struct outward outward = {
		.block = block,
		.function = drawing->picture->cfg->blocks[other].function,
		.leaves = leaves,
		.kind = edge->kind,
		.count = edge->count,
	};

	return APPEND(drawing->outwards, drawing->n_outwards, outward);
}

static bool put_edge(struct drawing *drawing, const struct cfg_edge *edge)
{
	const struct cfg_block *blocks = drawing->picture->cfg->blocks;
	const bool *picked = drawing->picture->picked;

	if (picked[edge->from] && picked[edge->to]) {
		fprintf(drawing->out, "  b%" PRIu32 " -> b%" PRIu32, edge->from,
			edge->to);
		put_line(drawing, edge->kind, edge->count,
			 together(&blocks[edge->from], &blocks[edge->to]));
		return true;
	}
	if (picked[edge->from])
		return keep_outward(drawing, edge->from, edge->to, true, edge);
	if (picked[edge->to])
		return keep_outward(drawing, edge->to, edge->from, false, edge);
	/* Both ends are outside the picture. */
	return true;
}

/* By function first, because each function's node is written before its edges. */
static int compare_outwards(const void *a, const void *b)
{
	const struct outward *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	if (x->leaves != y->leaves)
		return x->leaves ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static void put_outward(const struct drawing *drawing, const struct outward *outward)
{
	if (outward->leaves)
		fprintf(drawing->out, "  b%" PRIu32 " -> f%" PRIu32, outward->block,
			outward->function);
	else
		fprintf(drawing->out, "  f%" PRIu32 " -> b%" PRIu32, outward->function,
			outward->block);
	put_line(drawing, outward->kind, outward->count, false);
}

/* Equal ones are neighbours once they are sorted, and become one edge. */
static void put_outwards(struct drawing *drawing)
{
	struct outward *all = drawing->outwards;

	if (drawing->n_outwards)
		qsort(all, drawing->n_outwards, sizeof(*all), compare_outwards);
	for (size_t i = 0; i < drawing->n_outwards; i++) {
		if (!i || all[i - 1].function != all[i].function) {
			fprintf(drawing->out, "  f%" PRIu32 " [label=\"",
				all[i].function);
			put_name(drawing, all[i].function);
			fputs("\", shape=ellipse, fillcolor=white];\n", drawing->out);
		}
		if (i + 1 < drawing->n_outwards &&
		    !compare_outwards(&all[i], &all[i + 1]))
			/*
			 * The sum moves to the last of the equal ones, which is then
			 * written.
			 */
			all[i + 1].count += all[i].count;
		else
			put_outward(drawing, &all[i]);
	}
}

/* ---- the whole ----------------------------------------------------------- */

static int compare_blocks(const void *a, const void *b, void *cookie)
{
	const struct cfg_block *blocks = cookie;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (blocks[i].space != blocks[j].space)
		return blocks[i].space < blocks[j].space ? -1 : 1;
	if (blocks[i].function != blocks[j].function)
		return blocks[i].function < blocks[j].function ? -1 : 1;
	return i < j ? -1 : i > j;
}

static bool order_blocks(struct drawing *drawing)
{
	const struct cfg_picture *picture = drawing->picture;

	/* The heat of all blocks is relative to the hottest of those that are shown. */
	for (uint32_t i = 0; i < picture->cfg->n; i++) {
		if (!picture->picked[i])
			continue;
		if (!APPEND(drawing->order, drawing->n, i))
			return false;
		if (picture->cfg->blocks[i].executions > drawing->hottest)
			drawing->hottest = picture->cfg->blocks[i].executions;
	}
	if (drawing->n)
		qsort_r(drawing->order, drawing->n, sizeof(*drawing->order),
			compare_blocks, picture->cfg->blocks);
	return true;
}

static int write_dot(FILE *out, const struct cfg_picture *picture, struct wm_error *err)
{
	struct drawing drawing = { .out = out, .picture = picture, .hottest = 1 };
	bool good = order_blocks(&drawing);

	if (good) {
		fputs("digraph waymark {\n"
		      "  node [shape=box, style=filled, fontname=\"monospace\", "
		      "fontsize=10];\n"
		      "  edge [fontname=\"sans-serif\", fontsize=9];\n"
		      "  fontname=\"sans-serif\";\n",
		      out);
		put_functions(&drawing);
		for (uint32_t i = 0; good && i < picture->cfg->n_edges; i++)
			good = put_edge(&drawing, &picture->cfg->edges[i]);
		put_outwards(&drawing);
		fputs("}\n", out);
	}
	free(drawing.order);
	free(drawing.outwards);
	return good ? 0 : wm_fail_nomem(err, "a control-flow graph");
}

const struct cfg_format cfg_dot = {
	.format = { "dot", FORMAT_CFG, "dot", "for graphviz" },
	/* More blocks than this make a picture that is hard to read. */
	.most = 60,
	.write = write_dot,
};
