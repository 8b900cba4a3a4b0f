// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A node is a piece of a method's bytecode: it begins where a frame begins, where control
 * comes from several bytecodes, or behind a bytecode with several next ones. What a call ran
 * is not in the graph: the next bytecode of the frame is.
 *
 * Where a gap in the recording cut a piece, it is two: so all bytecodes of a node have the same
 * executions. What a gap must have executed is counted apart, and an edge across it is. Where that
 * is not known, an edge leads to "gap", and one from there goes on.
 *
 * Stamps: `order` counts what ran for the first time in the whole run, bytecodes and edges
 * each from 1 on, so sorting by it gives the order of events. `insn` is the number of the
 * instruction of the thread at that time.
 *
 * Example, of "while n: n -= 1" with n = 3:
 *
 *	node 0	RESUME ... POP_JUMP	order 1		executions 1
 *	node 1	the loop's body		order 8		executions 3
 *	node 2	RETURN_CONST		order 14	executions 1
 *	edges	0 -> 1: 1   1 -> 1: 2   1 -> 2: 1
 */
#include "export/flow_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/methods/bytecode_text.h"
#include "base/error.h"
#include "out/dot.h"
#include "out/json.h"

enum { TEXT = 512, NO_NODE = 0 };

struct graph {
	const struct bytecodes *bytecodes;
	const struct bytecode_names *names;
	uint32_t method;
	const struct unit *unit;
	const struct bytecode *ran; /* [unit->bytes] */
	uint32_t *node;		    /* [unit->bytes] its number, from 1; NO_NODE */
	uint32_t n;
};

/* ---- nodes ---------------------------------------------------------------- */

/* Of each bytecode how many come after it and before it, and how one of them comes after it. */
struct degree {
	uint32_t out, in;
	const struct bytecode_edge *next;
};

static void count_degrees(const struct graph *graph, struct degree *degrees)
{
	const struct bytecodes *bytecodes = graph->bytecodes;

	for (size_t i = 0; i < bytecodes->n_edges; i++) {
		const struct bytecode_edge *edge = &bytecodes->edges[i];

		if (edge->method != graph->method)
			continue;
		if (edge->from < graph->unit->bytes) {
			degrees[edge->from].out++;
			degrees[edge->from].next = edge;
		}
		if (edge->to < graph->unit->bytes)
			degrees[edge->to].in++;
	}
}

static bool has_run(const struct bytecode *at)
{
	return at->executions || at->recovered;
}

static bool is_as_often(const struct bytecode *at, const struct bytecode_edge *edge)
{
	return at->executions == edge->count && at->recovered == edge->recovered;
}

/* Whether a bytecode is of the node of the one before: these two always ran together. */
static bool goes_on(const struct graph *graph, const struct degree *degrees,
		    uint32_t before, uint32_t at)
{
	const struct bytecode_edge *edge = degrees[before].next;

	return degrees[before].out == 1 && degrees[at].in == 1 && edge->to == at &&
	       is_as_often(&graph->ran[before], edge) &&
	       is_as_often(&graph->ran[at], edge);
}

/* Numbers nodes. */
static bool find_nodes(struct graph *graph)
{
	struct degree *degrees = calloc(graph->unit->bytes + 1, sizeof(*degrees));
	uint32_t before = UINT32_MAX;

	graph->node = calloc(graph->unit->bytes + 1, sizeof(*graph->node));
	if (!degrees || !graph->node) {
		free(degrees);
		return false;
	}
	count_degrees(graph, degrees);
	for (uint32_t i = 0; i < graph->unit->bytes; i++) {
		if (!has_run(&graph->ran[i]))
			continue;
		if (before == UINT32_MAX || !goes_on(graph, degrees, before, i))
			graph->n++;
		graph->node[i] = graph->n;
		before = i;
	}
	free(degrees);
	return true;
}

/* The first bytecode of node `node`, searched from `from` on. */
static uint32_t begin_of(const struct graph *graph, uint32_t node, uint32_t from)
{
	while (graph->node[from] != node)
		from++;
	return from;
}

/* Why nothing is known of a gap, as `waymark bytecodes` says it; NULL: it is none. */
static const char *gap_of(uint32_t offset)
{
	return offset == BYTECODE_SEVERAL ? "several ways" :
	       offset == BYTECODE_UNKNOWN ? "no way known" :
					    NULL;
}

/* The name of an edge's end that is no bytecode; NULL: it is one. */
static const char *outside(uint32_t offset)
{
	return offset == BYTECODE_ENTRY ? "entry" :
	       offset == BYTECODE_EXIT	? "exit" :
	       gap_of(offset)		? "gap" :
					  NULL;
}

/* Whether an edge is one of the graph, and not within a node. */
static bool is_between(const struct graph *graph, const struct bytecode_edge *edge)
{
	if (edge->method != graph->method)
		return false;
	if (outside(edge->from) || outside(edge->to) ||
	    graph->node[edge->from] != graph->node[edge->to])
		return true;
	/* A node that is a loop goes back to its beginning. */
	return edge->to <= edge->from;
}

