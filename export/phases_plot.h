/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The phases of a thread as a figure. */
#ifndef EXPORT_PHASES_PLOT_H
#define EXPORT_PHASES_PLOT_H

#include <stdio.h>

#include "analysis/phases/phases.h"

/*
 * A script for gnuplot that draws into file `path`: above, which of the hottest blocks ran
 * when; below, which phase each interval is of.
 */
void phases_plot(FILE *out, const char *path, const char *title,
		 const struct phases *phases);

#endif
