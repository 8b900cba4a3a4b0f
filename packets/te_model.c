// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The predictor is a table of two bits for each place: what is expected, and what happened
 * last. What is expected changes when it fails twice. A place is chosen by the lowest bits of
 * an address without bit 0, as that of a target in the cache is; there is nothing that tells
 * two addresses of one place apart, and nothing has to: encoder and decoder confuse the same.
 *
 * Example: a branch begins at 01, so it is expected not to be taken. Taken once: 11.
 * Not taken: 10, still expected. Not taken: 00.
 */
#include "packets/te_model.h"

#include <string.h>

enum { EXPECTED = 2, LAST = 1 };

void te_model_init(struct te_model *model, const struct te_options *options)
{
	model->options = *options;
	model->returns.most =
		options->implicit_return ? 1u << options->return_stack_size : 0;
	te_model_sync(model);
}

void te_model_sync(struct te_model *model)
{
	model->returns.n = 0;
	memset(model->predictor, LAST, sizeof(model->predictor));
	memset(model->targets, 0, sizeof(model->targets));
}

static uint8_t place(uint64_t address, unsigned size)
{
	return (uint8_t)(address >> 1 & ((1u << size) - 1));
}

bool te_model_foretells(const struct te_model *model, uint64_t address)
{
	return model->predictor[place(address, model->options.bpred_size)] & EXPECTED;
}

void te_model_branch(struct te_model *model, uint64_t address, bool taken)
{
	uint8_t *entry = &model->predictor[place(address, model->options.bpred_size)];
	bool expected = *entry & EXPECTED, last = *entry & LAST;

	if (expected != last)
		expected = taken;
	*entry = (uint8_t)(expected * EXPECTED + taken * LAST);
}

uint8_t te_model_index(const struct te_model *model, uint64_t address)
{
	return place(address, model->options.cache_size);
}

void te_model_target(struct te_model *model, uint64_t address)
{
	model->targets[te_model_index(model, address)] = address;
}
