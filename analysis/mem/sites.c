// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each instruction belongs to, looked up once for all that ran, before the walk. So
 * the walk's workers only read, and numbers do not depend on which worker comes first.
 *
 * Instructions are numbered over all blocks in a row. An instruction's number is begins[]
 * of its block plus its index there, so one array lookup tells its function or its line.
 *
 * Whether an access is relative to the stack pointer is in the instruction: on RISC-V its
 * base register is sp; elsewhere its text names that register, or it is a push, a pop, a
 * call or a return. Of these the one access may be, and the other one not: `call *16(%rbx)`
 * loads from an object and stores on the stack. This is a property of the code, the same in
 * every space.
 *
 * Example: blocks of 3 and 2 instructions. begins[] is 0, 0, 3, 5; instruction 1 of block
 * 2 has number 4, and numbers[space][4] is its function. Index 0 stands for no block.
 */
#include "analysis/mem/sites.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "analysis/executed.h"
#include "analysis/inside.h"
#include "base/error.h"
#include "isa/riscv.h"
#include "isa/x86.h"
#include "trace/trace.h"
#include "trace/u64map.h"

enum { RISCV_SP = 2 }; /* x2, by the calling convention */

struct making {
	struct mem_sites *sites;
	const struct mem_sites_ask *ask;
	struct inside inside;
	struct u64map lines;		  /* of a source << 32 | line: its number */
	uint32_t owners[BLOCK_INSNS_MAX]; /* of the block at hand */
};

/* ---- the stack pointer ------------------------------------------------------------------ */

static bool riscv_by_stack(const uint8_t *code, uint32_t bytes, unsigned xlen)
{
	uint32_t word = 0;

	memcpy(&word, code, bytes < 4 ? bytes : 4);
	/* A compressed instruction has a low half only; it stands for a full one. */
	if ((word & 3) != 3)
		word = riscv_expand((uint16_t)word, xlen);
	/* LOAD, LOAD-FP, STORE, STORE-FP: bits 0 to 4 of the opcode are 3 or 7. */
	return ((word & 0x7b) == 0x03 || (word & 0x7b) == 0x23) &&
	       (word >> 15 & 31) == RISCV_SP;
}

/* Bits: which accesses of an instruction are relative to the stack pointer. */
enum { NEITHER, LOADS = 1 << 0, STORES = 1 << 1, BOTH = LOADS | STORES };

/* x86's and ARM's instructions that use the stack, and how. x86's operand may be in memory. */
static unsigned implied(const char *text)
{
	static const struct {
		const char *start;
		unsigned ways;
	} known[] = { { "push", STORES }, { "pop", LOADS },   { "call", STORES },
		      { "ret", LOADS },	  { "leave", LOADS }, { "vpush", STORES },
		      { "vpop", LOADS } };

	/* The only other mnemonic that begins like one of them. */
	if (!strncmp(text, "popcnt", 6))
		return NEITHER;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(text, known[i].start, strlen(known[i].start)))
			return known[i].ways;
	return NEITHER;
}

/* ARM's loads and stores of many registers, whose base has no brackets: "ldm sp, {r0, r1}". */
static bool lists_by_stack(const char *text)
{
	const char *operands = text + strcspn(text, " ");

	text += *text == 'v';
	return (!strncmp(text, "ldm", 3) || !strncmp(text, "stm", 3)) &&
	       (!strncmp(operands, " sp,", 4) || !strncmp(operands, " sp!", 4));
}

static unsigned text_by_stack(const char *text)
{
	/* The base register comes first in "8(%rsp,%rax,2)" and in "[sp, #16]". */
	if (strstr(text, "(%rsp") || strstr(text, "(%esp") || strstr(text, "[sp") ||
	    lists_by_stack(text))
		return BOTH;
	return implied(x86_mnemonic(text));
}

