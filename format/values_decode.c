// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Retraces what values_encode.c did: the same model goes through the same blocks, and says
 * what each word should be; the strings say where that is wrong.
 *
 * Nothing in the strings is trusted. Invariant: no more words come out than VALS claims,
 * and no block has more entries than the model allows, so time and memory are bounded by
 * the chunk's sizes. What is malformed sets `failed`, and is reported once for each block.
 */
#include "format/values_decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "format/values_model.h"
#include "format/values_strings.h"

/* After the last entry of a string. */
#define NEVER UINT64_MAX
/* No run of a chunk is longer. NEVER, counted down by all words that there can be, is. */
#define RUN_MAX VALUES_WORDS_MAX

struct pattern {
	uint32_t first, count; /* of `firings` */
};

struct values_decoder {
	struct values_model model; /* first: see VALUE_WORD */
	struct values_strings strings;
	/* That are left. Of them model.now.run are as predicted; above RUN_MAX: all. */
	uint64_t words;
	bool failed, nomem;

	uint64_t position, next_change, next_short; /* NEVER: no more */
	struct pattern *patterns;
	uint32_t pattern_count;
	struct value_firing *firings;
	uint32_t firing_count;

	/* Of the current block: */
	uint64_t accesses; /* of its program that are still to come; the next is not */
	struct wm_access_list *out;
};

struct values_decoder *values_decoder_new(void)
{
	return calloc(1, sizeof(struct values_decoder));
}

void values_decoder_free(struct values_decoder *decoder)
{
	if (!decoder)
		return;
	values_model_fini(&decoder->model);
	free(decoder->patterns);
	free(decoder->firings);
	free(decoder);
}

size_t values_decoder_memory(const struct values_decoder *decoder)
{
	return sizeof(*decoder) + values_model_memory(&decoder->model) +
	       decoder->pattern_count * sizeof(*decoder->patterns) +
	       decoder->firing_count * sizeof(*decoder->firings);
}

/* ---- strings ------------------------------------------------------------- */

static struct span *string(struct values_decoder *decoder, enum values_string number)
{
	return &decoder->strings.of[number];
}

static uint64_t get(struct values_decoder *decoder, enum values_string number)
{
	/* A span that has failed gives zeros, so callers may go on. */
	uint64_t value = span_varint(string(decoder, number));

	decoder->failed |= string(decoder, number)->failed;
	return value;
}

/* The next run of words that are as predicted. */
static void next_run(struct values_decoder *decoder)
{
	uint64_t *run = &decoder->model.now.run;

	*run = NEVER;
	/* After the last run all words are as predicted. */
	if (!span_left(string(decoder, VALUES_RUNS)))
		return;
	*run = get(decoder, VALUES_RUNS);
	decoder->failed |= *run > RUN_MAX;
}

/* The position of the next change or short, after one at decoder->position. */
static uint64_t next_position(struct values_decoder *decoder, enum values_string number,
			      uint64_t from)
{
	uint64_t step;

	if (!span_left(string(decoder, number)))
		return NEVER;
	step = get(decoder, number);
	/* Larger steps than any chunk has could overflow the sum. */
	decoder->failed |= step > UINT32_MAX;
	return from + step;
}

static bool get_firing(struct values_decoder *decoder, uint64_t *insn)
{
	uint64_t step = get(decoder, VALUES_PATTERNS), what;
	struct value_firing firing;

	/* Checked before it is added: the sum cannot overflow. */
	decoder->failed |= step >= BLOCK_INSNS_MAX;
	*insn += step;
	firing.insn = (uint16_t)*insn;
	firing.kind = span_u8(string(decoder, VALUES_PATTERNS));
	firing.size = span_u8(string(decoder, VALUES_PATTERNS));
	what = get(decoder, VALUES_PATTERNS);
	firing.what = (uint32_t)what;
	if (decoder->failed || *insn >= BLOCK_INSNS_MAX || what > UINT32_MAX ||
	    !value_firing_sound(&firing)) {
		decoder->failed = true;
		return false;
	}
	decoder->nomem |= !APPEND(decoder->firings, decoder->firing_count, firing);
	return !decoder->nomem;
}

