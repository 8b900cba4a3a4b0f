// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A runtime works before its first method, in threads that run none, as collectors of garbage
 * and compilers do, and behind gaps. There the native functions say what it does.
 *
 * Executions of whole blocks are counted by block, and divided among functions once, when
 * another space begins or at the end. Only blocks at the ends of a span are divided at once.
 *
 * Example: a span of 10 to 25 in a run of blocks at 8, 12 and 20, with 4, 8 and 9 instructions:
 * 2 of the first, all of the second, 5 of the third.
 */
#include "analysis/methods/native.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/error.h"
#include "trace/trace.h"

void native_init(struct native *native, struct functions *functions,
		 const struct wm_trace *trace)
{
	*native = (struct native){ .functions = functions, .trace = trace };
}

void native_fini(struct native *native)
{
	free(native->insns);
	free(native->blocks);
	free(native->spans);
	free(native->later);
}

bool native_span(struct native *native, const struct meter *meter, uint64_t insn)
{
	struct native_span span = { meter->since, insn < meter->to ? insn : meter->to };

	return !native->functions || span.to <= span.from ||
	       APPEND(native->spans, native->n_spans, span);
}

/* ---- functions ----------------------------------------------------------- */

static bool add(struct native *native, uint32_t function, uint64_t insns)
{
	if (function >= native->n) {
		uint32_t n = function * 2 + 64;
		uint64_t *grown = reallocarray(native->insns, n, sizeof(*grown));

		if (!grown)
			return false;
		for (uint32_t i = native->n; i < n; i++)
			grown[i] = 0;
		native->insns = grown;
		native->n = n;
	}
	native->insns[function] += insns;
	return true;
}

/* `count` executions of instructions from <= index < to of a block. */
static bool divide(struct native *native, uint32_t id, uint32_t from, uint32_t to,
		   uint64_t count)
{
	struct counts_part later = { native->space, id, from, to, 0, count };
	struct wm_block block;
	uint64_t address;

	if (native->defers)
		return APPEND(native->later, native->n_later, later);
	if (wm_trace_block(native->trace, id, &block))
		return true;
	address = block.address;
	for (uint32_t i = 0; i < to && i < block.insns; address += block.sizes[i++]) {
		uint32_t function = i < from ?
					    0 :
					    functions_at(native->functions, native->space,
							 address, id, NULL);

		if (i >= from && (!function || !add(native, function, count)))
			return false;
	}
	return true;
}

static bool settle(struct native *native)
{
	bool good = true;

	for (uint32_t id = 0; native->waits && good && id <= native->trace->known; id++) {
		if (native->blocks[id])
			good = divide(native, id, 0, UINT32_MAX, native->blocks[id]);
		native->blocks[id] = 0;
	}
	native->waits = false;
	return good;
}

int native_settle(struct native *native, struct wm_error *err)
{
	return settle(native) ? 0 : wm_fail_nomem(err, "functions");
}

/* ---- blocks -------------------------------------------------------------- */

static bool begin_space(struct native *native, uint32_t space)
{
	if (!native->blocks)
		native->blocks =
			calloc(native->trace->known + 1ul, sizeof(*native->blocks));
	if (!native->blocks || (native->space != space && !settle(native)))
		return false;
	native->space = space;
	return true;
}

static void add_whole(struct native *native, uint32_t id, uint64_t count)
{
	native->blocks[id] += count;
	native->waits = true;
}

/* A block of `insns` instructions from `at` on. */
static bool pass_block(struct native *native, uint32_t id, uint64_t at, uint32_t insns,
		       bool whole, size_t *next)
{
	bool good = true;

	while (*next < native->n_spans && native->spans[*next].to <= at)
		++*next;
	for (size_t i = *next;
	     good && i < native->n_spans && native->spans[i].from < at + insns; i++) {
		const struct native_span *span = &native->spans[i];
		uint64_t from = span->from > at ? span->from - at : 0;
		uint64_t to = span->to < at + insns ? span->to - at : insns;

		if (whole && !from && to == insns)
			add_whole(native, id, 1);
		else
			good = divide(native, id, (uint32_t)from, (uint32_t)to, 1);
	}
	return good;
}

int native_pass(struct native *native, const uint32_t *ids, size_t n,
		const struct wm_step *step, struct wm_error *err)
{
	const uint16_t *counts = native->trace->table.insns;
	uint64_t at = step->insn_ordinal;
	size_t next = 0;
	bool good = !native->n_spans || begin_space(native, step->space);

	for (size_t i = 0; good && i < n && next < native->n_spans; i++) {
		/* A block that did not run completely is alone in its run. */
		uint32_t insns = n > 1 ? counts[ids[i]] : step->insns;
		const struct native_span *span = &native->spans[next];
		bool whole = insns == counts[ids[i]];

		/* Mostly a span is much longer than a block. */
		if (whole && insns && span->from <= at && span->to > at + insns)
			add_whole(native, ids[i], 1);
		else
			good = pass_block(native, ids[i], at, insns, whole, &next);
		at += insns;
	}
	native->n_spans = 0;
	return good ? 0 : wm_fail_nomem(err, "functions");
}

static bool add_parts(struct native *native, const struct counts_part *parts, size_t n)
{
	bool good = true;

	for (size_t i = 0; good && i < n; i++) {
		const struct counts_part *part = &parts[i];

		good = begin_space(native, part->space) &&
		       divide(native, part->id, part->begin, part->end, part->count);
	}
	return good;
}

int native_add(struct native *native, const struct counts *counts, struct wm_error *err)
{
	bool good = true;

	for (size_t i = 0; native->functions && good && i < counts->n_rows; i++) {
		const struct counts_row *row = &counts->rows[i];

		good = begin_space(native, row->space);
		if (good)
			add_whole(native, row->id, row->count);
	}
	if (native->functions && good)
		good = add_parts(native, counts->parts, counts->n_parts);
	return good ? 0 : wm_fail_nomem(err, "functions");
}

int native_join(struct native *native, const struct native *part, struct wm_error *err)
{
	return add_parts(native, part->later, part->n_later) ?
		       0 :
		       wm_fail_nomem(err, "functions");
}
