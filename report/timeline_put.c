// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the timeline: bins of the functions that are drawn, and a strip for each function
 * that has a series.
 *
 * Example: a thread of 3 bins and two functions is two arrays of 3 numbers, and a third one of
 * what ran besides them.
 */
#include "report/timeline.h"

/* "bins": for each series, and last for the rest, an array over all bins. */
static void put_lane(const struct report_timeline *line, struct json *json,
		     const struct lane *lane)
{
	json_object(json, NULL);
	json_uint(json, "thread", lane->stream);
	json_uint(json, "from", lane->from);
	json_uint(json, "width", lane->width);
	json_array(json, "bins");
	for (unsigned j = 0; j < line->n_series && j < DRAWN; j++) {
		json_array(json, NULL);
		for (uint32_t i = 0; i < lane->n_bins; i++)
			json_uint(json, NULL, lane->bins[i].series[j]);
		json_close(json);
	}
	/* The rest are functions that are not drawn, and those without a series. */
	json_array(json, NULL);
	for (uint32_t i = 0; i < lane->n_bins; i++) {
		uint64_t rest = 0;

		for (unsigned j = DRAWN; j <= SERIES; j++)
			rest += lane->bins[i].series[j];
		json_uint(json, NULL, rest);
	}
	json_close(json);
	json_close(json);
	json_close(json);
}

/*
 * When a function ran: a string with a point for each part of the thread, which is its
 * share of the instructions of that part. A part is a whole number of bins, n_bins / n on
 * average.
 */
static void put_strip(struct json *json, const struct lane *lane, unsigned series)
{
	uint32_t n = lane->n_bins < STRIP ? lane->n_bins : STRIP;
	char text[STRIP + 1];

	for (uint32_t i = 0; i < n; i++) {
		uint64_t own = 0, all = 0;

		for (uint64_t j = (uint64_t)i * lane->n_bins / n;
		     j < (uint64_t)(i + 1) * lane->n_bins / n; j++)
			for (unsigned k = 0; k <= SERIES; k++) {
				all += lane->bins[j].series[k];
				own += k == series ? lane->bins[j].series[k] : 0;
			}
		text[i] = report_shade(all ? (double)own / (double)all : 0);
	}
	text[n] = '\0';
	json_string(json, NULL, text);
}

/* "strips": of the busiest thread, for each function that has a series. */
void timeline_put_strips(const struct report_timeline *line)
{
	struct json *json = &line->report->json;
	uint64_t insns;
	unsigned busiest = report_busiest(line->report, &insns);

	json_object(json, "strips");
	for (unsigned i = 0; i < line->n_lanes; i++) {
		const struct lane *lane = &line->lanes[i];

		if (lane->stream != busiest)
			continue;
		json_uint(json, "thread", lane->stream);
		json_uint(json, "from", lane->from);
		json_uint(json, "to", lane->from + insns);
		json_array(json, "names");
		for (unsigned j = 0; j < line->n_series; j++)
			json_uint(json, NULL, line->names[j]);
		json_close(json);
		json_array(json, "shades");
		for (unsigned j = 0; j < line->n_series; j++)
			put_strip(json, lane, j);
		json_close(json);
	}
	json_close(json);
}

void timeline_put(const struct report_timeline *line)
{
	struct json *json = &line->report->json;

	json_object(json, "timeline");
	json_uint(json, "threads_in_all", line->threads);
	json_array(json, "functions");
	for (unsigned i = 0; i < line->n_series && i < DRAWN; i++)
		json_uint(json, NULL, line->names[i]);
	json_close(json);
	json_array(json, "threads");
	for (unsigned i = 0; i < line->n_lanes; i++)
		put_lane(line, json, &line->lanes[i]);
	json_close(json);
	json_close(json);
}
