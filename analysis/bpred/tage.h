/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A predictor of directions with tagged tables of growing history (TAGE). */
#ifndef ANALYSIS_BPRED_TAGE_H
#define ANALYSIS_BPRED_TAGE_H

#include <stdbool.h>

#include "analysis/bpred/spec.h"

struct tage;

/* NULL: no memory. tage_free() takes NULL. */
struct tage *tage_new(const struct bpred_direction *spec);
void tage_free(struct tage *tage);
/* As direction_next(). */
bool tage_next(struct tage *tage, uint64_t pc, bool taken);

#endif