static bool get_pattern(struct values_decoder *decoder)
{
	/* The firings of all patterns are in one array. */
	struct pattern pattern = { .first = decoder->firing_count };
	uint64_t n = get(decoder, VALUES_PATTERNS), insn = 0;

	/* Each firing has four bytes at least. */
	decoder->failed |= n > span_left(string(decoder, VALUES_PATTERNS)) / 4;
	for (uint64_t i = 0; i < n && !decoder->failed; i++)
		if (!get_firing(decoder, &insn))
			return false;
	pattern.count = decoder->firing_count - pattern.first;
	decoder->nomem |= !APPEND(decoder->patterns, decoder->pattern_count, pattern);
	return !decoder->failed && !decoder->nomem;
}

static void get_patterns(struct values_decoder *decoder)
{
	decoder->firing_count = decoder->pattern_count = 0;
	/* Pattern 0 is empty, and that of every block at first. */
	decoder->nomem = !APPEND(decoder->patterns, decoder->pattern_count,
				 ((struct pattern){ 0, 0 }));
	while (!decoder->nomem && span_left(string(decoder, VALUES_PATTERNS)))
		if (!get_pattern(decoder))
			break;
}

static int result(const struct values_decoder *decoder, struct wm_error *err)
{
	if (decoder->nomem)
		return wm_fail_nomem(err, "a chunk's values");
	if (decoder->failed)
		return wm_fail(err, WM_E_DAMAGED, 0, "a chunk's values are malformed");
	return 0;
}

int values_decoder_begin(struct values_decoder *decoder,
			 const struct value_programs *programs, struct span payload,
			 struct buf *raw, struct wm_error *err)
{
	int ret = values_get(payload, raw, &decoder->strings, err);

	if (ret)
		return ret;
	/* Bounds the time that a small file can cost. */
	decoder->failed = decoder->strings.words > VALUES_WORDS_MAX;
	decoder->words = decoder->strings.words;
	decoder->position = 0;
	get_patterns(decoder);
	/* Each chunk begins with a new model, as in the encoder. */
	values_model_begin(&decoder->model, programs);
	decoder->nomem |= !values_model_know(&decoder->model);
	next_run(decoder);
	decoder->next_change = next_position(decoder, VALUES_CHANGES, 0);
	decoder->next_short = next_position(decoder, VALUES_SHORTS, 0);
	return result(decoder, err);
}

/* Whether the chunk ended where its strings do: nothing may be left. */
bool values_decoder_done(const struct values_decoder *decoder)
{
	if (decoder->failed || decoder->words)
		return false;
	for (unsigned i = 0; i < VALUES_STRINGS; i++)
		if (span_left(&decoder->strings.of[i]))
			return false;
	return decoder->model.now.run > RUN_MAX && decoder->next_change == NEVER &&
	       decoder->next_short == NEVER;
}

/* ---- words and accesses -------------------------------------------------- */

static __attribute__((noinline)) uint64_t decode_miss(struct values_decoder *decoder,
						      uint64_t from)
{
	from += (uint64_t)unzigzag(get(decoder, VALUES_MISSES));
	next_run(decoder);
	return from;
}

/* The next word, which VALS has. */
VALUES_INLINE uint64_t decode_counted(struct values_model *model, struct values_now *now,
				      uint64_t guess, uint64_t from)
{
	if (__builtin_expect(!now->run, 0)) {
		/* The model is its first member. */
		guess = decode_miss((struct values_decoder *)model, from);
		now->run = model->now.run;
		return guess;
	}
	now->run--;
	return guess;
}

VALUES_INLINE uint64_t decode_word(struct values_model *model, struct values_now *now,
				   uint64_t guess, uint64_t from)
{
	struct values_decoder *decoder = (struct values_decoder *)model;

	/* More words are used than VALS has. */
	if (!decoder->words) {
		decoder->failed = true;
		return 0;
	}
	decoder->words--;
	return decode_counted(model, now, guess, from);
}

VALUES_INLINE bool has_room(const struct wm_access_list *out, size_t n)
{
	/* There is an array in any case: no pointer is made from NULL. */
	return out->all && out->room - out->n >= n;
}

/* Whether there is room for n more accesses, or can be made. */
static bool reserve(struct values_decoder *decoder, size_t n)
{
	struct wm_access_list *out = decoder->out;
	size_t room = out->room + out->room / 2 + n + 64;
	struct wm_access *all;

	if (has_room(out, n))
		return true;
	all = reallocarray(out->all, room, sizeof(*all));
	if (!all) {
		decoder->nomem = true;
		return false;
	}
	out->all = all;
	out->room = room;
	return true;
}

