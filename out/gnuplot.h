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
