// SPDX-License-Identifier: GPL-2.0-or-later
/* Strings are in single quotes, in which gnuplot takes nothing but a quote for special. */
#include "out/gnuplot.h"

#include <string.h>

static const struct terminal {
	const char *suffix, *terminal;
	double scale; /* units of the terminal in a point */
	const char *unit;
} terminals[] = {
	{ ".svg", "svg enhanced font 'Helvetica,11' background rgb 'white'", 1, "" },
	{ ".png", "pngcairo enhanced font 'Helvetica,22' background rgb 'white'", 2, "" },
	{ ".pdf", "pdfcairo enhanced font 'Helvetica,11'", 1.0 / 72, "in" },
};

static const struct terminal *terminal_of(const char *path)
{
	const char *suffix = strrchr(path, '.');

	for (size_t i = 0; suffix && i < sizeof(terminals) / sizeof(*terminals); i++)
		if (!strcmp(suffix, terminals[i].suffix))
			return &terminals[i];
	return NULL;
}

bool gnuplot_knows(const char *path)
{
	return terminal_of(path);
}

void gnuplot_string(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			putc('\'', out);
		putc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, out);
	}
	putc('\'', out);
}

void gnuplot_begin(FILE *out, const char *path, unsigned width, unsigned height)
{
	const struct terminal *terminal = terminal_of(path);

	fprintf(out, "set terminal %s size %g%s,%g%s\n", terminal->terminal,
		width * terminal->scale, terminal->unit, height * terminal->scale,
		terminal->unit);
	fputs("set output ", out);
	gnuplot_string(out, path);
	fputs("\nset encoding utf8\nset style line 1 linecolor rgb '#3465a4'\n"
	      "set border linecolor rgb '#555555'\n",
	      out);
}

void gnuplot_bars(FILE *out, const char *path, const char *title,
		  const struct gnuplot_bar *bars, size_t n)
{
	enum { WIDTH = 560, BAR = 18, AROUND = 90 };

	gnuplot_begin(out, path, WIDTH, (unsigned)(AROUND + BAR * n));
	fputs("set title ", out);
	gnuplot_string(out, title);
	fputs(" noenhanced\nset xlabel 'instructions, %'\nset style fill solid 1\n"
	      "set grid xtics linecolor rgb '#dddddd'\nset border 3\nunset key\n"
	      "set tics nomirror\nset ytics scale 0 noenhanced\nset xrange [0:*]\n",
	      out);
	fprintf(out, "set yrange [%zu.5:0.5]\nset ytics (", n);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ", " : "", out);
		gnuplot_string(out, bars[i].label);
		fprintf(out, " %zu", i + 1);
	}
	fputs(")\n$bars << END\n", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%zu %.6f\n", i + 1, bars[i].share * 100);
	fputs("END\nplot $bars using ($2/2):1:($2/2):(0.36) with boxxyerror linestyle 1\n",
	      out);
}