/* ---- JSON ----------------------------------------------------------------- */

static void put_stamp(struct json *json, const char *key, unsigned thread, uint64_t insn)
{
	json_object(json, key);
	json_uint(json, "thread", thread);
	json_uint(json, "insn", insn);
	json_close(json);
}

static void put_bytecodes(struct json *json, const struct graph *graph, uint32_t node,
			  uint32_t at)
{
	char text[TEXT];

	json_array(json, "bytecodes");
	for (; at < graph->unit->bytes && graph->node[at] <= node; at++) {
		if (graph->node[at] != node)
			continue;
		json_object(json, NULL);
		json_uint(json, "offset", at);
		bytecode_text(graph->names, graph->unit, at, text, sizeof(text));
		json_string(json, "text", text);
		json_uint(json, "line", unit_line(graph->unit, at));
		json_uint(json, "order", graph->ran[at].first);
		json_close(json);
	}
	json_close(json);
}

static void put_node(struct json *json, const struct graph *graph, uint32_t node,
		     uint32_t begin)
{
	const struct bytecode *at = &graph->ran[begin];
	uint64_t insns = 0;

	for (uint32_t i = begin; i < graph->unit->bytes && graph->node[i] <= node; i++)
		insns += graph->node[i] == node ? graph->ran[i].insns : 0;
	json_object(json, NULL);
	json_uint(json, "node", node);
	json_uint(json, "order", at->first);
	json_uint(json, "executions", at->executions);
	json_uint(json, "recovered", at->recovered);
	json_uint(json, "insns", insns);
	put_stamp(json, "first", at->first_thread, at->first_insn);
	put_stamp(json, "last", at->last_thread, at->last_insn);
	put_bytecodes(json, graph, node, begin);
	json_close(json);
}

static void put_end(struct json *json, const struct graph *graph, const char *key,
		    uint32_t offset)
{
	if (outside(offset))
		json_string(json, key, outside(offset));
	else
		json_uint(json, key, graph->node[offset]);
}

static void put_edge(struct json *json, const struct graph *graph,
		     const struct bytecode_edge *edge)
{
	const char *gap = gap_of(edge->from) ? gap_of(edge->from) : gap_of(edge->to);

	json_object(json, NULL);
	put_end(json, graph, "from", edge->from);
	put_end(json, graph, "to", edge->to);
	if (gap)
		json_string(json, "gap", gap);
	json_uint(json, "count", edge->count);
	json_uint(json, "recovered", edge->recovered);
	json_uint(json, "order", edge->first);
	json_close(json);
}

static void put_json(FILE *out, void *cookie, const struct graph *graph)
{
	struct json *json = cookie;
	char name[TEXT];

	(void)out;
	method_name(graph->unit, name, sizeof(name));
	json_object(json, NULL);
	json_string(json, "method", name);
	json_string(json, "file", graph->unit->file);
	json_uint(json, "line", method_line(graph->unit));
	json_array(json, "nodes");
	for (uint32_t node = 1, at = 0; node <= graph->n; node++) {
		at = begin_of(graph, node, at);
		put_node(json, graph, node, at);
	}
	json_close(json);
	json_array(json, "edges");
	for (size_t i = 0; i < graph->bytecodes->n_edges; i++) {
		const struct bytecode_edge *edge = &graph->bytecodes->edges[i];

		if (is_between(graph, edge))
			put_edge(json, graph, edge);
	}
	json_close(json);
	json_close(json);
}

/* ---- graphviz ------------------------------------------------------------- */

/* Names have no blanks: those of gaps are m1_several and m1_no. */
static void put_dot_end(FILE *out, const struct graph *graph, uint32_t offset)
{
	const char *name = gap_of(offset) ? gap_of(offset) : outside(offset);

	if (name)
		fprintf(out, "m%" PRIu32 "_%.*s", graph->method, (int)strcspn(name, " "),
			name);
	else
		fprintf(out, "m%" PRIu32 "_%" PRIu32, graph->method, graph->node[offset]);
}

/* "19 times", "19 + 1 recovered": what was recorded, and what ran in gaps besides. */
static void put_count(FILE *out, uint64_t count, const char *unit, uint64_t recovered)
{
	if (count || !recovered)
		fprintf(out, "%" PRIu64 "%s%s", count, unit, recovered ? " + " : "");
	if (recovered)
		fprintf(out, "%" PRIu64 " recovered", recovered);
}

