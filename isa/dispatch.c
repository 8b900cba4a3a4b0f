// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A backward slice from each indirect jump. A threaded interpreter ends each handler by
 *
 *	lhu   a6, 0(s0)		the next code unit: this is what is looked for
 *	andi  a5, a6, 255
 *	slli  a5, a5, 3
 *	add   a5, a5, s4	s4: the table of handlers
 *	ld    a5, 0(a5)		the handler
 *	jr    a5
 *
 * Registers that decide where the jump goes are followed back: to the load from the table,
 * then to what its address was made of. A load of the wanted size found there is a fetch.
 * Compilers spread this over several blocks, so the walk goes to all instructions that
 * may come before one: the one above, unless that jumps away, and those that jump to it.
 *
 * Invariant: an instruction is visited again only for registers that it was not visited
 * for, so the walk ends.
 */
#include "isa/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "isa/flow.h"
#include "isa/riscv.h"
#include "isa/riscv_registers.h"
#include "isa/riscv_values.h"

/* ra, t0 to t2, a0 to a7, t3 to t6: a call does not keep them. */
#define CALLER_SAVED 0xf003fce2u

/* How many loads are between the jump and here. */
enum { AT_TABLE, AT_INDEX, STAGES };

struct insn {
	uint32_t offset, word;
	struct flow flow;
	bool fetches;
};

/* A jump from one instruction to another, by index. */
struct arc {
	uint32_t to, from;
};

/* Registers that matter before an instruction. */
struct place {
	uint32_t insn, registers;
	uint8_t stage;
};

struct slicing {
	struct insn *insns; /* [n] */
	struct arc *arcs;   /* [n_arcs] by `to` */
	uint32_t *seen[STAGES];
	struct place *places; /* [n_places] still to be visited */
	size_t n, n_arcs, n_places, room;
	unsigned xlen, size;
	bool failed;
};

/* ---- instructions -------------------------------------------------------- */

/* False at the end, or within an instruction. */
static bool read_insn(const uint8_t *code, size_t bytes, size_t at, uint32_t *word)
{
	size_t size = at + 2 > bytes ? 0 : (code[at] & 3) == 3 ? 4 : 2;

	*word = 0;
	if (!size || at + size > bytes)
		return false;
	memcpy(word, code + at, size);
	return true;
}

static void read_insns(struct slicing *slicing, const uint8_t *code, size_t bytes)
{
	uint32_t word;

	for (size_t at = 0; read_insn(code, bytes, at, &word);
	     at += (word & 3) == 3 ? 4 : 2)
		slicing->insns[slicing->n++] =
			(struct insn){ (uint32_t)at, word,
				       flow_riscv(word, slicing->xlen, at), false };
}

static int by_target(const void *one, const void *other)
{
	const struct arc *a = one, *b = other;

	return (a->to > b->to) - (a->to < b->to);
}

static void read_arcs(struct slicing *slicing)
{
	for (uint32_t i = 0; i < slicing->n; i++) {
		const struct flow *flow = &slicing->insns[i].flow;
		size_t to;

		if (!flow->has_target || flow->kind == FLOW_CALL)
			continue;
		to = BISECT(slicing->n, k, slicing->insns[k].offset < flow->target);
		if (to < slicing->n && slicing->insns[to].offset == flow->target)
			slicing->arcs[slicing->n_arcs++] =
				(struct arc){ (uint32_t)to, i };
	}
	if (slicing->n_arcs)
		qsort(slicing->arcs, slicing->n_arcs, sizeof(*slicing->arcs), by_target);
}

/* ---- the walk ------------------------------------------------------------ */

/* What an instruction reads and writes of integer registers. */
static struct riscv_registers registers_of(const struct slicing *slicing, uint32_t word)
{
	bool is_short = (word & 3) != 3;
	uint32_t wide = is_short ? riscv_expand((uint16_t)word, slicing->xlen) : word;
	struct riscv_registers registers;

	riscv_registers(wide ? wide : word, slicing->xlen, &registers);
	return registers;
}

