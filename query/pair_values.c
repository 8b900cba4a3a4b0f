// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Puts together what a comparison of values needs: the effects of both sides, and what may
 * differ between them.
 *
 * Two recordings of a program whose files were mapped elsewhere have other addresses, all by
 * the distance of their files. A move of a file is extended on both sides, because its data,
 * the heap behind them and the memory between libraries move with it; the distance must be
 * exact, so that hides nothing.
 *
 * Example: libc at 0x7f0000 in A and at 0x7f2000 in B: 0x7f1008 of A is 0x7f3008 of B.
 */
#include "query/pair_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "isa/registers.h"
#include "trace/values.h"

/* How far a file's move reaches beyond it. */
#define AROUND (64ull << 20)

static uint32_t space_of(const struct wm_trace *trace, unsigned stream)
{
	struct wm_stream is = { .space = 0 };

	wm_trace_stream(trace, stream, &is);
	return is.space;
}

/* The number of its register; UINT32_MAX: not known. */
static uint32_t stack_pointer(const struct wm_trace *trace)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");
	int number = isa ? register_number(isa, "sp") : -1;

	if (isa && number < 0)
		number = register_number(isa, "rsp");
	return number < 0 ? UINT32_MAX : (uint32_t)number;
}

/* ---- files ------------------------------------------------------------------------------ */

/* Where B maps the same byte of the same build; false: nowhere. */
static bool find_in_b(const struct compare *compare, const struct wm_module *a,
		      uint32_t space, struct wm_module *b)
{
	const struct diff_module *is =
		diff_modules_find(compare->modules, DIFF_A, a->path);

	if (!is || !is->same_build)
		return false;
	for (unsigned i = 0; !wm_trace_module(compare->b.source.trace, i, b); i++) {
		const struct diff_module *other =
			diff_modules_find(compare->modules, DIFF_B, b->path);

		if (b->space == space && other && other->identity == is->identity &&
		    b->file_off == a->file_off)
			return true;
	}
	return false;
}

static bool add_files(struct pair_values *values, const struct compare *compare,
		      const struct pair *pair, size_t *n)
{
	uint32_t space = space_of(compare->b.source.trace, pair->b);
	struct wm_module a, b;

	for (unsigned i = 0; !wm_trace_module(compare->a.source.trace, i, &a); i++) {
		uint64_t around = a.start < AROUND ? a.start : AROUND;

		if (a.space != values->use.space || !*a.path ||
		    !find_in_b(compare, &a, space, &b) || a.start == b.start)
			continue;
		if (!APPEND(values->moves, *n,
			    ((struct alike_move){ a.start - around, b.start - around,
						  around + a.end - a.start + AROUND })))
			return false;
	}
	return true;
}

static bool add_moves(struct pair_values *values, const struct compare *compare,
		      const struct pair *pair)
{
	const struct leeway *leeway = &compare->leeway;
	bool good = true;
	size_t n = 0;

	for (size_t i = 0; good && i < leeway->n_moves; i++)
		good = APPEND(values->moves, n, leeway->moves[i]);
	if (good && compare->modules)
		good = add_files(values, compare, pair, &n);
	values->values.alike.moves = values->moves;
	values->values.alike.n_moves = n;
	return good;
}

/* ---- effects ---------------------------------------------------------------------------- */

/* Values at places are the same ones only if they were asked for in the same words. */
static void check_places(const struct compare *compare, struct effects *a)
{
	const unsigned places = 1u << WM_ACCESS_REGISTER | 1u << WM_ACCESS_RETURNED |
				1u << WM_ACCESS_MEMORY;
	const char *x = wm_trace_meta(compare->a.source.trace, "value_places"), *y = NULL;

	if (!compare->log)
		y = wm_trace_meta(compare->b.source.trace, "value_places");
	if (!x || !y || strcmp(x, y) != 0)
		a->has &= ~places;
}

static int open_effects(struct pair_values *values, const struct compare *compare,
			const struct diff_part parts[2], struct wm_error *err)
{
	struct diff_values *of = &values->values;
	int ret = effects_trace_new(&of->a, compare->a.source.trace, &parts[DIFF_A], err);

	if (ret || !of->a || compare->qemulog)
		return ret;
	check_places(compare, of->a);
	return compare->pclog ?
		       effects_log_new(&of->b, compare->pclog, &parts[DIFF_B],
				       compare->log == COMPARE_EXECLOG ||
					       compare->a.source.isa == SOURCE_RISCV,
				       err) :
		       effects_trace_new(&of->b, compare->b.source.trace, &parts[DIFF_B],
					 err);
}

static void warn_of(const struct query *query, unsigned named)
{
	static const struct {
		unsigned what, recorded;
		const char *name, *option;
	} needs[] = {
		{ DIFF_ADDRESSES, VALUES_ALL, "addresses", "--mem" },
		{ DIFF_DATA, VALUES_DATA | VALUES_PLACES, "data", "--mem-values" },
		{ DIFF_REGISTERS, VALUES_WRITTEN | VALUES_PLACES, "registers",
		  "--commits" },
	};
	unsigned recorded = trace_values_recorded(query->source.trace);

	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++)
		if (named & needs[i].what && !(recorded & needs[i].recorded))
			listener_warn(query->listener,
				      "%s has no %s, so these are not compared: waymark "
				      "record %s records them",
				      query->scope.file ? query->scope.file : "A",
				      needs[i].name, needs[i].option);
}

void pair_values_warn(const struct compare *compare)
{
	warn_of(&compare->a, compare->named);
	if (!compare->log)
		warn_of(&compare->b, compare->named);
}

int pair_values_open(struct pair_values *values, const struct compare *compare,
		     const struct pair *pair, const struct diff_part parts[2],
		     pthread_mutex_t *lock, struct wm_error *err)
{
	const struct leeway *leeway = &compare->leeway;

	values->use =
		(struct leeway_use){ leeway, &compare->a.source, lock,
				     space_of(compare->a.source.trace, pair->a[0]) };
	values->values.what = compare->what;
	values->values.a_trace = compare->a.source.trace;
	values->values.sp = stack_pointer(compare->a.source.trace);
	values->values.room = compare->listed;
	values->values.may_differ = leeway_allows;
	values->values.cookie = &values->use;
	values->values.alike.pairs = leeway->pairs;
	values->values.alike.n_pairs = leeway->n_pairs;
	if (!compare->what)
		return 0;
	if (!add_moves(values, compare, pair))
		return wm_fail_nomem(err, "values");
	return open_effects(values, compare, parts, err);
}

static void free_effects(struct effects *effects)
{
	if (effects)
		effects->free(effects);
}

void pair_values_close(struct pair_values *values, size_t listed,
		       struct compared_values *result)
{
	const struct diff_values *of = &values->values;

	*result = (struct compared_values){
		.kinds = of->a && of->b ? diff_values_kinds(of) : 0,
		.compared = of->compared,
		.differ = of->differ,
		.first = of->kept,
		.n = of->n < listed ? of->n : listed,
		.stack = of->alike.stack,
	};
	free_effects(of->a);
	free_effects(of->b);
	free(values->moves);
}
