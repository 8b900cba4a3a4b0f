// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two panels over one axis of instructions: the scatter of the hottest blocks above, the
 * phases of the intervals below. The data is in the script, as here-documents, so that a
 * script can be kept, changed and drawn elsewhere without the trace.
 */
#include "export/phases_format.h"

#include "out/gnuplot.h"

/* A row for each block, hottest first; see struct gnuplot_cells. */
static uint64_t insns_of(const void *of, size_t row, size_t column)
{
	const struct phases_scatter *scatter = of;

	return scatter->hot[row].columns[column];
}

/* Each interval's phase, and its colour; phases beyond the last share the first ones'. */
static void put_labels(FILE *out, const struct phases *phases)
{
	static const unsigned colours[] = { 0x4477aa, 0xee6677, 0x228833, 0xccbb44,
					    0x66ccee, 0xaa3377, 0xbbbbbb, 0x222255,
					    0xee7733, 0x009988 };
	enum { COLOURS = sizeof(colours) / sizeof(*colours) };

	fputs("$phases << END\n", out);
	for (size_t i = 0; i < phases->n; i++) {
		uint32_t label = phases->simpoints.clusters.labels[i];

		fprintf(out, "%zu %u %u\n", i, label, colours[label % COLOURS]);
	}
	fputs("END\n", out);
}

void phases_plot(FILE *out, const char *path, const char *title,
		 const struct phases *phases)
{
	const struct phases_scatter *scatter = &phases->scatter;
	const struct gnuplot_cells cells = { scatter->n_hot, scatter->columns, insns_of,
					     scatter };
	struct gnuplot_insns axis =
		gnuplot_insns(phases->from, phases->from + phases->insns);
	double interval = (double)phases->interval / axis.unit;

	put_labels(out, phases);
	gnuplot_begin(out, path, 640, 400);
	fputs("set multiplot\nset lmargin at screen 0.12\nset rmargin at screen 0.95\n"
	      "unset key\nunset colorbox\nset border 3\nset tics nomirror out\n"
	      "set palette defined (0 '#c9d8ea', 1 '#3465a4', 2 '#1d2f4a')\n",
	      out);
	gnuplot_title(out, title);
	gnuplot_insns_range(out, &axis);
	fprintf(out,
		"set tmargin at screen 0.91\nset bmargin at screen 0.32\n"
		"set yrange [-0.5:%zu.5]\nset ytics %g\n"
		"set ylabel 'block, by instructions'\nset format x ''\n",
		scatter->n_hot ? scatter->n_hot - 1 : 0,
		gnuplot_tic((double)scatter->n_hot, 6, 1));
	gnuplot_image(out, "$blocks", &cells, &axis,
		      phases_column_width(scatter) / axis.unit);
	fprintf(out,
		"unset title\nset tmargin at screen 0.27\nset bmargin at screen 0.14\n"
		"set yrange [-0.5:0.5]\nset format x '%%.12g'\nset ylabel 'phase'\n"
		"unset ytics\nset xlabel '%s'\n"
		"plot $phases using (%.15g+($1+0.5)*%.15g):(0):(%.15g):(0.5):3 with "
		"boxxyerror fillstyle solid 1 noborder fillcolor rgb variable\n"
		"unset multiplot\n",
		axis.label, axis.from, interval, interval / 2);
}
