// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All that is known of the phases of a thread as one JSON object. Its size is bounded but
 * for one label for each interval: the matrix of distances has its intervals grouped to a
 * fixed number of rows, and of these only the lower triangle is written; the scatter of
 * the hottest blocks has only the columns in which a block ran, as [column,
 * instructions].
 */
#include "export/phases_format.h"

#include <inttypes.h>

#include "out/json.h"

/*
 * Significant digits. Distances are shares of blocks, for which 4 are enough; 20
 * characters hold "0x" and 64 bits.
 */
enum { DIGITS = 6, DISTANCE_DIGITS = 4, HEX = 20 };

/* null without memory, and without a function. */
static void put_function(struct json *json, const struct phases_picture *picture,
			 uint32_t space, uint32_t id)
{
	const struct function *function =
		phases_function(picture->trace, picture->functions, space, id);

	json_string(json, "function", function ? function->name : NULL);
}

static void put_points(struct json *json, const struct phases_picture *picture)
{
	const struct phases *phases = picture->phases;

	json_array(json, "phases");
	for (unsigned c = 0; c < phases->simpoints.clusters.k; c++) {
		const struct simpoint *point = &phases->simpoints.points[c];

		json_object(json, NULL);
		json_uint(json, "phase", c);
		/*
		 * "simpoint" is the number of the interval, "from" the ordinal of its
		 * first instruction, as --from takes it.
		 */
		json_uint(json, "simpoint", point->interval);
		json_uint(json, "from",
			  phases->from + point->interval * phases->interval);
		json_uint(json, "intervals", point->size);
		/* DIGITS significant digits suffice: weights are estimates. */
		json_real(json, "weight", point->weight, DIGITS);
		put_function(json, picture, picture->estimate->hottest[c].space,
			     picture->estimate->hottest[c].id);
		json_close(json);
	}
	json_close(json);
}

/*
 * "bic" has the criterion for each number of clusters that was tried, from 1 on. "labels"
 * has the phase of each interval.
 */
static void put_labels(struct json *json, const struct phases *phases)
{
	json_array(json, "bic");
	for (unsigned k = 0; k < phases->simpoints.tried; k++)
		json_real(json, NULL, phases->simpoints.bic[k], 2);
	json_close(json);
	json_array(json, "labels");
	for (size_t i = 0; i < phases->n; i++)
		json_uint(json, NULL, phases->simpoints.clusters.labels[i]);
	json_close(json);
}

/* Row i has the distances to rows 0 to i-1: the matrix is symmetric. */
static void put_similar(struct json *json, const struct phases_similar *similar)
{
	json_object(json, "similarity");
	/* Intervals that each row stands for; the last row may have fewer. */
	json_uint(json, "group", similar->group);
	json_uint(json, "rows", similar->rows);
	json_array(json, "distances");
	for (size_t i = 0; i < similar->rows; i++) {
		json_array(json, NULL);
		for (size_t j = 0; j < i; j++)
			json_real(json, NULL,
				  (double)similar->distances[i * similar->rows + j],
				  DISTANCE_DIGITS);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

/*
 * One block of the scatter. Columns in which it did not run are left out: most blocks run
 * in few phases.
 */
static void put_hot(struct json *json, const struct phases_picture *picture,
		    const struct phases_hot *hot)
{
	char address[HEX];
	struct wm_block block;

	if (wm_trace_block(picture->trace, hot->id, &block))
		return;
	/* A string, because a reader may take numbers for doubles. */
	snprintf(address, sizeof(address), "0x%" PRIx64, block.address);
	json_object(json, NULL);
	json_uint(json, "id", hot->id);
	json_string(json, "address", address);
	put_function(json, picture, hot->space, hot->id);
	json_uint(json, "insns", hot->insns);
	json_array(json, "columns");
	for (size_t i = 0; i < picture->phases->scatter.columns; i++)
		if (hot->columns[i]) {
			json_array(json, NULL);
			json_uint(json, NULL, i);
			json_uint(json, NULL, hot->columns[i]);
			json_close(json);
		}
	json_close(json);
	json_close(json);
}

static void put_scatter(struct json *json, const struct phases_picture *picture)
{
	const struct phases_scatter *scatter = &picture->phases->scatter;

	json_object(json, "scatter");
	json_uint(json, "columns", scatter->columns);
	json_uint(json, "column_insns", scatter->column_insns);
	json_array(json, "begins");
	for (size_t i = 0; i < scatter->columns; i++)
		json_uint(json, NULL, scatter->begins[i]);
	json_close(json);
	json_array(json, "blocks");
	for (size_t i = 0; i < scatter->n_hot; i++)
		put_hot(json, picture, &scatter->hot[i]);
	json_close(json);
	json_close(json);
}

/*
 * The errors are shares from 0 to 1. "class" is a mnemonic on guests other than RISC-V.
 */
static void put_estimate(struct json *json, const struct estimate *estimate)
{
	json_object(json, "estimate");
	json_real(json, "blocks_error", estimate->blocks_error, DIGITS);
	json_real(json, "mix_error", estimate->mix_error, DIGITS);
	json_array(json, "mix");
	for (size_t i = 0; i < estimate->n_mix; i++) {
		json_object(json, NULL);
		json_string(json, "class", estimate->mix[i].name);
		json_real(json, "whole", estimate->mix[i].whole, DIGITS);
		json_real(json, "estimate", estimate->mix[i].estimated, DIGITS);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void write_json(FILE *out, const struct phases_picture *picture)
{
	const struct phases *phases = picture->phases;
	struct json json;

	/* One object on one line. */
	json_init(&json, out, false);
	json_object(&json, NULL);
	json_uint(&json, "thread", picture->stream);
	json_uint(&json, "insns", phases->insns);
	json_uint(&json, "from", phases->from);
	json_uint(&json, "interval", phases->interval);
	json_uint(&json, "intervals", phases->n);
	put_points(&json, picture);
	put_labels(&json, phases);
	put_estimate(&json, picture->estimate);
	put_similar(&json, &phases->similar);
	put_scatter(&json, picture);
	json_close(&json);
}

const struct phases_format phases_json = {
	.format = { "json", FORMAT_PHASES, "json", "an object with all there is" },
	.write = write_json,
};
