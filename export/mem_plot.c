// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two panels over one axis of instructions: the access map above, the working set below. The
 * data is in the script, as in export/phases_plot.c.
 *
 * Only memory that was accessed has rows, so the axis of addresses has holes: a line is
 * drawn between regions, and the label of each tells where it begins. Examples:
 * "lua5.4 0x4000000000", "stack 0x40007fe000" and "0x4000900000".
 */
#include "export/mem_plot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "out/gnuplot.h"
#include "out/shorten.h"

/* Columns of a label, and labels that fit beside the map. */
enum { LABEL_COLUMNS = 10, LABELS = 16, LINE_BYTES = 64 };

static uint64_t accesses_of(const void *of, size_t row, size_t column)
{
	const struct mem_map *map = of;

	return map->rows[row].loads[column] + map->rows[row].stores[column];
}

/*
 * Where each column begins, in units of the axis, and what it touched, in KiB; and where the
 * last one ends, or nothing would be drawn of it.
 */
static void put_workset(FILE *out, const struct mem_picture *picture, double unit)
{
	const struct workset *workset = picture->workset;
	const struct mem_map *map = picture->map;
	uint64_t lines = 0;
	size_t row = 0;

	fputs("$set << END\n", out);
	for (size_t i = 0; i <= map->columns; i++) {
		uint64_t from = map->from + i * map->width;

		/* Columns without an access have no row. */
		if (row < workset->n && workset->rows[row].from == from)
			lines = workset->rows[row++].lines;
		else if (i < map->columns)
			lines = 0;
		fprintf(out, "%.15g %.9g\n", (double)from / unit,
			(double)lines * LINE_BYTES / 1024);
	}
	fputs("END\n", out);
}

/* The most KiB that a column touched. */
static double most_touched(const struct workset *workset)
{
	double most = 0;

	for (size_t i = 0; i < workset->n; i++)
		if ((double)workset->rows[i].lines > most)
			most = (double)workset->rows[i].lines;
	return most * LINE_BYTES / 1024.0;
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
	const struct mem_map *map = picture->map;
	const struct gnuplot_cells cells = { map->n, map->columns, accesses_of, map };
	struct gnuplot_insns axis =
		gnuplot_insns(map->from, map->from + map->columns * map->width);

	put_workset(out, picture, axis.unit);
	/* A label has 29 letters at most, of 6 points: a name and 64 bits of address. */
	gnuplot_begin(out, path, 700, 480);
	fputs("set multiplot\nset lmargin at screen 0.29\nset rmargin at screen 0.95\n"
	      "unset key\nunset colorbox\nset border 3\nset tics nomirror out\n"
	      "set palette defined (0 '#c9d8ea', 1 '#3465a4', 2 '#1d2f4a')\n",
	      out);
	gnuplot_title(out, title);
	put_regions(out, picture);
	gnuplot_insns_range(out, &axis);
	fprintf(out,
		"set tmargin at screen 0.93\nset bmargin at screen 0.34\n"
		"set yrange [-0.5:%zu.5]\nset format x ''\n",
		map->n - 1);
	gnuplot_image(out, "$map", &cells, &axis, (double)map->width / axis.unit);
	fprintf(out,
		"unset title\nunset arrow\nset tmargin at screen 0.29\n"
		"set bmargin at screen 0.12\nset yrange [0:*]\nset format x '%%.12g'\n"
		"set ytics 0,%g\nset ylabel 'KiB touched' offset -2\n"
		"set xlabel '%s'\n"
		"plot $set using 1:2 with steps linestyle 1\nunset multiplot\n",
		gnuplot_tic(most_touched(picture->workset), 4, 1), axis.label);
}
