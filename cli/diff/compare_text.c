// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Divergences as diff(1) shows them: instructions that both executed begin with a blank,
 * those of A with <, those of B with >. The columns are A's ordinal, B's ordinal,
 * address, function and offset, disassembly. A comparison keeps only ordinals, so
 * instructions are read again from the traces; a log has addresses only, and their names
 * come from A's trace.
 *
 *	            7            7  0x10150        main+0x10        li a0, 1
 *	<           8               0x10154        main+0x14        beqz a0, ...
 *	>                        8  0x10180        main+0x40        ret
 *
 * Only the first pair of threads is shown in detail. Others get one line each, because a
 * program with 100 threads would otherwise bury the first difference.
 */
#include "cli/diff/compare_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/diff/insn_line.h"
#include "cli/diff/values_text.h"
#include "out/number.h"
#include "out/text.h"
#include "query/spot.h"
#include "query/threads.h"

/*
 * How many instructions before a divergence are searched for the functions that led to
 * it, and how many of these are named. A few thousand instructions decode in
 * milliseconds.
 */
enum { WAY_INSNS = 4000, WAY_NAMES = 8 };

struct printer {
	const struct compare *compare;
	const struct pair *pair;
	struct spots a, b; /* of a log, b has no streams */
	/* A's, too, for what lies further back: `a` then only goes forwards, which is fast. */
	struct spots way;
	unsigned context;
	struct wm_error *err;
};

/* ---- what both have ------------------------------------------------------ */

/*
 * Prints n instructions that both executed, from ordinals a and b on. A's trace supplies
 * them, because B may be a log.
 */
static int print_common(struct printer *printer, uint64_t a, uint64_t b, uint64_t n)
{
	struct spot spot;
	int ret = n ? spots_seek(&printer->a, a, printer->err) : 0;

	for (uint64_t i = 0; !ret && i < n; i++, a++, b++) {
		ret = spots_next(&printer->a, &spot, printer->err);
		if (!ret)
			insn_line_print(' ', &a, &b, &spot);
	}
	return ret == WM_END ? 0 : ret;
}

/*
 * The last WAY_NAMES functions that were passed through, as a ring: number i is at i %
 * WAY_NAMES. Their names live as long as the source.
 */
struct way {
	struct code_name places[WAY_NAMES];
	unsigned n; /* so far, also those overwritten */
};

/* Names are compared by their address: a symbol and a file have one. */
static bool is_same(const struct code_name *a, const struct code_name *b)
{
	return a->symbol == b->symbol && (a->symbol || a->module == b->module);
}

/* Consecutive instructions of one function count once. */
static void go_through(struct way *way, const struct code_name *place)
{
	if (way->n && is_same(&way->places[(way->n - 1) % WAY_NAMES], place))
		return;
	way->places[way->n++ % WAY_NAMES] = *place;
}

/*
 * Prints the functions that A executed on its last common instructions before `a`. It
 * reads no further back than `common`, the begin of what both executed since the last
 * divergence.
 */
static int print_way(struct printer *printer, uint64_t a, uint64_t common)
{
	uint64_t n = common < WAY_INSNS ? common : WAY_INSNS;
	struct way way = { .n = 0 };
	struct spot spot;
	int ret = n ? spots_seek(&printer->way, a - n, printer->err) : 0;

	for (uint64_t i = 0; !ret && i < n; i++) {
		ret = spots_next(&printer->way, &spot, printer->err);
		if (!ret)
			go_through(&way, &spot.place);
	}
	if (!way.n)
		return ret == WM_END ? 0 : ret;
	fputs(way.n > WAY_NAMES ? "by way of ..." : "by way of", stdout);
	for (unsigned i = way.n > WAY_NAMES ? way.n - WAY_NAMES : 0; i < way.n; i++) {
		char *title = source_title(&way.places[i % WAY_NAMES]);

		putchar(' ');
		text_line(stdout, title ? title : "");
		fputs(i + 1 < way.n ? "," : "", stdout);
		free(title);
	}
	putchar('\n');
	return ret == WM_END ? 0 : ret;
}

