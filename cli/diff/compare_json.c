// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The result of a comparison as JSON: for each pair of threads its counts and its first
 * divergences, with the instructions around each. A comparison keeps ordinals only, so
 * the instructions are fetched from the traces here; a log has no ordinals that could be
 * sought, so its first address after each divergence was kept (compare_hunk.b_pcs).
 *
 * All keys are always present; null stands for "there is none". That holds for the
 * instruction at the end of a thread, and for the side that a pair lacks. When an error
 * occurs the document is still closed, and the error decides the exit status.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/diff/compare_text.h"
#include "cli/diff/values_text.h"
#include "out/json.h"
#include "out/text.h"
#include "query/spot.h"

/* The instructions of both sides of a pair. With a log, b.n is 0. */
struct sides {
	struct spots a, b;
	struct wm_error *err;
};

/* Disassembly loses QEMU's column padding. A log has addresses but no bytes: null. */
static void put_spot(struct json *json, const char *key, const struct spot *spot)
{
	char *disas = *spot->disas ? text_disas_new(spot->disas, 0) : NULL;
	char address[24];

	snprintf(address, sizeof(address), "0x%" PRIx64, spot->address);
	json_object(json, key);
	json_string(json, "address", address);
	json_string(json, "symbol", spot->place.symbol);
	json_uint(json, "offset", spot->place.offset);
	json_string(json, "module", spot->place.module);
	json_string(json, "disassembly", disas);
	if (spot->path) {
		json_string(json, "source", spot->path);
		json_uint(json, "line", spot->line);
	}
	json_close(json);
	free(disas);
}

/*
 * The instruction at an ordinal; null when the thread ends before it, which is no error.
 */
static int put_at(struct json *json, const char *key, struct sides *sides,
		  struct spots *spots, uint64_t ordinal)
{
	struct spot spot;
	int ret = spots_seek(spots, ordinal, sides->err);

	if (!ret)
		ret = spots_next(spots, &spot, sides->err);
	if (ret)
		json_null(json, key);
	else
		put_spot(json, key, &spot);
	return ret == WM_END ? 0 : ret;
}

/*
 * Where B continues. With a log the name of the address is looked up in A's trace: both
 * are of the same program.
 */
static int put_b(struct json *json, struct sides *sides, const struct compare_hunk *hunk)
{
	struct spot spot;

	if (!hunk->is.b_known) {
		json_null(json, "b_next");
		return 0;
	}
	if (sides->b.n)
		return put_at(json, "b_next", sides, &sides->b, hunk->is.b);
	spots_find(&sides->a, hunk->b_pcs[0], &spot);
	put_spot(json, "b_next", &spot);
	return 0;
}

/*
 * "then" is what follows a divergence: "together" at a + a_insns and b + b_insns;
 * "end", the two never meet; "not compared", no meeting point within the window.
 */
static int put_hunk(struct json *json, struct sides *sides,
		    const struct compare_hunk *hunk)
{
	const struct diff_hunk *is = &hunk->is;
	int ret = 0;

	json_object(json, NULL);
	json_uint(json, "common_before", is->common);
	json_uint(json, "a", is->a);
	json_uint(json, "b", is->b);
	json_uint(json, "a_insns", is->a_insns);
	json_uint(json, "b_insns", is->b_insns);
	json_string(json, "then",
		    is->open ? "not compared" :
		    is->end  ? "end" :
			       "together");
	/*
	 * Without a common instruction before it, a is not preceded by anything that both
	 * executed.
	 */
	if (is->common)
		ret = put_at(json, "last_common", sides, &sides->a, is->a - 1);
	else
		json_null(json, "last_common");
	/* A has ended here: its ordinal is beyond its last instruction. */
	if (is->end && !is->a_insns)
		json_null(json, "a_next");
	else if (!ret)
		ret = put_at(json, "a_next", sides, &sides->a, is->a);
	if (!ret)
		ret = put_b(json, sides, hunk);
	json_close(json);
	return ret;
}

