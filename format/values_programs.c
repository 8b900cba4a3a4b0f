// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs are read once, when their block becomes known, and then executed each time it
 * runs: so all checks are here, and a step has its operands in place.
 *
 * Invariant: every step names registers of the model, every instruction is one of its
 * block, and an access that is not in the lane has `rs` known by the steps before it in
 * its own program. So what follows from a program alone needs no check when it runs.
 *
 * Example: ld a0,0(a1); ld a2,8(a1) is LOAD in_lane, LOAD: the first puts a word into the
 * lane, which makes a1 known; the second has none. Two accesses, one word.
 */
#include "format/values_programs.h"

#include <stdlib.h>
#include <string.h>

#include "format/section.h"

static bool within(const struct value_programs *programs, uint64_t steps, uint64_t blocks)
{
	uint64_t bytes = steps * sizeof(*programs->steps) +
			 blocks * (sizeof(*programs->of) + sizeof(*programs->busy));

	return !programs->most || bytes <= programs->most;
}

static bool grow_steps(struct value_programs *programs)
{
	uint32_t n = programs->steps_allocated + programs->steps_allocated / 2 + 4096;
	struct value_step *steps;

	if (programs->step_count < programs->steps_allocated)
		return true;
	if (n < programs->steps_allocated || !within(programs, n, programs->allocated))
		return false;
	steps = reallocarray(programs->steps, n, sizeof(*steps));
	if (!steps)
		return false;
	programs->steps = steps;
	programs->steps_allocated = n;
	return true;
}

/* For n blocks; those that come new are not busy. */
static bool grow_busy(struct value_programs *programs, uint32_t n)
{
	uint8_t *busy = realloc(programs->busy, n);

	if (!busy)
		return false;
	memset(busy + programs->allocated, 0, n - programs->allocated);
	programs->busy = busy;
	return true;
}

static bool grow_blocks(struct value_programs *programs)
{
	uint32_t n = programs->allocated + programs->allocated / 2 + 1024;
	struct value_program *of;

	if (programs->known + 1 < programs->allocated)
		return true;
	if (!within(programs, programs->steps_allocated, n) || !grow_busy(programs, n))
		return false;
	of = reallocarray(programs->of, n, sizeof(*of));
	if (!of)
		return false;
	of[0] = (struct value_program){ 0 };
	programs->of = of;
	programs->allocated = n;
	return true;
}

struct value_programs *value_programs_new(void)
{
	struct value_programs *programs = calloc(1, sizeof(*programs));

	/* So that steps of an empty program have an address, too. */
	if (programs && !grow_steps(programs)) {
		free(programs);
		return NULL;
	}
	return programs;
}

void value_programs_free(struct value_programs *programs)
{
	if (!programs)
		return;
	free(programs->steps);
	free(programs->of);
	free(programs->busy);
	free(programs);
}

/* ---- one program ------------------------------------------------------------------------ */

static struct value_step compile(const struct value_op *op)
{
	return (struct value_step){
		.kind = op->kind,
		.rd = op->rd,
		.rs = op->rs,
		.rt = op->rt,
		.insn = op->insn,
		.size = op->size,
		.is_signed = op->is_signed,
		.in_lane = op->in_lane,
		.imm = op->kind == OP_FORGET ? op->mask : op->imm,
	};
}

static uint64_t bit(uint8_t number)
{
	return UINT64_C(1) << number;
}

/* Which registers are known after a step when *known were before it. */
static void follow(const struct value_step *step, uint64_t *known)
{
	uint64_t to = bit(step->rd), from = bit(step->rs);

	switch (step->kind) {
	case OP_FORGET:
		*known &= ~(uint64_t)step->imm;
		break;
	case OP_SET:
		*known |= to;
		break;
	case OP_SUM:
		from |= bit(step->rt);
		/* fall through */
	case OP_ADD:
		*known = (*known & from) == from ? *known | to : *known & ~to;
		break;
	case OP_LOAD:
		*known = (*known | from) & ~to;
		break;
	case OP_STORE:
		*known |= from;
		break;
	}
}

static bool is_access(const struct value_step *step)
{
	return step->kind >= OP_LOAD;
}

/* Words of an access. */
static uint32_t words_of(const struct value_programs *programs,
			 const struct value_step *step)
{
	return step->in_lane +
	       (programs->wanted & VALUES_DATA ? value_data_words(step->size) : 0u);
}

/*
 * Adds a step to the program; false when it cannot be: a base that its own block does not
 * make known would be anything.
 */
static bool add_step(struct value_programs *programs, struct value_program *program,
		     const struct value_op *op, uint64_t *known)
{
	struct value_step step = compile(op);
	if (op->insn >= program->insns)
		return false;
	if (is_access(&step) && !step.in_lane && !(*known & bit(step.rs)))
		return false;
	follow(&step, known);
	if (is_access(&step)) {
		program->accesses++;
		program->words += words_of(programs, &step);
	}
	programs->steps[programs->step_count++] = step;
	program->count++;
	return true;
}

int value_programs_define(struct value_programs *programs, uint32_t insns,
			  struct span span, struct wm_error *err)
{
	struct value_program program = { .first = programs->step_count,
					 .insns = (uint16_t)insns };
	uint64_t known = bit(0);
	struct value_op op;
	uint16_t insn = 0;
	bool good = grow_blocks(programs);

