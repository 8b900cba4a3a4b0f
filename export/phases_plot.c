// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two panels over one axis of instructions: the scatter of the hottest blocks above, the
 * phases of the intervals below. The data is in the script, as here-documents, so that a
 * script can be kept, changed and drawn elsewhere without the trace. Cells of the scatter
 * are logarithms, and -1 where the block did not run, which gnuplot leaves white.
 */
#include "export/phases_format.h"

#include <math.h>

#include "out/gnuplot.h"

/*
 * A line for each block, hottest first: the logarithm of its part in each column, or -1.
 */
static void put_scatter(FILE *out, const struct phases_scatter *scatter)
{
	fputs("$blocks << END\n", out);
	for (size_t i = 0; i < scatter->n_hot; i++)
		for (size_t j = 0; j < scatter->columns; j++) {
			uint64_t insns = scatter->hot[i].columns[j];
			const char *end = j + 1 == scatter->columns ? "\n" : " ";

			if (insns)
				fprintf(out, "%.3f%s", log10((double)insns), end);
			else
				fprintf(out, "-1%s", end);
		}
	fputs("END\n", out);
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
	/* All in million instructions. */
	const struct phases_scatter *scatter = &phases->scatter;
	double column = phases_column_width(scatter) / 1e6;
	double from = (double)phases->from / 1e6;
	double end = from + (double)phases->insns / 1e6;
	double interval = (double)phases->interval / 1e6;

	put_scatter(out, scatter);
	put_labels(out, phases);
	gnuplot_begin(out, path, 640, 400);
	fputs("set multiplot\nset lmargin at screen 0.12\nset rmargin at screen 0.97\n"
	      "unset key\nunset colorbox\nset border 3\nset tics nomirror out\n"
	      "set palette defined (0 '#c9d8ea', 1 '#3465a4', 2 '#1d2f4a')\n",
	      out);
	gnuplot_title(out, title);
	/*
	 * Half a cell is added to coordinates, because gnuplot draws a cell around its
	 * point.
	 */
	fprintf(out,
		"set tmargin at screen 0.91\nset bmargin at screen 0.32\n"
		"set xrange [%g:%g]\nset yrange [-0.5:%zu.5]\n"
		"set ylabel 'block, by instructions'\nset format x ''\n"
		"plot $blocks matrix using (%.9g+($1+0.5)*%.9g):2:($3<0?NaN:$3) "
		"with image\n",
		from, end, scatter->n_hot ? scatter->n_hot - 1 : 0, from, column);
	fprintf(out,
		"unset title\nset tmargin at screen 0.27\nset bmargin at screen 0.14\n"
		"set yrange [-0.5:0.5]\nset format x '%%g'\nset ylabel 'phase'\n"
		"unset ytics\nset xlabel 'million instructions'\n"
		"plot $phases using (%.9g+($1+0.5)*%.9g):(0):(%.9g):(0.5):3 with "
		"boxxyerror fillstyle solid 1 noborder fillcolor rgb variable\n"
		"unset multiplot\n",
		from, interval, interval / 2);
}
