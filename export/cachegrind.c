// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cachegrind's output file, as the manual of Valgrind describes it ("Cachegrind's file
 * format"): counts of events for each line of source in each function.
 *
 *	desc: D1 cache:         32768 B, 64 B, 8-way associative
 *	cmd: ./prog
 *	events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
 *	fl=/home/me/prog.c
 *	fn=main
 *	12 600 1 1 200 25 3 100 0 0
 *	summary: 600 1 1 200 25 3 100 0 0
 *
 * Of the last level there are events if there is one below the first, and of the level
 * between if there are three: I2mr, D2mr and D2mw, which cachegrind does not have. Readers
 * take the names of events from the file.
 *
 * Code without a line is line 0 of the file "???".
 */
#include "export/cachegrind.h"

#include <inttypes.h>
#include <stdlib.h>

#include "export/cache_format.h"

static void put_events(FILE *out, const struct cache_depths *depths)
{
	static const char *const kinds[CACHE_KINDS] = { "Ir", "Dr", "Dw" };

	fputs("events:", out);
	for (unsigned kind = 0; kind < CACHE_KINDS; kind++) {
		fprintf(out, " %s", kinds[kind]);
		for (unsigned i = 0; i < depths->n; i++)
			fprintf(out, " %c%cm%c", kinds[kind][0], depths->names[i],
				kinds[kind][1]);
	}
	putc('\n', out);
}

static void put_tally(FILE *out, const struct cache_depths *depths,
		      const struct cache_tally *tally)
{
	for (unsigned kind = 0; kind < CACHE_KINDS; kind++) {
		fprintf(out, " %" PRIu64, tally->accesses[kind]);
		for (unsigned i = 0; i < depths->n; i++)
			fprintf(out, " %" PRIu64, tally->misses[depths->all[i]][kind]);
	}
	putc('\n', out);
}

/* A name must not end its line. */
static void put_name(FILE *out, const char *key, const char *name)
{
	fputs(key, out);
	for (; *name; name++)
		putc(*name == '\n' ? '?' : *name, out);
	putc('\n', out);
}

static void put_head(FILE *out, const struct counted *counted,
		     const struct cache_spec *spec, const struct cache_depths *depths)
{
	static const char *const names[CACHE_PLACES] = { "I1", "D1", "L2", "LL" };
	const char *command = wm_trace_meta(counted->trace, "command");

	for (unsigned i = 0; i < CACHE_PLACES; i++) {
		const struct cache_level *level = &spec->levels[i];

		if (level->bytes)
			fprintf(out,
				"desc: %s cache:         %" PRIu64 " B, %" PRIu32
				" B, %" PRIu32 "-way associative\n",
				names[i], level->bytes, level->line, level->ways);
	}
	put_name(out, "cmd: ", command ? command : "(unknown)");
	put_events(out, depths);
}

/* Lines come by function and source, so a name is written when it changes. */
static void put_line(FILE *out, const struct counted *counted,
		     const struct cache_depths *depths, const struct cache_line *line,
		     const struct cache_line *last)
{
	uint32_t source = line->line.source;

	if (!last || last->function != line->function || last->line.source != source) {
		put_name(out,
			 "fl=", source ? srclines_path(counted->lines, source) : "???");
		put_name(out,
			 "fn=", functions_get(counted->functions, line->function)->name);
	}
	fprintf(out, "%" PRIu32, source ? line->line.number : 0);
	put_tally(out, depths, &line->tally);
}

int cachegrind_write(FILE *out, const struct counted *counted,
		     const struct cache_profile *profile, const struct cache_spec *spec,
		     struct wm_error *err)
{
	struct cache_depths depths = cache_depths_of(spec);
	struct cache_tally all = { .accesses = { 0 } };
	struct cache_line *lines;
	size_t n;
	int ret = cache_lines(&lines, &n, counted, profile, err);

	if (ret)
		return ret;
	put_head(out, counted, spec, &depths);
	for (size_t i = 0; i < n; i++) {
		put_line(out, counted, &depths, &lines[i], i ? &lines[i - 1] : NULL);
		cache_tally_add(&all, &lines[i].tally);
	}
	fputs("summary:", out);
	put_tally(out, &depths, &all);
	free(lines);
	return 0;
}