/* ---- what one side has --------------------------------------------------- */

/*
 * The next instruction of a side. A log cannot be sought, so only the b_known addresses
 * that were kept at the divergence are available; `index` counts within it.
 */
static int next_spot(struct printer *printer, struct spots *spots,
		     const struct compare_hunk *hunk, uint64_t index, struct spot *spot)
{
	if (spots->n)
		return spots_next(spots, spot, printer->err);
	if (index >= hunk->is.b_known)
		return WM_END;
	spots_find(&printer->a, hunk->b_pcs[index], spot);
	return 0;
}

/*
 * At most `context` instructions, then one line with the number of the others. A
 * divergence may be millions of instructions long.
 */
static int print_side(struct printer *printer, bool is_a, const struct compare_hunk *hunk)
{
	struct spots *spots = is_a ? &printer->a : &printer->b;
	uint64_t ordinal = is_a ? hunk->is.a : hunk->is.b;
	uint64_t insns = is_a ? hunk->is.a_insns : hunk->is.b_insns, i = 0;
	char grouped[NUMBER_TEXT];
	struct spot spot;
	int ret = insns && spots->n ? spots_seek(spots, ordinal, printer->err) : 0;

	for (; !ret && i < insns && i < printer->context; i++, ordinal++) {
		ret = next_spot(printer, spots, hunk, i, &spot);
		if (!ret)
			insn_line_print(is_a ? '<' : '>', is_a ? &ordinal : NULL,
					is_a ? NULL : &ordinal, &spot);
	}
	if (i < insns)
		printf("%c %s more\n", is_a ? '<' : '>',
		       number_grouped(grouped, insns - i));
	return ret == WM_END ? 0 : ret;
}

/* ---- a divergence -------------------------------------------------------- */

/*
 * How a divergence ends: the meeting point was not found within the window, both runs end
 * without one, or they meet again.
 */
static void print_gap(const struct printer *printer, const struct diff_hunk *hunk)
{
	char a[INSNS_TEXT], b[NUMBER_TEXT], window[INSNS_TEXT];

	insns_text(hunk->a_insns, a);
	number_grouped(b, hunk->b_insns);
	if (hunk->open)
		printf("not together again within %s (--window): %s of A and %s of B are "
		       "not compared\n",
		       insns_text(printer->compare->window, window), a, b);
	else if (hunk->end)
		printf("not together again: %s of A and %s of B to the end\n", a, b);
	else
		printf("together again after %s of A and %s of B\n", a, b);
}

static uint64_t context_of(const struct printer *printer, uint64_t common)
{
	return common < printer->context ? common : printer->context;
}

/*
 * Context before and after a divergence comes from the common parts on its two sides; behind it
 * there are `behind` instructions. There is none after it when the two do not meet.
 */
static int print_hunk(struct printer *printer, const struct compare_hunk *hunk,
		      uint64_t behind)
{
	const struct diff_hunk *is = &hunk->is;
	uint64_t before = context_of(printer, is->common);
	bool meet = !is->open && !is->end;
	char number[NUMBER_TEXT], common[INSNS_TEXT];
	int ret;

	printf("\ndivergence %s, after %s in common\n",
	       number_grouped(number, is->number), insns_text(is->common, common));
	ret = print_way(printer, is->a, is->common);
	if (!ret)
		ret = print_common(printer, is->a - before, is->b - before, before);
	if (!ret)
		ret = print_side(printer, true, hunk);
	if (!ret)
		ret = print_side(printer, false, hunk);
	if (ret)
		return ret;
	print_gap(printer, is);
	return meet ? print_common(printer, is->a + is->a_insns, is->b + is->b_insns,
				   context_of(printer, behind)) :
		      0;
}

