// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The published scheme that Waymark is compared with: Wang T. et al., "Efficient
 * Instruction Tracing Based on QEMU", Computer Systems & Applications 2023, 32(11),
 * implemented from its text. Each block is stored once, with its disassembly. The ids of
 * executed blocks are kept in memory, 32 bits each. When the program ends, they are
 * turned into
 *
 *	PREFIX.json	the control-flow graph with its counts
 *	PREFIX.bin	the first id, then each id that follows a block with more than one
 *			successor; 32 bits each, in the host's byte order
 *
 * Example: the run 1 2 1 3 has the edges 1-2, 2-1 and 1-3. Only block 1 has two
 * successors, so the file has 1 2 3. retrace.py reads it back: after a block with one
 * successor comes that successor, after others the next id of the file.
 *
 * The comparison must be fair: this is as fast as the scheme allows, nothing is left out
 * and nothing is compressed. Like the original it handles one thread, and no code that
 * changes.
 *
 * Argument: out=PREFIX.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/qemu_api.h"

#define PEER_EXPORT __attribute__((visibility("default")))

PEER_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
PEER_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
				    int argc, char **argv);

enum {
	PART_IDS = 1 << 22,  /* ids in one allocation: 16 MiB */
	PARTS_MAX = 1 << 14, /* 6.9e10 blocks */
	INSN_BYTES = 16,
};

/* One way out of a block. */
struct edge {
	uint32_t to;
	uint64_t count;
	struct edge *next; /* another way out of the same block */
};

struct block {
	uint64_t address, executions;
	uint32_t insns;
	char *listing; /* its instructions as JSON */
	struct edge *edges;
	uint32_t next; /* id of another with the same hash; 0: none */
};

/* The state of the plugin. No locks: there is one thread. */
static const char *prefix;
static struct block *blocks; /* [count + 1] by id */
static uint32_t count, allocated;
static uint32_t slots[1 << 16]; /* ids by hash of the address */

static uint32_t *parts[PARTS_MAX]; /* the ids of the run */
static uint32_t n_parts;
static uint32_t *at, *end; /* in the last part */

/* Ends the guest, too: a benchmark has no use for half a result. */
static void *need(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "published: out of memory\n");
	exit(1);
}

/* ---- while it runs ------------------------------------------------------- */

/* Not inlined, so that on_block() stays a comparison and a store. */
static __attribute__((noinline)) void begin_part(void)
{
	if (n_parts == PARTS_MAX)
		need(NULL);
	at = parts[n_parts++] = need(malloc(PART_IDS * sizeof(*at)));
	end = at + PART_IDS;
}

static void on_block(unsigned vcpu, void *id)
{
	(void)vcpu;
	if (__builtin_expect(at == end, 0))
		begin_part();
	*at++ = (uint32_t)(uintptr_t)id;
}

/* ---- translation --------------------------------------------------------- */

/* A string of JSON: control characters, such as tabs in a disassembly, become blanks. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc((unsigned char)*text < ' ' ? ' ' : *text, out);
	}
}

static void put_insn(FILE *out, const struct qemu_plugin_insn *insn)
{
	uint8_t code[INSN_BYTES];
	size_t size = qemu_plugin_insn_size(insn);
	char *text = qemu_plugin_insn_disas(insn);

	if (size > sizeof(code))
		size = sizeof(code);
	insn_copy(insn, code, size);
	fprintf(out, "{\"address\": %" PRIu64 ", \"code\": \"",
		qemu_plugin_insn_vaddr(insn));
	/* From the last byte in memory: the code as a little-endian number. */
	for (size_t i = size; i-- > 0;)
		fprintf(out, "%02x", code[i]);
	fputs("\", \"text\": \"", out);
	put_text(out, text ? text : "");
	fputs("\"}", out);
	free(text);
}

/* The instructions of a block as JSON, made once: writing the graph only copies it. */
static char *list(const struct qemu_plugin_tb *tb, size_t insns)
{
	char *listing;
	size_t bytes;
	FILE *out = need(open_memstream(&listing, &bytes));

	for (size_t i = 0; i < insns; i++) {
		fputs(i ? ", " : "", out);
		put_insn(out, qemu_plugin_tb_get_insn(tb, i));
	}
	fclose(out);
	return listing;
}

/* The top 16 bits of a product with 2^64 / golden ratio. RISC-V addresses are even. */
static uint32_t *slot_of(uint64_t address)
{
	return &slots[(address >> 1) * 0x9e3779b97f4a7c15 >> 48];
}