/* Instruction `i` of block `id`, whose bytes are code[bytes]. */
static unsigned by_stack(const struct wm_trace *trace, uint32_t id, uint32_t i,
			 const uint8_t *code, uint32_t bytes)
{
	char text[64];

	/* Set for RISC-V only. Bits are much cheaper than text, which others need. */
	if (trace->xlen)
		return riscv_by_stack(code, bytes, trace->xlen) ? BOTH : NEITHER;
	return wm_trace_disas(trace, id, i, text, sizeof(text)) ? text_by_stack(text) :
								  NEITHER;
}

/*
 * Sets the bits of a block. A block that ran in several spaces is visited again: the bits
 * are the same.
 */
static void find_by_stack(struct making *making, uint32_t id,
			  const struct wm_block *block)
{
	const struct wm_trace *trace = making->ask->trace;
	size_t at = making->sites->begins[id];
	const uint8_t *code = block->code;

	for (uint32_t i = 0; i < block->insns; code += block->sizes[i++], at++)
		making->sites->by_stack[at / 4] |=
			(uint8_t)(by_stack(trace, id, i, code, block->sizes[i])
				  << at % 4 * 2);
}

bool mem_insn_by_stack(const struct wm_trace *trace, uint32_t id, uint32_t insn,
		       bool is_store)
{
	const struct wm_block *block = &trace->table.blocks[id];
	const uint8_t *code = block->code;

	for (uint32_t i = 0; i < insn; i++)
		code += block->sizes[i];
	return by_stack(trace, id, insn, code, block->sizes[insn]) >> is_store & 1;
}

/* ---- functions and lines ---------------------------------------------------------------- */

/*
 * The number of a line, given at its first occurrence; code without a line has that of
 * line 0. 0: no memory.
 */
static uint32_t number_of_line(struct making *making, struct srcline line)
{
	struct mem_sites *sites = making->sites;
	uint32_t *number =
		u64map_at(&making->lines, (uint64_t)line.source << 32 | line.number);
	struct srcline *grown;

	if (!number || *number)
		return number ? *number : 0;
	/* One more, and entry 0, which is not used. */
	grown = reallocarray(sites->lines, sites->n_lines + 2ul, sizeof(*grown));
	if (!grown)
		return 0;
	sites->lines = grown;
	sites->lines[++sites->n_lines] = line;
	*number = sites->n_lines;
	return *number;
}

/* The lines of a block's instructions; each may come from another file, by inlining. */
static bool find_lines(struct making *making, uint32_t space, uint32_t id,
		       const struct wm_block *block, uint32_t *numbers)
{
	uint64_t address = block->address;

	for (uint32_t i = 0; i < block->insns; address += block->sizes[i++]) {
		struct srcline line = { 0, 0 };
		struct origin origin;

		if (!making->owners[i])
			continue; /* its function is not wanted */
		if (symbols_origin(making->ask->symbols, space, address, id, &origin))
			srclines_at(making->ask->lines, &origin, &line);
		numbers[i] = number_of_line(making, line);
		if (!numbers[i])
			return false;
	}
	return true;
}

/*
 * One part of a block that ran. All its instructions get numbers, also those that this
 * part leaves out: another part may have them.
 */
static int take(void *cookie, const struct executed *executed)
{
	struct making *making = cookie;
	struct mem_sites *sites = making->sites;
	const struct wm_block *block = &executed->block;
	uint32_t **numbers = &sites->numbers[executed->space], id = executed->id;
	/* Spaces in which nothing ran take no memory. */
	if (!*numbers)
		*numbers = calloc(sites->instructions + 1, sizeof(**numbers));
	if (!*numbers ||
	    !inside_find(&making->inside, block, executed->space, id, making->owners))
		return WM_E_NOMEM;
	find_by_stack(making, id, block);
	if (making->ask->lines)
		return find_lines(making, executed->space, id, block,
				  *numbers + sites->begins[id]) ?
			       0 :
			       WM_E_NOMEM;
	memcpy(*numbers + sites->begins[id], making->owners,
	       block->insns * sizeof(**numbers));
	return 0;
}

/* ---- one instruction in several blocks ------------------------------------------------------ */

