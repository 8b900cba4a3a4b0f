/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Phases for other programs. */
#ifndef EXPORT_PHASES_FORMAT_H
#define EXPORT_PHASES_FORMAT_H

#include <stdio.h>

#include "analysis/phases/estimate.h"
#include "analysis/phases/phases.h"
#include "program/functions.h"

/* A line of SimPoint's frequency vectors (.bb): "T:1:120 :7:44". */
void simpoint_put_vector(FILE *out, const struct bbv *bbv);
/* Its .simpoints, lines "interval cluster", and .weights, lines "weight cluster". */
void simpoint_put_points(FILE *out, const struct simpoints *simpoints);
void simpoint_put_weights(FILE *out, const struct simpoints *simpoints);

struct phases_picture {
	const struct wm_trace *trace;
	struct functions *functions;
	unsigned stream; /* index */
	const struct phases *phases;
	const struct estimate *estimate;
};

/* The function that runs block `id`. NULL: no memory. */
const struct function *phases_function(const struct phases_picture *picture, uint32_t id);

/* Everything as one JSON object. */
void phases_put_json(FILE *out, const struct phases_picture *picture);

#endif
