// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a chunk's first blocks left in the model of its values cannot be cut off: all of
 * them are decoded, and those that stay are encoded by a fresh model. For that the words
 * are made again that the block had in its lane:
 *
 *	program		load in the lane	load 8 behind it	firing of instruction 5
 *	decoded		1000: a			1008: b			7000: c
 *	words		1000 a			b			7000 c
 *
 * Addresses that are in no word follow from earlier ones of the same block, so they are
 * right whichever block is the first one.
 */
#include "collect/trim_values.h"

#include <stdlib.h>

#include "base/append.h"

void trim_values_fini(struct trim_values *values)
{
	values_decoder_free(values->decoder);
	buf_fini(&values->payload);
	buf_fini(&values->raw);
	free(values->list.all);
	free(values->words);
	free(values->firings);
}

int trim_values_begin(struct trim_values *values, struct wm_error *err)
{
	if (!values->decoder)
		values->decoder = values_decoder_new();
	if (!values->decoder)
		return wm_fail_nomem(err, "a chunk's values");
	return values_decoder_begin(values->decoder, values->programs,
				    span_of(values->payload.data, values->payload.len),
				    &values->raw, err);
}

/* *plain: the block did what its program says, and fired nothing, as most do. */
static int decode(struct trim_values *values, uint32_t id, bool *plain,
		  struct wm_error *err)
{
	uint32_t n = 1;
	int ret;

	values->list.n = 0;
	ret = values_decoder_plain(values->decoder, &id, &n, &values->list, err);
	*plain = n;
	return ret || n ? ret :
			  values_decoder_block(values->decoder, id, &values->list, err);
}

int trim_values_drop(struct trim_values *values, uint32_t id, struct wm_error *err)
{
	bool plain;

	return decode(values, id, &plain, err);
}

/* ---- words ------------------------------------------------------------------------------ */

static bool put_word(struct trim_values *values, uint64_t word)
{
	return APPEND(values->words, values->word_count, word);
}

static bool put_access(struct trim_values *values, const struct wm_access *access,
		       bool with_address, unsigned data_words)
{
	bool good = !with_address || put_word(values, access->address);

	for (unsigned i = 0; i < data_words; i++)
		good = good && put_word(values, access->data[i]);
	return good;
}

static bool put_step(struct trim_values *values, const struct value_step *step,
		     const struct wm_access *access)
{
	unsigned words = value_step_words(step, values->programs->wanted & VALUES_DATA);

	return put_access(values, access, step->in_lane, words - step->in_lane);
}

static bool put_firing(struct trim_values *values, const struct value_firing *firing,
		       const struct wm_access *access)
{
	unsigned words =
		value_firing_words(firing, values->programs->wanted & VALUES_DATA);
	bool with_address = !value_is_register(firing->kind);

	return put_access(values, access, with_address, words - with_address);
}

/* The block's words, `accesses` of its program's steps having been done. */
static bool put_words(struct trim_values *values, uint32_t id,
		      const struct value_firing *firings, uint32_t n, uint32_t accesses)
{
	const struct value_program *program = &values->programs->of[id];
	const struct value_step *step = values->programs->steps + program->first;
	const struct value_step *end = step + program->count;
	const struct wm_access *access = values->list.all;
	bool good = true;

	values->word_count = 0;
	for (uint32_t i = 0; i <= n; i++) {
		const struct value_firing *firing = i < n ? &firings[i] : NULL;

		for (; good && step < end && accesses; step++) {
			if (firing && !value_step_before(step, firing))
				break;
			if (!value_step_accesses(step))
				continue;
			good = put_step(values, step, access++);
			accesses--;
		}
		if (good && firing)
			good = put_firing(values, firing, access++);
	}
	return good;
}

/* ---- encoding --------------------------------------------------------------------------- */

/* In the order in which collect/values.c does it. */
static enum values_result encode(struct trim_values *values, uint32_t id,
				 uint32_t accesses, struct values_encoder *to)
{
	struct value_words words = {
		.ring = values->words,
		.mask = UINT64_MAX,
		.end = values->word_count,
	};
	enum values_result result = values_encoder_begin(to, id);

	for (uint32_t i = 0; !result && i < values->n_firings; i++)
		result = values_encoder_fire(to, &values->firings[i], &words);
	return result ? result : values_encoder_end(to, accesses, &words);
}

/* The block, which fired those, from its first instruction on, up to before `end`. */
static enum values_result keep_front(struct trim_values *values, uint32_t id,
				     const struct value_firing *firings, uint32_t n,
				     uint32_t end, struct values_encoder *to)
{
	uint32_t accesses = 0;

	values->n_firings = 0;
	for (uint32_t i = 0; i < n && firings[i].insn < end; i++)
		if (!APPEND(values->firings, values->n_firings, firings[i]))
			return VALUES_NOMEM;
	while (accesses < values->list.n && values->list.all[accesses].insn < end)
		accesses++;
	accesses -= values->n_firings;
	if (!put_words(values, id, values->firings, values->n_firings, accesses))
		return VALUES_NOMEM;
	return encode(values, id, accesses, to);
}

/* A block that begins later than its program: all that it accesses is firings. */
static enum values_result keep_back(struct trim_values *values,
				    const struct trim_values_part *part,
				    struct values_encoder *to)
{
	bool data = values->programs->wanted & VALUES_DATA;

	values->n_firings = 0;
	values->word_count = 0;
	for (size_t i = 0; i < values->list.n; i++) {
		const struct wm_access *access = &values->list.all[i];
		bool is_register = value_is_register(access->kind);
		struct value_firing firing = {
			.kind = access->kind,
			.insn = (uint16_t)(access->insn - part->begin),
			.what = (uint32_t)access->place << VALUE_PLACE_SHIFT,
		};

		if (access->insn < part->begin || access->insn >= part->end)
			continue;
		/* Of a register the size is its words less one; else it is a logarithm. */
		firing.size = is_register ? access->size > 8 :
					    (uint8_t)__builtin_ctz(access->size);
		if (is_register)
			firing.what |= (uint32_t)access->address;
		if (!APPEND(values->firings, values->n_firings, firing) ||
		    !put_access(values, access, !is_register,
				value_firing_words(&firing, data) - !is_register))
			return VALUES_NOMEM;
	}
	return encode(values, part->as, 0, to);
}

int trim_values_keep(struct trim_values *values, uint32_t id,
		     const struct trim_values_part *part, struct values_encoder *to,
		     struct wm_error *err)
{
	const struct value_firing *firings = NULL;
	enum values_result result;
	uint32_t n = 0;
	bool plain;
	int ret = decode(values, id, &plain, err);

	if (ret)
		return ret;
	if (!plain)
		firings = values_decoder_firings(values->decoder, &n);
	result = part->begin ? keep_back(values, part, to) :
			       keep_front(values, id, firings, n, part->end, to);
	if (result == VALUES_NOMEM)
		return wm_fail_nomem(err, "a chunk's values");
	return result ? wm_fail(err, WM_E_DAMAGED, 0, "the file changed") : 0;
}