static void append_access(struct values_decoder *decoder, const struct value_access *got,
			  unsigned kind, unsigned insn, unsigned bytes, bool has_data,
			  uint32_t what)
{
	struct wm_access *access;

	if (!reserve(decoder, 1))
		return;
	access = &decoder->out->all[decoder->out->n++];
	*access = (struct wm_access){
		.address = got->address,
		.block = decoder->out->block,
		.insn = insn,
		.size = (uint8_t)bytes,
		.kind = (uint8_t)kind,
		.has_data = has_data,
		.place = (uint16_t)(what >> VALUE_PLACE_SHIFT),
	};
	/* Without data the bytes stay 0. */
	if (has_data)
		memcpy(access->data, got->data, sizeof(access->data));
}

/* Whether the current block has entries for the next `words` words. */
static bool room(struct values_decoder *decoder, unsigned words)
{
	struct values_model *model = &decoder->model;

	if (model->now.next + words <= model->place->room ||
	    values_model_room(model, model->now.next + words))
		return true;
	/* Without memory, or with more entries than any chunk has. */
	decoder->nomem = true;
	return false;
}

static void take_step(struct values_decoder *decoder, const struct value_step *step)
{
	struct value_access access = { 0 };

	if (!room(decoder, value_step_words(step, decoder->model.data)))
		return;
	values_access(&decoder->model, &decoder->model.now, decode_word, step, &access);
	append_access(decoder, &access,
		      step->kind == OP_STORE ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
		      step->insn, 1u << step->size, decoder->model.data, 0);
}

/* The steps before a firing, or all: as far as they happened. */
static void take_steps(struct values_decoder *decoder, const struct value_firing *firing)
{
	struct values_model *model = &decoder->model;

	while (model->step < model->steps_end && !decoder->failed && !decoder->nomem) {
		if (firing && !value_step_before(model->step, firing))
			return;
		if (value_step_accesses(model->step)) {
			/* A short block: the rest of its program did not happen. */
			if (!decoder->accesses)
				return;
			decoder->accesses--;
			take_step(decoder, model->step++);
		} else {
			values_step(model, &model->now, model->step++);
		}
	}
}

static void take_firing(struct values_decoder *decoder, const struct value_firing *firing)
{
	static const uint8_t kinds[VALUE_KINDS] = {
		[VALUE_LOAD] = WM_ACCESS_LOAD,
		[VALUE_STORE] = WM_ACCESS_STORE,
		[VALUE_REGISTER] = WM_ACCESS_REGISTER,
		[VALUE_WRITTEN] = WM_ACCESS_WRITTEN,
		[VALUE_MEMORY] = WM_ACCESS_MEMORY,
		[VALUE_RETURNED] = WM_ACCESS_RETURNED,
	};
	bool is_register = value_is_register(firing->kind);
	bool data = decoder->model.data || firing->kind > VALUE_STORE;
	struct value_access access = { 0 };

	if (!room(decoder, value_firing_words(firing, decoder->model.data)))
		return;
	values_fire(&decoder->model, &decoder->model.now, decode_word, firing, &access);
	append_access(decoder, &access, kinds[firing->kind], firing->insn,
		      is_register ? 8u << firing->size : 1u << firing->size, data,
		      firing->kind > VALUE_STORE ? firing->what : 0);
}

/* ---- blocks -------------------------------------------------------------- */

/* Carries out the current block's program, for all of which there is room at *to. */
VALUES_INLINE void carry_out(struct values_model *model, struct values_now *now,
			     const struct value_program *program, struct wm_access *to,
			     uint32_t block)
{
	const struct value_step *step = model->programs->steps + program->first;

	for (const struct value_step *end = step + program->count; step < end; step++) {
		struct value_access got = { 0 };

		if (!value_step_accesses(step)) {
			values_step(model, now, step);
			continue;
		}
		values_access(model, now, decode_counted, step, &got);
		*to++ = (struct wm_access){
			.address = got.address,
			.data = { got.data[0], got.data[1] },
			.block = block,
			.insn = step->insn,
			.size = (uint8_t)(1u << step->size),
			.kind = step->kind == OP_STORE ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
			.has_data = model->data,
		};
	}
}