static void push(struct slicing *slicing, uint32_t insn, uint32_t registers,
		 uint8_t stage)
{
	uint32_t *seen = &slicing->seen[stage][insn];

	registers &= ~*seen & ~1u;
	*seen |= registers;
	if (!registers)
		return;
	if (slicing->n_places == slicing->room) {
		size_t room = slicing->room * 2 + 256;
		struct place *grown = reallocarray(slicing->places, room, sizeof(*grown));

		if (!grown) {
			slicing->failed = true;
			return;
		}
		slicing->places = grown;
		slicing->room = room;
	}
	slicing->places[slicing->n_places++] = (struct place){ insn, registers, stage };
}

/* These registers matter after instruction `index`. */
static void pass(struct slicing *slicing, uint32_t index, uint32_t registers,
		 uint8_t stage)
{
	struct insn *insn = &slicing->insns[index];
	struct riscv_effect effect =
		riscv_effect(insn->word, slicing->xlen, insn->offset, false);
	struct riscv_registers its = registers_of(slicing, insn->word);
	uint32_t made = registers & its.written[RISCV_X];

	if (insn->flow.kind == FLOW_CALL || insn->flow.kind == FLOW_CALL_INDIRECT)
		made |= registers & CALLER_SAVED;
	push(slicing, index, registers & ~made, stage);
	if (!made)
		return;
	if (effect.kind == RISCV_LOADS) {
		if (stage == AT_TABLE)
			push(slicing, index, 1u << effect.rs, AT_INDEX);
		else
			insn->fetches |= 1u << effect.size == slicing->size;
		return;
	}
	/* What a call or an atomic instruction returns is nothing that was fetched. */
	if (insn->flow.kind == FLOW_ON && effect.kind != RISCV_ACCESSES)
		push(slicing, index, its.read[RISCV_X], stage);
}

/* Whether the next instruction may come after this one. */
static bool goes_on(enum flow_kind kind)
{
	return kind != FLOW_JUMP && kind != FLOW_INDIRECT && kind != FLOW_RETURN;
}

static void visit(struct slicing *slicing, const struct place *place)
{
	size_t i = BISECT(slicing->n_arcs, k, slicing->arcs[k].to < place->insn);

	if (place->insn && goes_on(slicing->insns[place->insn - 1].flow.kind))
		pass(slicing, place->insn - 1, place->registers, place->stage);
	for (; i < slicing->n_arcs && slicing->arcs[i].to == place->insn; i++)
		pass(slicing, slicing->arcs[i].from, place->registers, place->stage);
}

static void slice(struct slicing *slicing)
{
	for (uint32_t i = 0; i < slicing->n; i++)
		if (slicing->insns[i].flow.kind == FLOW_INDIRECT)
			push(slicing, i,
			     registers_of(slicing, slicing->insns[i].word).read[RISCV_X],
			     AT_TABLE);
	while (slicing->n_places && !slicing->failed) {
		struct place place = slicing->places[--slicing->n_places];

		visit(slicing, &place);
	}
}

bool dispatch_find(const uint8_t *code, size_t bytes, unsigned xlen, unsigned size,
		   bool (*found)(void *cookie, uint64_t offset), void *cookie)
{
	struct slicing slicing = { .xlen = xlen, .size = size };
	size_t most = bytes / 2 + 1;

	slicing.insns = calloc(most, sizeof(*slicing.insns));
	slicing.arcs = calloc(most, sizeof(*slicing.arcs));
	for (unsigned i = 0; i < STAGES; i++)
		slicing.seen[i] = calloc(most, sizeof(*slicing.seen[i]));
	slicing.failed = !slicing.insns || !slicing.arcs || !slicing.seen[AT_TABLE] ||
			 !slicing.seen[AT_INDEX];
	if (!slicing.failed) {
		read_insns(&slicing, code, bytes);
		read_arcs(&slicing);
		slice(&slicing);
	}
	for (size_t i = 0; i < slicing.n && !slicing.failed; i++)
		if (slicing.insns[i].fetches)
			slicing.failed = !found(cookie, slicing.insns[i].offset);
	free(slicing.insns);
	free(slicing.arcs);
	for (unsigned i = 0; i < STAGES; i++)
		free(slicing.seen[i]);
	free(slicing.places);
	return !slicing.failed;
}