/* Only the first pair keeps several divergences; others keep one (query/compare.c). */
static int put_hunks(struct json *json, const struct compare *compare, unsigned index,
		     struct wm_error *err)
{
	const struct pair *pair = &compare->pairs.all[index];
	const struct compared *compared = &compare->all[index];
	struct sides sides = { .err = err };
	int ret = 0;

	spots_init(&sides.a, &compare->a.source, pair->a, pair->n_a);
	spots_init(&sides.b, &compare->b.source, &pair->b, !compare->log);
	json_array(json, "first_divergences");
	for (size_t i = 0; !ret && i < compared->n; i++)
		ret = put_hunk(json, &sides, &compared->hunks[i]);
	json_close(json);
	if (!ret)
		ret = values_put_json(json, compare, &compared->values, &sides.a, err);
	spots_fini(&sides.a);
	spots_fini(&sides.b);
	return ret;
}

/*
 * Sums over the whole pair, also where divergences are not listed. *_before count what
 * one side, usually a log, executed before both begin alike.
 */
static void put_result(struct json *json, const struct diff_result *result)
{
	json_uint(json, "a_instructions", result->a_insns);
	json_uint(json, "b_instructions", result->b_insns);
	json_uint(json, "common", result->common);
	json_uint(json, "a_only", result->a_only);
	json_uint(json, "b_only", result->b_only);
	json_uint(json, "a_not_compared", result->a_left);
	json_uint(json, "b_not_compared", result->b_left);
	json_uint(json, "a_before", result->a_prefix);
	json_uint(json, "b_before", result->b_prefix);
	json_uint(json, "divergences", result->hunks);
}

/*
 * a_threads is an array because a log counts by CPU, and one vCPU may have run several
 * threads one after the other. The other side has one number, under a key that says what
 * it counts.
 */
static int put_pair(struct json *json, const struct compare *compare, unsigned index,
		    struct wm_error *err)
{
	const struct pair *pair = &compare->pairs.all[index];
	const struct compared *compared = &compare->all[index];
	int ret;

	json_object(json, NULL);
	json_array(json, "a_threads");
	for (unsigned i = 0; i < pair->n_a; i++)
		json_uint(json, NULL, pair->a[i]);
	json_close(json);
	if (pair->has_b)
		json_uint(json, compare->log ? "b_cpu" : "b_thread", pair->b);
	else
		json_null(json, compare->log ? "b_cpu" : "b_thread");
	json_bool(json, "identical", compared_is_same(compared, pair));
	json_bool(json, "left_out", compared->left_out);
	put_result(json, &compared->result);
	ret = put_hunks(json, compare, index, err);
	json_close(json);
	return ret;
}

/*
 * Pairs of files that are not of the same build, which are therefore compared by symbol
 * and offset instead of by file offset.
 */
static void put_others(struct json *json, const struct compare *compare)
{
	const char *a, *b;
	uint32_t at = 0;

	json_array(json, "by_symbol");
	while (!compare->log && diff_modules_next_other(compare->modules, &at, &a, &b)) {
		json_object(json, NULL);
		json_string(json, "a", a);
		json_string(json, "b", b);
		json_close(json);
	}
	json_close(json);
}

int compare_print_json(const struct compare *compare, struct wm_error *err)
{
	struct json json;
	int ret = 0;

	json_init(&json, stdout, true);
	json_object(&json, NULL);
	json_string(&json, "a", compare->a.scope.file);
	json_string(&json, "b", compare->log ? compare->log_file : compare->b.scope.file);
	json_bool(&json, "identical", compare_is_same(compare));
	put_others(&json, compare);
	json_array(&json, "threads");
	for (unsigned i = 0; !ret && i < compare->pairs.n; i++)
		ret = put_pair(&json, compare, i, err);
	json_close(&json);
	json_close(&json);
	return ret;
}