	if (!good)
		return wm_fail_nomem(err, "what blocks do to memory");
	while (good && value_op_get(&span, &op, &insn)) {
		if (!grow_steps(programs)) {
			programs->step_count = program.first;
			return wm_fail_nomem(err, "what blocks do to memory");
		}
		good = program.accesses < UINT16_MAX &&
		       add_step(programs, &program, &op, &known);
	}
	if (!good || span.failed) {
		programs->step_count = program.first;
		return wm_fail(err, WM_E_DAMAGED, 0,
			       "what a block does to memory is malformed");
	}
	programs->of[++programs->known] = program;
	programs->busy[programs->known] = program.count != 0;
	return 0;
}

/* Whether any of four has. Idle ones come in rows. */
static inline bool any_busy(const uint8_t *busy, const uint32_t *ids)
{
	return busy[ids[0]] | busy[ids[1]] | busy[ids[2]] | busy[ids[3]];
}

size_t value_programs_idle(const struct value_programs *programs, const uint32_t *ids,
			   size_t n)
{
	const uint8_t *busy = programs->busy;
	size_t i = 0;

	while (i + 4 <= n && !any_busy(busy, ids + i))
		i += 4;
	while (i < n && !busy[ids[i]])
		i++;
	return i;
}

size_t value_programs_busy(const struct value_programs *programs, const uint32_t *ids,
			   size_t n, uint32_t *busy, uint16_t *places)
{
	size_t count = 0;

	/* Each is written, and kept if the next one comes behind it: nothing to foretell. */
	for (size_t i = 0; i < n; i++) {
		busy[count] = ids[i];
		places[count] = (uint16_t)i;
		count += programs->busy[ids[i]];
	}
	return count;
}

uint32_t value_program_before(const struct value_programs *programs, uint32_t id,
			      uint32_t insn)
{
	const struct value_program *program = &programs->of[id];
	const struct value_step *steps = programs->steps + program->first;
	uint32_t accesses = 0;

	for (uint32_t i = 0; i < program->count && steps[i].insn < insn; i++)
		accesses += is_access(&steps[i]);
	return accesses;
}

uint32_t value_program_words(const struct value_programs *programs, uint32_t id,
			     uint32_t from, uint32_t to)
{
	const struct value_program *program = &programs->of[id];
	const struct value_step *steps = programs->steps + program->first;
	uint32_t access = 0, words = 0;

	for (uint32_t i = 0; i < program->count && access < to; i++) {
		if (!is_access(&steps[i]))
			continue;
		if (access++ >= from)
			words += words_of(programs, &steps[i]);
	}
	return words;
}

/* ---- the section ------------------------------------------------------------------------ */

/* All sections of a file say the same. */
static bool get_head(struct value_programs *programs, struct span *span, uint32_t *count)
{
	uint32_t first = span_u32(span), wanted, width;

	*count = span_u32(span);
	wanted = span_u32(span);
	width = span_u32(span);
	if (span->failed || first != programs->known + 1 || (width != 32 && width != 64))
		return false;
	if (programs->width && (programs->wanted != wanted || programs->width != width))
		return false;
	programs->wanted = wanted;
	programs->width = width;
	/* An older reader would foretell other words. */
	if (wanted & VALUES_FETCHES && !(programs->features & FILE_FETCHES))
		return false;
	return !(wanted & ~(uint32_t)VALUES_BITS);
}

int value_programs_add(struct value_programs *programs, struct span payload,
		       const struct block_table *blocks, struct wm_error *err)
{
	struct span lengths = payload, bytes;
	uint32_t count;
	int ret = 0;

	if (!get_head(programs, &lengths, &count) || count > span_left(&lengths) ||
	    programs->known + (uint64_t)count > blocks->count)
		return wm_fail(err, WM_E_DAMAGED, 0,
			       "a section of programs is malformed");
	bytes = lengths;
	for (uint32_t i = 0; i < count; i++)
		span_varint(&bytes);
	for (uint32_t i = 0; !ret && i < count; i++) {
		uint32_t insns = blocks->blocks[programs->known + 1].insns;

		ret = value_programs_define(programs, insns,
					    span_sub(&bytes, span_varint(&lengths)), err);
	}
	if (!ret && (bytes.failed || span_left(&bytes)))
		ret = wm_fail(err, WM_E_DAMAGED, 0, "a section of programs is malformed");
	return ret;
}

void sites_writer_init(struct sites_writer *sites, uint32_t first)
{
	*sites = (struct sites_writer){ .first = first };
}

void sites_writer_fini(struct sites_writer *sites)
{
	buf_fini(&sites->lengths);
	buf_fini(&sites->bytes);
}

bool sites_writer_add(struct sites_writer *sites, struct span program)
{
	size_t bytes = span_left(&program);

	if (!buf_reserve(&sites->lengths, VARINT32_MAX) ||
	    !buf_reserve(&sites->bytes, bytes))
		return false;
	buf_put_varint(&sites->lengths, bytes);
	buf_put(&sites->bytes, program.at, bytes);
	sites->count++;
	return true;
}

void sites_writer_flush(struct sites_writer *sites, uint32_t wanted, uint32_t width,
			struct buf *payload)
{
	buf_put_u32(payload, sites->first);
	buf_put_u32(payload, sites->count);
	buf_put_u32(payload, wanted);
	buf_put_u32(payload, width);
	buf_put(payload, sites->lengths.data, sites->lengths.len);
	buf_put(payload, sites->bytes.data, sites->bytes.len);
	sites->first += sites->count;
	sites->count = 0;
	sites->lengths.len = sites->bytes.len = 0;
}
