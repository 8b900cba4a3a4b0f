/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Phases for other programs. */
#ifndef EXPORT_PHASES_FORMAT_H
#define EXPORT_PHASES_FORMAT_H

#include <stdio.h>

#include "analysis/phases/estimate.h"
#include "analysis/phases/phases.h"
#include "export/format.h"
#include "program/functions.h"

struct phases_picture {
	const struct wm_trace *trace;
	struct functions *functions;
	unsigned stream; /* index */
	const struct phases *phases;
	const struct estimate *estimate;
};

/* One of the two functions; the caller checks the stream for errors. */
struct phases_format {
	struct format format; /* first: formats[] knows it by this */
	/*
	 * For each interval while phases are being found: nothing else has all its
	 * blocks.
	 */
	void (*vector)(FILE *out, const struct bbv *bbv);
	void (*write)(FILE *out, const struct phases_picture *picture);
};

extern const struct phases_format phases_bb, phases_json, phases_simpoints,
	phases_weights;

/*
 * A script for gnuplot that draws into file `path`: above, which of the hottest blocks
 * ran when; below, which phase each interval is of.
 */
void phases_plot(FILE *out, const char *path, const char *title,
		 const struct phases *phases);

#endif
