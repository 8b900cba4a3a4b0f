/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by group and kind, while a mix is made. */
#ifndef ANALYSIS_MIX_TALLY_H
#define ANALYSIS_MIX_TALLY_H

#include "analysis/mix/mix.h"
#include "trace/u64map.h"

/* The kind under which each instruction is added exactly once. */
#define TALLY_ALL 0

struct tally {
	struct mix_row *rows; /* [n] each group and kind once, in no order */
	size_t n, room;
	struct u64map places; /* of a group and kind: its row + 1 */
	bool failed;	      /* no memory: later additions are lost */
};

/* An empty one; check `failed` when all is added. */
void tally_init(struct tally *tally);
void tally_fini(struct tally *tally);
void tally_add(struct tally *tally, const struct mix_row *row);

#endif
