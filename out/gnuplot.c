// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes scripts for gnuplot. Strings are in single quotes, in which gnuplot gives no
 * character a meaning except the quote, which is doubled. Labels are formats of numbers
 * as well, so % is doubled too: "50% of f" is written '50%% of f'.
 *
 * gnuplot gives labels all the room that they take, and the bars what is left. So labels
 * are shortened to LABEL_COLUMNS and the figure is wider the longer they are.
 */
#include "out/gnuplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "out/shorten.h"

enum { LABEL_COLUMNS = 56, TITLE_COLUMNS = 60 };

static const struct terminal {
	const char *suffix, *terminal;
	double scale; /* units of the terminal in one unit of the callers' sizes */
	const char *unit;
} terminals[] = {
	{ ".svg", "svg enhanced font 'Helvetica,11' background rgb 'white'", 1, "" },
	{ ".png", "pngcairo enhanced font 'Helvetica,16.5' background rgb 'white'", 2,
	  "" },
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

/*
 * Writes one character and returns its bytes. Characters that XML does not allow (SVG is
 * XML) become "?": control characters of one byte and of two (U+0080 to U+009F), U+FFFE
 * and U+FFFF, and bytes that are not UTF-8.
 */
static unsigned put_character(FILE *out, const char *text)
{
	unsigned length = utf8_length(text);
	bool control = (length == 1 && ((unsigned char)*text < ' ' || *text == 0x7f)) ||
		       (length == 2 && !memcmp(text, "\xc2", 1) &&
			(unsigned char)text[1] < 0xa0);
	bool none = length == 3 && !memcmp(text, "\xef\xbf", 2) &&
		    (unsigned char)text[2] >= 0xbe;

	if (!length || control || none)
		putc('?', out);
	else
		fwrite(text, 1, length, out);
	return length ? length : 1;
}

/* Writes a quoted string in which the characters of `twice` are doubled. */
static void put_string(FILE *out, const char *text, const char *twice)
{
	putc('\'', out);
	while (*text) {
		if (strchr(twice, *text))
			putc(*text, out);
		text += put_character(out, text);
	}
	putc('\'', out);
}

void gnuplot_string(FILE *out, const char *text)
{
	put_string(out, text, "'");
}

void gnuplot_label(FILE *out, const char *text)
{
	put_string(out, text, "'%");
}

/* ---- names --------------------------------------------------------------- */

/*
 * The number of earlier bars with the same label. Two functions of the same name are "f"
 * and "f (2)", because equal labels could not be distinguished.
 */
static unsigned rank_of(char *const *labels, size_t index)
{
	unsigned rank = 0;

	for (size_t i = 0; i < index; i++)
		rank += labels[i] && labels[index] && !strcmp(labels[i], labels[index]);
	return rank;
}

/* Writes a label and its position, from 1. Labels are formats: % is special. */
static void put_label(FILE *out, char *const *labels, size_t index)
{
	unsigned rank = rank_of(labels, index);
	char *text = NULL;

	if (rank && asprintf(&text, "%s (%u)", labels[index], rank + 1) < 0)
		text = NULL;
	put_string(out, text ? text : labels[index] ? labels[index] : "?", "'%");
	fprintf(out, " %zu", index + 1);
	free(text);
}

/*
 * Shortens the labels into labels[n] and returns the columns of the longest, with room
 * for a rank below 100. A label without memory becomes "?".
 */
static size_t shorten_labels(char **labels, const struct gnuplot_bar *bars, size_t n)
{
	size_t longest = 0;

	for (size_t i = 0; i < n; i++) {
		size_t columns;

		labels[i] = shorten(bars[i].label, LABEL_COLUMNS);
		columns = labels[i] ? utf8_columns(labels[i]) : 1;
		if (rank_of(labels, i))
			columns += strlen(" (100)");
		if (columns > longest)
			longest = columns;
	}
	return longest;
}

void gnuplot_title(FILE *out, const char *title)
{
	char *text = shorten(title, TITLE_COLUMNS);

	fputs("set title ", out);
	gnuplot_string(out, text ? text : "");
	fputs(" noenhanced\n", out);
	free(text);
}

/* ---- figures ------------------------------------------------------------- */

/* Sizes are given in points and scaled to what the terminal counts in. */
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

/* ---- images over instructions --------------------------------------------- */

double gnuplot_tic(double length, unsigned tics, double least)
{
	double tic = least;

	while (10 * tic < length / tics)
		tic *= 10;
	if (2 * tic >= length / tics)
		return tic >= length / tics ? tic : 2 * tic;
	return 5 * tic >= length / tics ? 5 * tic : 10 * tic;
}

struct gnuplot_insns gnuplot_insns(uint64_t from, uint64_t end)
{
	/* Far into a run a label of a short part has many digits: "19.500002". */
	enum { TICS = 7 };
	static const struct {
		uint64_t least, unit;
		const char *label;
	} units[] = {
		{ 10000000000, 1000000000, "billion instructions" },
		{ 1000000, 1000000, "million instructions" },
		{ 10000, 1000, "thousand instructions" },
		{ 0, 1, "instructions" },
	};
	size_t i = 0;
	double unit;

	while (end < units[i].least)
		i++;
	unit = (double)units[i].unit;
	return (struct gnuplot_insns){
		.unit = unit,
		.from = (double)from / unit,
		.end = (double)end / unit,
		.tic = gnuplot_tic((double)(end - from), TICS, 1) / unit,
		.label = units[i].label,
	};
}

/* With %g instructions of the same hundred would be the same number, and the range empty. */
void gnuplot_insns_range(FILE *out, const struct gnuplot_insns *axis)
{
	fprintf(out, "set xrange [%.15g:%.15g]\nset xtics %.15g\n", axis->from, axis->end,
		axis->tic);
}

/* gnuplot draws no image of one row or one column: it gets empty ones, outside the ranges. */
static size_t two_at_least(size_t n)
{
	return n < 2 ? 2 : n;
}

/* Returns the greatest logarithm. */
static double put_matrix(FILE *out, const struct gnuplot_cells *cells)
{
	size_t rows = two_at_least(cells->rows), columns = two_at_least(cells->columns);
	double greatest = 0;

	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < columns; j++) {
			bool there = i < cells->rows && j < cells->columns;
			uint64_t count = there ? cells->count(cells->of, i, j) : 0;
			const char *end = j + 1 == columns ? "\n" : " ";

			if (count)
				fprintf(out, "%.3f%s", log10((double)count), end);
			else
				fprintf(out, "-1%s", end);
			if (count && log10((double)count) > greatest)
				greatest = log10((double)count);
		}
	return greatest;
}