static void put_dot_node(FILE *out, const struct graph *graph, uint32_t node,
			 uint32_t begin)
{
	const struct bytecode *at = &graph->ran[begin];
	char text[TEXT];

	fprintf(out, "m%" PRIu32 "_%" PRIu32 " [%slabel=\"#%" PRIu64 "  ", graph->method,
		node, at->executions ? "" : "style=dashed, ", at->first);
	put_count(out, at->executions, " times", at->recovered);
	fputs("\\l", out);
	for (uint32_t i = begin; i < graph->unit->bytes && graph->node[i] <= node; i++) {
		if (graph->node[i] != node)
			continue;
		bytecode_text(graph->names, graph->unit, i, text, sizeof(text));
		fprintf(out, "%" PRIu32 " ", i);
		dot_put_escaped(out, text);
		fprintf(out, "  :%" PRIu32 "\\l", unit_line(graph->unit, i));
	}
	fputs("\"];\n", out);
}

static void put_dot_edge(FILE *out, const struct graph *graph,
			 const struct bytecode_edge *edge)
{
	bool gap = gap_of(edge->from) || gap_of(edge->to);

	put_dot_end(out, graph, edge->from);
	fputs(" -> ", out);
	put_dot_end(out, graph, edge->to);
	fprintf(out, " [%slabel=\"",
		gap	     ? "style=dotted, " :
		!edge->count ? "style=dashed, " :
			       "");
	put_count(out, edge->count, "", edge->recovered);
	fputs("\"];\n", out);
}

/* The gaps that edges of the method lead from or to. */
static void put_dot_gaps(FILE *out, const struct graph *graph)
{
	for (uint32_t gap = BYTECODE_UNKNOWN; gap <= BYTECODE_SEVERAL; gap++) {
		bool any = false;

		for (size_t i = 0; i < graph->bytecodes->n_edges; i++) {
			const struct bytecode_edge *edge = &graph->bytecodes->edges[i];

			any |= edge->method == graph->method &&
			       (edge->from == gap || edge->to == gap);
		}
		if (!any)
			continue;
		put_dot_end(out, graph, gap);
		fprintf(out, " [style=dotted, label=\"gap: %s\"];\n", gap_of(gap));
	}
}

static void put_dot(FILE *out, void *cookie, const struct graph *graph)
{
	char title[TEXT];

	(void)cookie;
	method_title(graph->unit, title, sizeof(title));
	fprintf(out, "subgraph cluster_%" PRIu32 " {\nlabel=", graph->method);
	json_quote(out, title);
	fputs(";\n", out);
	for (uint32_t node = 1, at = 0; node <= graph->n; node++) {
		at = begin_of(graph, node, at);
		put_dot_node(out, graph, node, at);
	}
	put_dot_gaps(out, graph);
	for (size_t i = 0; i < graph->bytecodes->n_edges; i++) {
		const struct bytecode_edge *edge = &graph->bytecodes->edges[i];

		if (is_between(graph, edge))
			put_dot_edge(out, graph, edge);
	}
	fputs("}\n", out);
}

/* ---- all of them ---------------------------------------------------------- */

/* The graph that its node numbers are found for. */
static int put_graph(FILE *out, struct graph *graph,
		     void (*put)(FILE *out, void *cookie, const struct graph *graph),
		     void *cookie, struct wm_error *err)
{
	bool good = find_nodes(graph);

	if (good)
		put(out, cookie, graph);
	free(graph->node);
	return good ? 0 : wm_fail_nomem(err, "a graph");
}

static int each_graph(FILE *out, const struct bytecodes *bytecodes, const char *pattern,
		      void (*put)(FILE *out, void *cookie, const struct graph *graph),
		      void *cookie, struct wm_error *err)
{
	const struct methods *methods = bytecodes->methods;
	struct bytecode_names names = { .classes = { .n = 0 } };
	int ret = bytecode_names_read(&names, methods->units, err);
	char near[METHODS_HINT] = "";
	uint32_t n = 0;

	for (uint32_t i = 1; !ret && i < methods->n; i++) {
		struct graph graph = {
			.bytecodes = bytecodes,
			.names = &names,
			.method = i,
			.unit = methods->all[i],
			.ran = bytecodes->ran[i],
		};

		if (!graph.ran || !method_fits(graph.unit, pattern))
			continue;
		ret = put_graph(out, &graph, put, cookie, err);
		n++;
	}
	bytecode_names_fini(&names);
	if (!ret && !n)
		methods_hint(near, methods->units, pattern);
	return ret || n ? ret :
			  wm_fail(err, WM_E_RANGE, 0, "no method \"%.40s\" ran%s",
				  pattern, near);
}

int flow_graph_json(FILE *out, const struct bytecodes *bytecodes, const char *pattern,
		    struct wm_error *err)
{
	struct json json;
	int ret;

	json_init(&json, out, true);
	json_array(&json, NULL);
	ret = each_graph(out, bytecodes, pattern, put_json, &json, err);
	json_close(&json);
	return ret;
}

int flow_graph_dot(FILE *out, const struct bytecodes *bytecodes, const char *pattern,
		   struct wm_error *err)
{
	int ret;

	fputs("digraph flow {\nnode [shape=box, fontname=monospace];\n", out);
	ret = each_graph(out, bytecodes, pattern, put_dot, NULL, err);
	fputs("}\n", out);
	return ret;
}