/* ---- a pair -------------------------------------------------------------- */

static const char *name_of(const struct query *query, unsigned index, char text[96])
{
	struct wm_stream stream;

	if (wm_trace_stream(query->source.trace, index, &stream))
		return "";
	snprintf(text, 96, "%s", thread_name(query->source.trace, &stream));
	text_make_line(text);
	return text;
}

/*
 * "thread 0 (main)". Several threads of A stand beside one CPU of a log: "thread 1, 2 and
 * 3 (main)", named after the first.
 */
static void print_a(const struct compare *compare, const struct pair *pair)
{
	char name[96];

	printf("thread %u", pair->a[0]);
	for (unsigned i = 1; i < pair->n_a; i++)
		printf("%s%u", i + 1 < pair->n_a ? ", " : " and ", pair->a[i]);
	printf(" (%s)", name_of(&compare->a, pair->a[0], name));
}

static void print_b(const struct compare *compare, const struct pair *pair)
{
	char name[96];

	if (compare->log)
		printf("CPU %u", pair->b);
	else
		printf("thread %u (%s)", pair->b, name_of(&compare->b, pair->b, name));
}

/*
 * "not compared" is only mentioned when there is such a rest: it limits what the other
 * figures mean.
 */
static void print_totals(const struct diff_result *result)
{
	char common[INSNS_TEXT], a[NUMBER_TEXT], b[NUMBER_TEXT], hunks[NUMBER_TEXT];

	printf("%s %s: %s in both, %s only in A, %s only in B",
	       number_grouped(hunks, result->hunks),
	       result->hunks == 1 ? "divergence" : "divergences",
	       insns_text(result->common, common), number_grouped(a, result->a_only),
	       number_grouped(b, result->b_only));
	if (result->a_left || result->b_left)
		printf("; not compared: %s of A, %s of B",
		       number_grouped(a, result->a_left),
		       number_grouped(b, result->b_left));
	putchar('\n');
}

/*
 * Logs of whole machines begin with code that runs before the program, such as a boot
 * loader.
 */
static void print_prefix(const struct diff_result *result)
{
	char a[INSNS_TEXT], b[NUMBER_TEXT];

	if (result->a_prefix || result->b_prefix)
		printf("before that, %s of A and %s of B\n",
		       insns_text(result->a_prefix, a),
		       number_grouped(b, result->b_prefix));
}

/* left_out comes first: without bounds nothing was compared, and all counts are 0. */
static void print_outcome(const struct compared *compared)
{
	const struct diff_result *result = &compared->result;
	char insns[INSNS_TEXT];

	if (compared->left_out)
		puts("left out: neither comes to --from and, after it, to --to");
	else if (result->hunks)
		print_totals(result);
	else
		printf("identical: %s\n", insns_text(result->common, insns));
	print_prefix(result);
}

/*
 * One line about a pair, and one about values that differ. A thread that only one side has
 * counts as a difference.
 */
static void print_summary(const struct compare *compare, unsigned index)
{
	const struct pair *pair = &compare->pairs.all[index];
	const struct compared *compared = &compare->all[index];
	char insns[INSNS_TEXT];

	if (pair->n_a)
		print_a(compare, pair);
	if (pair->n_a && pair->has_b)
		fputs(", ", stdout);
	if (pair->has_b)
		print_b(compare, pair);
	fputs(": ", stdout);
	if (!pair->has_b)
		printf("only in A, %s\n", insns_text(compared->result.a_insns, insns));
	else if (!pair->n_a)
		printf("only in B, %s\n", insns_text(compared->result.b_insns, insns));
	else
		print_outcome(compared);
	if (compared->values.differ) {
		fputs("  ", stdout);
		values_print_total(&compared->values);
	}
}

