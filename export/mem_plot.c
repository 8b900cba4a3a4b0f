// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two panels over one axis of instructions: the access map above, the working set below. The
 * data is in the script, as in export/phases_plot.c. Cells of the map are logarithms of
 * accesses, and -1 where there were none, which gnuplot leaves white.
 *
 * Only memory that was accessed has rows, so the axis of addresses has holes: a line is
 * drawn between regions, and the label of each tells where it begins. Examples:
 * "lua5.4 0x4000000000", "stack 0x40007fe000" and "0x4000900000".
 */
#include "export/mem_plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/gnuplot.h"
#include "out/shorten.h"

/* Columns of a label, and labels that fit beside the map. */
enum { LABEL_COLUMNS = 10, LABELS = 16, LINE_BYTES = 64 };

static void put_map(FILE *out, const struct mem_map *map)
{
	fputs("$map << END\n", out);
	for (size_t i = 0; i < map->n; i++)
		for (size_t j = 0; j < map->columns; j++) {
			uint64_t accesses =
				map->rows[i].loads[j] + map->rows[i].stores[j];
			const char *end = j + 1 == map->columns ? "\n" : " ";

			if (accesses)
				fprintf(out, "%.2f%s", log10((double)accesses), end);
			else
				fprintf(out, "-1%s", end);
		}
	fputs("END\n", out);
}

/* Where each column begins, in million instructions, and what it touched, in KiB. */
static void put_workset(FILE *out, const struct mem_picture *picture)
{
	const struct workset *workset = picture->workset;
	const struct mem_map *map = picture->map;
	size_t row = 0;

	fputs("$set << END\n", out);
	for (size_t i = 0; i < map->columns; i++) {
		uint64_t from = map->from + i * map->width, lines = 0;

		/* Columns without an access have no row. */
		if (row < workset->n && workset->rows[row].from == from)
			lines = workset->rows[row++].lines;
		fprintf(out, "%.9g %.9g\n", (double)from / 1e6,
			(double)lines * LINE_BYTES / 1024);
	}
	fputs("END\n", out);
}

/*
 * The distance of tics for KiB touched, of which there are four at most: more do not fit the
 * lower half. 1, 2 or 5 times a power of ten.
 */
static double tic_of(const struct workset *workset)
{
	double most = 0, tic = 1;

	for (size_t i = 0; i < workset->n; i++)
		if ((double)workset->rows[i].lines > most)
			most = (double)workset->rows[i].lines;
	most *= LINE_BYTES / 1024.0;
	while (10 * tic < most / 4)
		tic *= 10;
	if (2 * tic >= most / 4)
		return tic >= most / 4 ? tic : 2 * tic;
	return 5 * tic >= most / 4 ? 5 * tic : 10 * tic;
}

static void put_label(FILE *out, const struct mem_map_region *region)
{
	const char *slash = region->module ? strrchr(region->module, '/') : NULL;
	const char *name = slash ? slash + 1 : region->module;
	char *shortened = name ? shorten(name, LABEL_COLUMNS) : NULL;
	char text[128];

	snprintf(text, sizeof(text), "%s%s0x%" PRIx64,
		 shortened	  ? shortened :
		 region->is_stack ? "stack" :
				    "",
		 shortened || region->is_stack ? " " : "", region->start);
	gnuplot_label(out, text);
	free(shortened);
}

/* Whether a region has room for a label in its middle, above the label before. */
static bool has_room(const struct mem_map *map, const struct mem_map_region *region,
		     size_t labelled)
{
	size_t middle = (region->first + region->end) / 2;

	return (region->end - region->first) * LABELS >= map->n &&
	       (!labelled || (middle - labelled) * LABELS >= map->n);
}

/* Labels of the regions that have room for one, and a line before each but the first. */
static void put_regions(FILE *out, const struct mem_picture *picture)
{
	const struct mem_map *map = picture->map;
	struct mem_map_region region = { .end = 0 };
	size_t labelled = 0;

	fputs("set ytics (", out);
	while (region.end < map->n) {
		mem_map_region(map, picture->objects, picture->space, region.end,
			       &region);
		if (!has_room(map, &region, labelled))
			continue;
		fputs(labelled ? ", " : "", out);
		put_label(out, &region);
		labelled = (region.first + region.end) / 2;
		fprintf(out, " %zu", labelled);
		labelled += !labelled;
	}
	fputs(")\n", out);
	for (region.end = 0; region.end < map->n;) {
		mem_map_region(map, picture->objects, picture->space, region.end,
			       &region);
		if (region.first)
			fprintf(out,
				"set arrow from graph 0,first %zu-0.5 to graph 1,first "
				"%zu-0.5 nohead linecolor rgb '#bbbbbb' linewidth 0.5\n",
				region.first, region.first);
	}
}

void mem_plot(FILE *out, const char *path, const char *title,
	      const struct mem_picture *picture)
{
	/* All in million instructions. */
	const struct mem_map *map = picture->map;
	double column = (double)map->width / 1e6, from = (double)map->from / 1e6;
	double end = from + column * (double)map->columns;

	put_map(out, map);
	put_workset(out, picture);
	/* A label has 29 letters at most, of 6 points: a name and 64 bits of address. */
	gnuplot_begin(out, path, 700, 480);
	fputs("set multiplot\nset lmargin at screen 0.29\nset rmargin at screen 0.97\n"
	      "unset key\nunset colorbox\nset border 3\nset tics nomirror out\n"
	      "set palette defined (0 '#c9d8ea', 1 '#3465a4', 2 '#1d2f4a')\n",
	      out);
	gnuplot_title(out, title);
	put_regions(out, picture);
	/* Half a cell is added: gnuplot draws a cell around its point. */
	fprintf(out,
		"set tmargin at screen 0.93\nset bmargin at screen 0.34\n"
		"set xrange [%g:%g]\nset yrange [-0.5:%zu.5]\nset format x ''\n"
		"plot $map matrix using (%.9g+($1+0.5)*%.9g):2:($3<0?NaN:$3) with image\n",
		from, end, map->n - 1, from, column);
	fprintf(out,
		"unset title\nunset arrow\nset tmargin at screen 0.29\n"
		"set bmargin at screen 0.12\nset yrange [0:*]\nset format x '%%g'\n"
		"set ytics 0,%g\nset ylabel 'KiB touched' offset -2\n"
		"set xlabel 'million instructions'\n"
		"plot $set using 1:2 with steps linestyle 1\nunset multiplot\n",
		tic_of(picture->workset));
}
