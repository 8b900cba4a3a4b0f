// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decides for each instruction that ran whether the listing of a function has it. It has the
 * code of every function whose name matches, and of the others the calls of such functions
 * that were inlined there.
 *
 * Example: square() is inlined into sum(), and that into main(). "annotate square" lists the
 * instructions of main that are square's; "annotate main" lists all of main, and of no other.
 *
 * Invariant: an instruction is listed once, for the function whose code it is, or else for
 * the innermost call.
 */
#include "analysis/hot/annotate_marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "program/suggest.h"

/* Whether a function's name matches; 0: not known yet. */
enum fit { FITS = 1, FITS_NOT };

/* False: no memory. */
static bool make_room(struct annotate_marks *marks, uint32_t number)
{
	uint32_t n = number * 2 + 256;
	uint8_t *grown;

	if (number < marks->n_fits)
		return true;
	grown = realloc(marks->fits, n);
	if (!grown)
		return false;
	memset(grown + marks->n_fits, 0, n - marks->n_fits);
	marks->fits = grown;
	marks->n_fits = n;
	return true;
}

/* Whether a function is to be listed: comparing names is slow, so it is done once. */
static bool fits(struct annotate_marks *marks, uint32_t number)
{
	const struct annotate *annotate = marks->annotate;

	if (!make_room(marks, number))
		return functions_match(annotate->of.functions, number,
				       annotate->of.function);
	if (!marks->fits[number])
		marks->fits[number] = functions_match(annotate->of.functions, number,
						      annotate->of.function) ?
					      FITS :
					      FITS_NOT;
	return marks->fits[number] == FITS;
}

int annotate_marks_inlined(struct annotate_marks *marks, const struct insn_count *insn,
			   struct inlined_function *found)
{
	struct inlined_function around[INLINED_MAX];
	int n = functions_inlined(marks->annotate->of.functions, insn->space,
				  insn->address, insn->id, around);

	*found = (struct inlined_function){ .number = 0 };
	for (int i = 0; i < n && !found->number; i++)
		if (fits(marks, around[i].number))
			*found = around[i];
	return n < 0 ? n : 0;
}

/* What is to be listed of the instructions that ran. */
struct marked {
	size_t own;	/* of the code of functions that fit */
	size_t inlined; /* of calls of such functions in others */
	size_t first;	/* of the latter */
};

/* Code of a function is listed for that one, whatever was inlined there. */
static int mark_insn(struct annotate_marks *marks, size_t index, struct marked *marked)
{
	const struct annotate *annotate = marks->annotate;
	const struct insn_count *insn = &marks->insns->all[index];
	uint32_t number = functions_at(annotate->of.functions, insn->space, insn->address,
				       insn->id, NULL);

	if (!number)
		return WM_E_NOMEM;
	if (fits(marks, number)) {
		marks->functions[index] = number;
		marked->own++;
		return 0;
	}
	if (annotate_marks_inlined(marks, insn, &marks->inlined[index]))
		return WM_E_NOMEM;
	if (marks->inlined[index].number) {
		marks->functions[index] = number;
		if (!marked->inlined++)
			marked->first = index;
	}
	return 0;
}

static int mark_insns(struct annotate_marks *marks, struct marked *marked)
{
	size_t n = marks->insns->n;
	int ret = 0;

	marks->functions = calloc(n + 1, sizeof(*marks->functions));
	marks->inlined = calloc(n + 1, sizeof(*marks->inlined));
	if (!marks->functions || !marks->inlined)
		return WM_E_NOMEM;
	for (size_t i = 0; i < n && !ret; i++)
		ret = mark_insn(marks, i, marked);
	return ret;
}

/* ---- why, and where else ------------------------------------------------- */

/* Puts where the function is inlined, by the debugging information, into text[n]; or "". */
static int find_places(const struct annotate_marks *marks, char *text, size_t n,
		       struct wm_error *err)
{
	struct inlines inlines;
	int ret;

	inlines_init(&inlines, marks->annotate->of.function);
	ret = inlines_find(&inlines, marks->annotate->of.symbols, err);
	if (!ret)
		inlines_places(&inlines, text, n);
	inlines_fini(&inlines);
	return ret;
}

/* Fails with a message why there is nothing to show. */
static int nothing_ran(const struct annotate_marks *marks, struct wm_error *err)
{
	const struct annotate *annotate = marks->annotate;
	char places[256], near[SUGGEST_TEXT];
	int ret = find_places(marks, places, sizeof(places), err);

	if (ret)
		return ret;
	if (!*places)
		return wm_fail(err, WM_E_RANGE, 0, "no function \"%.80s\" ran%s",
			       annotate->of.function,
			       suggest_function(near, annotate->of.symbols,
						annotate->of.function));
	return wm_fail(err, WM_E_RANGE, 0,
		       annotate->of.inlined ?
			       "no function \"%.80s\" ran: it is inlined %s, and did not "
			       "run there" :
			       "no function \"%.80s\" ran by itself: it is inlined %s",
		       annotate->of.function, places);
}

/*
 * Reports that the listing has code of functions that the user did not name. Without the
 * program's file a place is known of what ran only.
 */
static int tell_inlined(const struct annotate_marks *marks, const struct marked *marked,
			struct wm_error *err)
{
	const struct annotate *annotate = marks->annotate;
	struct functions *functions = annotate->of.functions;
	struct annotate_inlined inlined = {
		.name = functions_get(functions, annotate_marks_for(marks, marked->first))
				->name,
		.also = marked->own,
	};
	char places[256];
	int ret = 0;

	if (marked->own && strpbrk(annotate->of.function, "*?["))
		return 0;
	places[0] = 0;
	if (!marked->own)
		ret = find_places(marks, places, sizeof(places), err);
	if (!*places)
		snprintf(places, sizeof(places), "into %.80s",
			 functions_get(functions, marks->functions[marked->first])->name);
	inlined.places = places;
	if (!ret)
		annotate->inlined(annotate->cookie, &inlined);
	return ret;
}

static bool sum_functions(struct annotate_marks *marks)
{
	size_t n = functions_count(marks->annotate->of.functions);

	marks->totals = calloc(n + 1, sizeof(*marks->totals));
	for (size_t i = 0; marks->totals && i < marks->insns->n; i++)
		/* totals[0] collects what is not listed. */
		marks->totals[annotate_marks_for(marks, i)] += marks->insns->all[i].count;
	return marks->totals;
}

int annotate_marks_gather(struct annotate_marks *marks, const struct annotate *annotate,
			  const struct insn_counts *insns, struct wm_error *err)
{
	struct marked marked = { .own = 0 };
	int ret = 0;

	*marks = (struct annotate_marks){ .annotate = annotate, .insns = insns };
	if (mark_insns(marks, &marked))
		return wm_fail_nomem(err, "functions");
	if (!marked.own && !marked.inlined)
		return nothing_ran(marks, err);
	if (marked.inlined)
		ret = tell_inlined(marks, &marked, err);
	if (ret)
		return ret;
	return sum_functions(marks) ? 0 : wm_fail_nomem(err, "functions");
}

void annotate_marks_fini(struct annotate_marks *marks)
{
	free(marks->functions);
	free(marks->inlined);
	free(marks->totals);
	free(marks->fits);
}