/* The id of a block. As in the paper, address and length identify it. */
static uint32_t name(const struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	uint32_t insns = (uint32_t)qemu_plugin_tb_n_insns(tb);
	uint32_t *slot = slot_of(address);

	for (uint32_t id = *slot; id; id = blocks[id].next)
		if (blocks[id].address == address && blocks[id].insns == insns)
			return id;
	/* Ids begin at 1. Doubling keeps the cost of all copies linear. */
	if (count + 1 >= allocated) {
		allocated = allocated * 2 + 4096;
		blocks = need(realloc(blocks, allocated * sizeof(*blocks)));
	}
	blocks[++count] = (struct block){ .address = address,
					  .insns = insns,
					  .listing = list(tb, insns),
					  .next = *slot };
	return *slot = count;
}

static void on_translation QEMU_PARAMETERS(struct qemu_plugin_tb *tb)
{
	QEMU_UNUSED();
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
					     (void *)(uintptr_t)name(tb));
}

/* ---- the end ------------------------------------------------------------- */

/* A list is enough: most blocks have one or two successors. */
static void count_edge(struct block *from, uint32_t to)
{
	struct edge *edge = from->edges;

	while (edge && edge->to != to)
		edge = edge->next;
	if (!edge) {
		edge = need(calloc(1, sizeof(*edge)));
		edge->to = to;
		edge->next = from->edges;
		from->edges = edge;
	}
	edge->count++;
}

/* Calls `visit` with each id of the run and the id before it; 0 for the first. */
static void each(void (*visit)(uint32_t before, uint32_t id, void *cookie), void *cookie)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < n_parts; i++) {
		const uint32_t *stop = i + 1 < n_parts ? parts[i] + PART_IDS : at;

		for (const uint32_t *id = parts[i]; id < stop; before = *id++)
			visit(before, *id, cookie);
	}
}

static void count_pair(uint32_t before, uint32_t id, void *cookie)
{
	(void)cookie;
	blocks[id].executions++;
	if (before)
		count_edge(&blocks[before], id);
}

/* count_pair() has visited all pairs before, so blocks[before] has an edge at least. */
static void write_pair(uint32_t before, uint32_t id, void *out)
{
	if (!before || blocks[before].edges->next)
		fwrite(&id, sizeof(id), 1, out);
}

static FILE *open_output(const char *suffix)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s.%s", prefix, suffix);
	out = fopen(path, "w");
	if (out)
		return out;
	fprintf(stderr, "published: cannot write %s\n", path);
	exit(1);
}

static void close_output(FILE *out)
{
	bool failed = ferror(out);

	if (!fclose(out) && !failed)
		return;
	fprintf(stderr, "published: cannot write its files\n");
	exit(1);
}

static void write_graph(FILE *out)
{
	const char *comma = "";

	fputs("{\"blocks\": [", out);
	for (uint32_t id = 1; id <= count; id++)
		fprintf(out,
			"%s\n{\"id\": %" PRIu32 ", \"address\": %" PRIu64
			", \"executions\": %" PRIu64 ", \"instructions\": [%s]}",
			id > 1 ? "," : "", id, blocks[id].address, blocks[id].executions,
			blocks[id].listing);
	fputs("],\n\"edges\": [", out);
	for (uint32_t id = 1; id <= count; id++) {
		for (const struct edge *edge = blocks[id].edges; edge;
		     edge = edge->next) {
			fprintf(out,
				"%s\n{\"from\": %" PRIu32 ", \"to\": %" PRIu32
				", \"count\": %" PRIu64 "}",
				comma, id, edge->to, edge->count);
			comma = ",";
		}
	}
	fputs("]}\n", out);
}

/* Two passes over the ids: the first finds which blocks have one successor. */
static void on_exit_of_guest QEMU_EXIT_PARAMETERS
{
	FILE *graph = open_output("json"), *sequence = open_output("bin");

	QEMU_UNUSED();
	(void)unused_data;
	each(count_pair, NULL);
	write_graph(graph);
	close_output(graph);
	each(write_pair, sequence);
	close_output(sequence);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4) != 0) {
		fprintf(stderr, "published: it takes out=PREFIX\n");
		return -1;
	}
	prefix = strdup(argv[0] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation QEMU_NO_DATA);
	qemu_plugin_register_atexit_cb(id, on_exit_of_guest, NULL);
	return 0;
}
