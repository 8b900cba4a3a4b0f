/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scripts for gnuplot 5, for figures in papers: white ground, one colour, no more ink than
 * the data needs. They draw when gnuplot reads them; data is inside.
 */
#ifndef OUT_GNUPLOT_H
#define OUT_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Whether figures of that file's suffix can be drawn: .svg, .png, .pdf. */
bool gnuplot_knows(const char *path);

/* Begins a figure, of a size in points, that goes to file `path`. */
void gnuplot_begin(FILE *out, const char *path, unsigned width, unsigned height);
/* Writes `text` as a string; control characters and bytes that are not UTF-8 become "?". */
void gnuplot_string(FILE *out, const char *text);

/* The same as a label of an axis, where gnuplot would give % a meaning. */
void gnuplot_label(FILE *out, const char *text);

/* The figure's title, shortened to its width. */
void gnuplot_title(FILE *out, const char *title);

/*
 * A horizontal axis of instructions. Its unit is one, a thousand, a million or a billion
 * instructions, so that short parts have no 1e-05 on it.
 */
struct gnuplot_insns {
	double unit;	       /* instructions */
	double from, end, tic; /* in units */
	const char *label;
};
/* The axis of [from, end); `end` is above `from`. */
struct gnuplot_insns gnuplot_insns(uint64_t from, uint64_t end);
/* Sets the range and the tics of the axis; the label and the format are the caller's. */
void gnuplot_insns_range(FILE *out, const struct gnuplot_insns *axis);
/*
 * The distance of tics on an axis of that length, of which there are `tics` at most: 1, 2 or
 * 5 times a power of ten, and at least `least`, which is a power of ten.
 */
double gnuplot_tic(double length, unsigned tics, double least);

/* Counts to be drawn as an image: rows from the bottom up, columns from left to right. */
struct gnuplot_cells {
	size_t rows, columns;
	uint64_t (*count)(const void *of, size_t row, size_t column);
	const void *of;
};
/*
 * Draws them, columns of `column` units of the axis. The data is the matrix `name`: logarithms,
 * and -1 for 0, which is white.
 */
void gnuplot_image(FILE *out, const char *name, const struct gnuplot_cells *cells,
		   const struct gnuplot_insns *axis, double column);

struct gnuplot_bar {
	const char *label;
	double share; /* 0 to 1 */
};
/*
 * Bars from the top down, in percent; n is 1 at least. The whole figure. Labels are
 * shortened (out/shorten.h); of those that are then the same, the second is numbered (2).
 */
void gnuplot_bars(FILE *out, const char *path, const char *title,
		  const struct gnuplot_bar *bars, size_t n);

#endif
