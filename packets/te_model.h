/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an encoder of E-Trace and its decoder keep alike: addresses that returns are expected
 * to go to, a predictor of branches, and a cache of targets of jumps. All of it is forgotten
 * at a synchronisation.
 */
#ifndef PACKETS_TE_MODEL_H
#define PACKETS_TE_MODEL_H

#include "packets/returns.h"
#include "packets/te_inst.h"

enum { TE_MODEL_ENTRIES = 128 }; /* sizes have 3 bits: at most 2^7 */

struct te_model {
	struct te_options options;
	struct packet_returns returns;
	uint8_t predictor[TE_MODEL_ENTRIES]; /* 2 bits each */
	uint64_t targets[TE_MODEL_ENTRIES];  /* 0: none */
};

void te_model_init(struct te_model *model, const struct te_options *options);
void te_model_sync(struct te_model *model);

/* Whether the branch at an address is expected to be taken. */
bool te_model_foretells(const struct te_model *model, uint64_t address);
/* It was taken, or not. */
void te_model_branch(struct te_model *model, uint64_t address, bool taken);

/* Where in the cache an address has its place. */
uint8_t te_model_index(const struct te_model *model, uint64_t address);
/* Control jumped there. */
void te_model_target(struct te_model *model, uint64_t address);

#endif