/* The common instructions behind kept divergence `i`, up to the next one or to the end. */
static uint64_t common_behind(const struct compared *compared, size_t i)
{
	uint64_t common = compared->result.common;

	if (i + 1 < compared->n)
		return compared->hunks[i + 1].is.common;
	if (compared->n < compared->result.hunks)
		return compared->common_behind;
	for (size_t k = 0; k <= i; k++)
		common -= compared->hunks[k].is.common;
	return common;
}

/* The result counts all divergences; only the first ones were kept. */
static int print_hunks(struct printer *printer, const struct compared *compared)
{
	char listed[NUMBER_TEXT];
	int ret = 0;

	for (size_t i = 0; !ret && i < compared->n; i++)
		ret = print_hunk(printer, &compared->hunks[i],
				 common_behind(compared, i));
	if (!ret && compared->n && compared->n < compared->result.hunks)
		printf("\n... and %s more (-n)\n",
		       number_grouped(listed, compared->result.hunks - compared->n));
	if (compared->n)
		putchar('\n');
	return ret;
}

/* A log has no streams to read, so b is initialised with none. */
static int print_pair(const struct compare *compare, unsigned index, unsigned context,
		      struct wm_error *err)
{
	const struct pair *pair = &compare->pairs.all[index];
	struct printer printer = {
		.compare = compare, .pair = pair, .context = context, .err = err
	};
	const struct compared *of = &compare->all[index];
	int ret;

	spots_init(&printer.a, &compare->a.source, pair->a, pair->n_a);
	spots_init(&printer.way, &compare->a.source, pair->a, pair->n_a);
	spots_init(&printer.b, &compare->b.source, &pair->b, !compare->log);
	ret = values_print_first(compare, &of->values, &printer.a, err);
	/* A divergence begins with a blank line of its own. */
	if (!ret && of->values.n && !of->n)
		putchar('\n');
	if (!ret)
		ret = print_hunks(&printer, of);
	spots_fini(&printer.a);
	spots_fini(&printer.way);
	spots_fini(&printer.b);
	return ret;
}

static void print_file(char side, const char *path)
{
	printf("%c  ", side);
	text_line(stdout, path);
	printf(", ");
}

static void print_head(const struct compare *compare, unsigned index)
{
	const struct pair *pair = &compare->pairs.all[index];
	const struct diff_result *result = &compare->all[index].result;
	char insns[INSNS_TEXT];

	print_file('A', compare->a.scope.file);
	print_a(compare, pair);
	printf(", %s\n", insns_text(result->a_insns, insns));
	print_file('B', compare->log ? compare->log_file : compare->b.scope.file);
	print_b(compare, pair);
	printf(", %s\n", insns_text(result->b_insns, insns));
}

/*
 * Files that are compared by symbol are mentioned: their user may believe that both runs
 * are of the same build.
 */
static void print_others(const struct compare *compare)
{
	const char *a, *b;
	uint32_t at = 0;

	if (!compare->log && diff_modules_one_sided(compare->modules))
		puts("only one of the runs has files, so compared by address");
	while (!compare->log && diff_modules_next_other(compare->modules, &at, &a, &b)) {
		printf("not known to be of one build, so compared by symbol: ");
		text_line(stdout, a);
		printf(" and ");
		text_end_line(stdout, b);
	}
}

/*
 * Pair 0 has to exist: there is no comparison without a thread. It gets details only when
 * both sides have it.
 */
int compare_print_text(const struct compare *compare, unsigned context,
		       struct wm_error *err)
{
	const struct pair *first = &compare->pairs.all[0];
	int ret = 0;

	print_others(compare);
	if (first->n_a && first->has_b) {
		print_head(compare, 0);
		ret = print_pair(compare, 0, context, err);
		if (ret)
			return ret;
		print_outcome(&compare->all[0]);
		values_print_total(&compare->all[0].values);
	} else {
		print_summary(compare, 0);
	}
	for (unsigned i = 1; i < compare->pairs.n; i++)
		print_summary(compare, i);
	return 0;
}
