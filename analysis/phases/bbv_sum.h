/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adding up basic-block vectors. */
#ifndef ANALYSIS_PHASES_BBV_SUM_H
#define ANALYSIS_PHASES_BBV_SUM_H

#include <stdbool.h>

#include "analysis/phases/bbv.h"

struct bbv_sum {
	uint64_t *insns; /* [known + 1] by id */
	uint64_t *bits;	 /* [known / 64 + 1] which are not 0 */
	uint32_t known;
	uint32_t *out_ids; /* [known] what bbv_sum_take() gave last */
	uint64_t *out_insns;
};

#define BBV_SUM_INIT ((struct bbv_sum){ .known = 0 })

/* Of blocks 1 to `known`. False: no memory, and nothing to fini. */
bool bbv_sum_init(struct bbv_sum *sum, uint32_t known);
void bbv_sum_fini(struct bbv_sum *sum);

void bbv_sum_add(struct bbv_sum *sum, const struct bbv *bbv);
/* What was added; the sum is empty again. Valid until the next take. */
struct bbv bbv_sum_take(struct bbv_sum *sum);

#endif