/*
 * Half a cell is added, because gnuplot draws a cell around its point. The palest colour is
 * that of 1. The darkest is that of 10 at least, because gnuplot warns of an empty range.
 */
void gnuplot_image(FILE *out, const char *name, const struct gnuplot_cells *cells,
		   const struct gnuplot_insns *axis, double column)
{
	double greatest;

	fprintf(out, "%s << END\n", name);
	greatest = put_matrix(out, cells);
	fprintf(out,
		"END\nset cbrange [0:%.3f]\n"
		"plot %s matrix using (%.15g+($1+0.5)*%.15g):2:($3<0?NaN:$3) with image\n",
		greatest > 1 ? greatest : 1, name, axis->from, column);
}

/* ---- bars ----------------------------------------------------------------- */

void gnuplot_bars(FILE *out, const char *path, const char *title,
		  const struct gnuplot_bar *bars, size_t n)
{
	/*
	 * Widths and heights in points: the area of the bars, one column of a label at
	 * this font size, one bar, and everything above and below the bars.
	 */
	enum { BARS = 380, COLUMN = 7, BAR = 18, AROUND = 90 };
	char **labels = calloc(n, sizeof(*labels));
	size_t longest = labels ? shorten_labels(labels, bars, n) : 0;

	unsigned left = (unsigned)(COLUMN * (longest + 2));

	gnuplot_begin(out, path, left + BARS, (unsigned)(AROUND + BAR * n));
	gnuplot_title(out, title);
	fputs("set xlabel 'instructions, %'\nset style fill solid 1\n"
	      "set grid xtics linecolor rgb '#dddddd'\nset border 3\nunset key\n"
	      "set tics nomirror\nset ytics scale 0 noenhanced\nset xrange [0:*]\n",
	      out);
	/*
	 * The left margin is the part of the width that was reserved for labels. The y
	 * axis is reversed, so that the first bar is on top.
	 */
	fprintf(out, "set lmargin at screen %.4f\nset yrange [%zu.5:0.5]\nset ytics (",
		(double)left / (left + BARS), n);
	for (size_t i = 0; i < n && labels; i++) {
		fputs(i ? ", " : "", out);
		put_label(out, labels, i);
	}
	fputs(")\n$bars << END\n", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%zu %.6f\n", i + 1, bars[i].share * 100);
	fputs("END\nplot $bars using ($2/2):1:($2/2):(0.36) with boxxyerror linestyle 1\n",
	      out);
	for (size_t i = 0; i < n && labels; i++)
		free(labels[i]);
	free(labels);
}