/* What the strings say of the block at decoder->position. */
static void get_exceptions(struct values_decoder *decoder,
			   const struct value_program *program)
{
	uint64_t number;

	decoder->accesses = program->accesses;
	if (decoder->next_change == decoder->position) {
		number = get(decoder, VALUES_CHANGES);
		/* The number indexes patterns[]. */
		decoder->failed |= number >= decoder->pattern_count;
		decoder->model.place->pattern = decoder->failed ? 0 : (uint32_t)number;
		decoder->next_change =
			next_position(decoder, VALUES_CHANGES, decoder->position);
		/* A step of 0 would be a second change at one position. */
		decoder->failed |= decoder->next_change == decoder->position;
	}
	if (decoder->next_short == decoder->position) {
		decoder->accesses = get(decoder, VALUES_SHORTS);
		/* A block is short when it has fewer accesses than its program. */
		decoder->failed |= decoder->accesses >= program->accesses;
		decoder->next_short =
			next_position(decoder, VALUES_SHORTS, decoder->position);
		decoder->failed |= decoder->next_short == decoder->position;
	}
}

int values_decoder_block(struct values_decoder *decoder, uint32_t id,
			 struct wm_access_list *out, struct wm_error *err)
{
	const struct value_programs *programs = decoder->model.programs;
	const struct value_program *program;
	struct pattern pattern;

	/* Ids are those of a chunk's path, but there may be no SITE of them. */
	if (!id || id > programs->known || decoder->failed)
		return wm_fail(err, WM_E_DAMAGED, 0, "a chunk's values are malformed");
	program = &programs->of[id];
	decoder->out = out;
	values_enter(&decoder->model, id);
	get_exceptions(decoder, program);
	decoder->position++;
	/* At once: else a block's entries would move with each of its steps. */
	if (decoder->accesses == program->accesses && decoder->words >= program->words)
		room(decoder, program->words);
	pattern = decoder->patterns[decoder->model.place->pattern];
	for (uint32_t i = 0; i < pattern.count && !decoder->failed && !decoder->nomem;
	     i++) {
		const struct value_firing *firing = &decoder->firings[pattern.first + i];

		/* Any block can use a pattern, so the index is checked for each. */
		decoder->failed |= firing->insn >= program->insns;
		take_steps(decoder, firing);
		take_firing(decoder, firing);
	}
	/* What comes after the last firing. */
	take_steps(decoder, NULL);
	return result(decoder, err);
}

/* How many of `n` blocks come before the next one that the strings say something of. */
static uint32_t before_exceptions(const struct values_decoder *decoder, uint32_t n)
{
	uint64_t next = decoder->next_change < decoder->next_short ?
				decoder->next_change :
				decoder->next_short;

	if (decoder->failed || next < decoder->position)
		return 0;
	return next - decoder->position < n ? (uint32_t)(next - decoder->position) : n;
}

/*
 * Whether the next execution of a block fires nothing, and has its entries and words: then
 * nothing that it does can fail.
 */
VALUES_INLINE bool is_plain(const struct values_decoder *decoder,
			    const struct value_program *program,
			    const struct value_place *place)
{
	/* A block without steps teaches the model nothing, and needs no place. */
	if (place->epoch != decoder->model.epoch)
		return !program->count;
	return !place->pattern && place->room >= program->words &&
	       decoder->words >= program->words;
}

/* Nearly all blocks: what else values_decoder_block() looks at is looked at once, for all. */
int values_decoder_plain(struct values_decoder *decoder, const uint32_t *ids, uint32_t *n,
			 struct wm_access_list *out, struct wm_error *err)
{
	struct values_model *model = &decoder->model;
	const struct value_programs *programs = model->programs;
	struct values_now now = model->now;
	/* Without patterns nothing fires: a byte says of most blocks that they do nothing. */
	bool fires = decoder->pattern_count > 1;
	uint32_t i = 0, end = before_exceptions(decoder, *n);

	decoder->out = out;
	for (; i < end && ids[i] && ids[i] <= programs->known; i++) {
		const struct value_program *program = &programs->of[ids[i]];
		struct value_place *place = &model->places[ids[i]];

		if (!fires && !programs->busy[ids[i]])
			continue;
		if (!is_plain(decoder, program, place))
			break;
		if (!program->count)
			continue;
		if (!has_room(out, program->accesses) &&
		    !reserve(decoder, program->accesses))
			break;
		model->id = ids[i];
		now.entries = model->entries + place->first;
		now.next = 0;
		carry_out(model, &now, program, out->all + out->n, out->block + i);
		decoder->words -= program->words;
		out->n += program->accesses;
	}
	model->now = now;
	decoder->position += i;
	*n = i;
	return result(decoder, err);
}

const struct value_firing *values_decoder_firings(const struct values_decoder *decoder,
						  uint32_t *n)
{
	const struct pattern *pattern = &decoder->patterns[decoder->model.place->pattern];

	*n = pattern->count;
	return *n ? decoder->firings + pattern->first : NULL;
}