/* 64 bits of an instruction's address and its bytes. */
static uint64_t key_of(uint64_t address, const uint8_t *code, uint8_t bytes)
{
	uint8_t both[sizeof(address) + UINT8_MAX];

	memcpy(both, &address, sizeof(address));
	memcpy(both + sizeof(address), code, bytes);
	return XXH3_64bits(both, sizeof(address) + bytes);
}

static bool find_same_in(struct mem_sites *sites, const struct wm_block *block,
			 uint32_t at, struct u64map *firsts)
{
	const uint8_t *code = block->code;

	for (uint32_t i = 0; i < block->insns; code += block->sizes[i++], at++) {
		uint64_t address = block->address + (uint64_t)(code - block->code);
		uint32_t *first =
			u64map_at(firsts, key_of(address, code, block->sizes[i]));

		if (!first)
			return false;
		/* One more, because 0 is nothing yet. */
		if (!*first)
			*first = at + 1;
		sites->same[at] = *first - 1;
	}
	return true;
}

/* QEMU's blocks overlap: the body of a loop is also the end of the block that leads into it. */
static bool find_same(struct mem_sites *sites, const struct wm_trace *trace)
{
	struct u64map firsts;
	bool good = true;

	if (u64map_init(&firsts))
		return false;
	for (uint32_t id = 1; good && id <= trace->known; id++)
		good = find_same_in(sites, &trace->table.blocks[id],
				    (uint32_t)sites->begins[id], &firsts);
	u64map_fini(&firsts);
	return good;
}

/* ---- all of it --------------------------------------------------------------------------- */

static bool allocate(struct mem_sites *sites, const struct wm_trace *trace)
{
	sites->spaces = trace->space_count;
	sites->numbers = calloc(sites->spaces + 1ul, sizeof(*sites->numbers));
	/* Ids are 1 to `known`; the end of the last block is one more. */
	sites->begins = calloc(trace->known + 2ul, sizeof(*sites->begins));
	if (!sites->numbers || !sites->begins)
		return false;
	for (uint32_t id = 1; id <= trace->known; id++)
		sites->begins[id + 1] = sites->begins[id] + trace->table.blocks[id].insns;
	sites->instructions = sites->begins[trace->known + 1];
	sites->by_stack = calloc(sites->instructions / 4 + 1, 1);
	sites->same = calloc(sites->instructions + 1, sizeof(*sites->same));
	return sites->by_stack && sites->same && find_same(sites, trace);
}

static int fill(struct making *making, struct wm_error *err)
{
	const struct mem_sites_ask *ask = making->ask;
	struct counts counts;
	int ret = counts_gather(&counts, ask->trace, ask->selection, err);

	if (ret)
		return ret;
	/* After counts_gather(), which loads the blocks. */
	if (!allocate(making->sites, ask->trace) ||
	    executed_each(&counts, ask->trace, take, making))
		ret = wm_fail_nomem(err, "what instructions belong to");
	counts_fini(&counts);
	return ret;
}

int mem_sites_init(struct mem_sites *sites, const struct mem_sites_ask *ask,
		   struct wm_error *err)
{
	struct making *making = calloc(1, sizeof(*making));
	int ret;

	*sites = (struct mem_sites){ .begins = NULL };
	if (!making || u64map_init(&making->lines)) {
		free(making);
		return wm_fail_nomem(err, "what instructions belong to");
	}
	making->sites = sites;
	making->ask = ask;
	making->inside.functions = ask->functions;
	making->inside.pattern = ask->function;
	ret = fill(making, err);
	inside_fini(&making->inside);
	u64map_fini(&making->lines);
	free(making);
	return ret;
}

void mem_sites_fini(struct mem_sites *sites)
{
	for (uint32_t i = 0; sites->numbers && i < sites->spaces; i++)
		free(sites->numbers[i]);
	free(sites->numbers);
	free(sites->begins);
	free(sites->by_stack);
	free(sites->same);
	free(sites->lines);
}
