/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Predicts whether conditional branches are taken. Each branch is predicted and then
 * trained with its outcome at once, in the order of execution.
 */
#ifndef ANALYSIS_BPRED_DIRECTION_H
#define ANALYSIS_BPRED_DIRECTION_H

#include <stdbool.h>

#include "analysis/bpred/spec.h"

struct direction;

/* NULL: no memory. direction_free() takes NULL. */
struct direction *direction_new(const struct bpred_direction *spec);
void direction_free(struct direction *direction);

/*
 * Predicts the branch at `pc`, its address without the low bits that are the same in all
 * instructions of the guest, and learns from the outcome. Returns the prediction.
 */
bool direction_next(struct direction *direction, uint64_t pc, bool taken);

#endif
