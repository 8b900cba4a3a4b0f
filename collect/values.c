// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ids and words are two rings, walked together:
 *
 *	ids	[7]      [9]   [firing of 9: instruction 4] [7] ...
 *	words	[a0] [a1]      [a2: of instruction 2] [f] [a3]  ...
 *
 * At 9, block 7 is over: two words. At the firing, everything that 9 does before its
 * instruction 4 is done: a2 is kept aside, and the firing's own word f. At the next 7,
 * block 9 is over: a3 was its last one.
 *
 * Invariant: a block is in its stream's chunk before its words are in the encoder of the
 * chunk's values, and they are there before the chunk ends. Only the pending block has
 * none; a chunk that ends without waiting for it does not have it (stream_hold_back()).
 *
 * Nothing says which word is whose, so one that is missing would shift all others. At the
 * end of each segment of ids the writer notes how many words there were (value_marks).
 * When that is not what was taken, or words are missing, the image's values end, with a
 * reason in the file; its path goes on.
 */
#include "collect/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "collect/id_map.h"
#include "collect/threads.h"

/* Of one execution of a block: more than any that there is. */
#define KEPT_MAX (1u << 20)

static const char out_of_step[] =
	"memory accesses are missing from some point on: they did not fit the path";

/* ---- the image -------------------------------------------------------------------------- */

void image_values_fini(struct image_values *values)
{
	free(values->firings);
}

uint32_t image_values_define(struct image_values *values, uint32_t block,
			     const struct message_firing *message)
{
	struct image_firing firing = {
		.block = block,
		.firing = { .what = message->what,
			    .insn = message->insn,
			    .kind = message->kind,
			    .size = message->size },
	};

	if (!value_firing_sound(&firing.firing) || values->firing_count >= ID_FIRING - 1)
		return 0;
	if (!APPEND(values->firings, values->firing_count, firing))
		return 0;
	return ID_FIRING | (values->firing_count - 1);
}

bool image_values_inherit(struct image_values *values, const struct image_values *parent)
{
	for (uint32_t i = 0; i < parent->firing_count; i++)
		if (!APPEND(values->firings, values->firing_count, parent->firings[i]))
			return false;
	return true;
}

/* What the current chunks have is of no use either: it would end in their middle. */
void image_values_end(struct image_values *values, const char *why)
{
	if (!values->programs)
		return;
	values->programs = NULL;
	output_cut(values->out, why);
	for (uint32_t i = 0; i < values->threads->n; i++)
		if (values->threads->at[i].stream)
			stream_drop_values(values->threads->at[i].stream);
}

/* ---- a lane ----------------------------------------------------------------------------- */

struct value_lane *value_lane_new(struct image_values *image, struct arena *arena,
				  uint32_t vcpu)
{
	struct value_lane *lane = calloc(1, sizeof(*lane));

	if (!lane)
		return NULL;
	lane->image = image;
	lane->arena = arena;
	lane->vcpu = vcpu;
	lane->words.ring = lane_values(arena, vcpu);
	lane->words.mask = lane_words(vcpu) - 1;
	return lane;
}

void value_lane_free(struct value_lane *lane)
{
	if (!lane)
		return;
	free(lane->kept);
	free(lane->fired);
	free(lane);
}

/* A position from an offset in the ring, less than one ring after `at`. */
static uint64_t position_of(const struct value_lane *lane, uint32_t offset)
{
	uint64_t at = lane->words.at;

	return at + ((offset / sizeof(uint64_t) - at) & lane->words.mask);
}

void value_lane_look(struct value_lane *lane)
{
	const struct value_head *head = &lane->arena->value_heads[lane->vcpu];

	lane->words.end = position_of(lane, atomic_load_explicit(&head->head,
								 memory_order_acquire));
	/* Nobody knows what belongs to what: they are only taken away. */
	if (!lane->image->programs)
		lane->words.at = lane->words.end;
}

bool value_lane_worth(const struct value_lane *lane)
{
	const struct value_head *head = &lane->arena->value_heads[lane->vcpu];
	uint64_t end = position_of(lane, atomic_load_explicit(&head->head,
							      memory_order_relaxed));

	return end - lane->words.at >= lane_words(lane->vcpu) / 8;
}

void value_lane_show(struct value_lane *lane, const struct rings *rings)
{
	_Atomic uint64_t *tail = &lane->arena->value_tails[lane->vcpu].tail;
	uint64_t at = lane->words.at;

	if (at == lane->shown)
		return;
	rings_values_taken(rings, lane->arena, lane->vcpu, lane->shown, at);
	/* As for ids: a tail that somebody changed must be noticed. */
	lane->overwritten |= atomic_exchange_explicit(tail, at, memory_order_acq_rel) !=
			     lane->shown;
	lane->shown = at;
}

/* ---- blocks ----------------------------------------------------------------------------- */

static void fail(struct value_lane *lane, enum values_result result)
{
	image_values_end(lane->image,
			 result == VALUES_NOMEM ? output_no_memory : out_of_step);
}

static void begin_pending(struct value_lane *lane, uint32_t id)
{
	lane->pending = id;
	lane->left = lane->accesses = 0;
	lane->kept_count = lane->fired_count = 0;
}

/* Passes over words that are in no chunk; false when they are not there. */
static bool pass(struct value_lane *lane, uint64_t words)
{
	if (lane->words.end - lane->words.at < words)
		return false;
	lane->words.at += words;
	return true;
}

/* The pending block, whose program did `accesses`, in the chunk's values. */
static enum values_result encode(struct value_lane *lane, struct values_encoder *encoder,
				 uint32_t accesses, bool killed)
{
	struct value_words kept = { lane->kept, UINT64_MAX, 0, lane->kept_count };
	enum values_result result = values_encoder_begin(encoder, lane->pending);
	uint32_t allowed;

	for (uint32_t i = 0; !result && i < lane->fired_count; i++)
		result = values_encoder_fire(encoder, &lane->fired[i], &kept);
	if (result)
		return result;
	allowed = killed ? values_encoder_allow(encoder, &lane->words) : UINT32_MAX;
	return values_encoder_end(encoder, accesses < allowed ? accesses : allowed,
				  &lane->words);
}

void value_lane_left(struct value_lane *lane, uint32_t insns, bool done)
{
	lane->left = insns;
	lane->done = done;
}

/* Accesses of the pending block's program that were done, if it was not killed. */
static uint32_t accesses_done(const struct value_lane *lane)
{
	const struct value_programs *programs = lane->image->programs;
	uint32_t accesses = programs->of[lane->pending].accesses;

	if (lane->left)
		accesses = value_program_before(programs, lane->pending,
						lane->left - !lane->done);
	/* What was kept aside was done. */
	return accesses < lane->accesses ? lane->accesses : accesses;
}

/* A thread that was killed between the words of a firing and its id has left them. */
static void look_at_end(struct value_lane *lane)
{
	const struct value_head *head = &lane->arena->value_heads[lane->vcpu];
	uint32_t firing = atomic_load(&head->firing);
	uint64_t end;

	value_lane_look(lane);
	end = firing ? position_of(lane, firing - 1) : lane->words.end;
	if (end < lane->words.end)
		lane->words.end = end;
}

/* With `cut` the block has what words there are. */
static void settle(struct value_lane *lane, struct stream *stream, bool cut)
{
	const struct value_programs *programs = lane->image->programs;
	struct values_encoder *encoder = NULL;
	enum values_result result = VALUES_DONE;
	uint32_t accesses;

	if (!lane->pending || !programs)
		return;
	accesses = accesses_done(lane);
	if (stream) {
		encoder = stream_values(stream, programs);
		result = encoder ? encode(lane, encoder, accesses, cut) : VALUES_NOMEM;
	} else if (!pass(lane, value_program_words(programs, lane->pending,
						   lane->accesses, accesses))) {
		result = cut ? VALUES_DONE : VALUES_SHORT;
	}
	begin_pending(lane, 0);
	if (result)
		fail(lane, result);
}

void value_lane_settle(struct value_lane *lane, struct stream *stream, bool killed)
{
	if (killed && lane->pending && lane->image->programs)
		look_at_end(lane);
	settle(lane, stream, killed);
}

/*
 * Another thread may stop the recording for good while a block runs. From then on nobody
 * sees that a fault leaves this block: then it has fewer words, and a gap comes next.
 */
static bool is_gap(const struct value_programs *programs, uint32_t id)
{
	return id && !programs->of[id].insns;
}

/*
 * Whether block `id` may have fewer words when `next` comes after it. An instruction whose fault
 * has a handler without a stack begins twice, which shows where it is a block of its own.
 */
static bool may_lack(const struct value_programs *programs, uint32_t id, uint32_t next)
{
	return is_gap(programs, next) ||
	       (id && id == next && programs->of[id].insns == 1);
}

/* Takes what words there are of a block. */
static enum values_result take_cut(struct value_lane *lane,
				   struct values_encoder *encoder, uint32_t id)
{
	enum values_result result = values_encoder_begin(encoder, id);

	return result ? result :
			values_encoder_end(encoder,
					   values_encoder_allow(encoder, &lane->words),
					   &lane->words);
}

/* The same as values_encoder_take(), but for blocks before a gap. ids[n] is the next one. */
static enum values_result take_all(struct value_lane *lane,
				   struct values_encoder *encoder, const uint32_t *ids,
				   size_t n)
{
	const struct value_programs *programs = lane->image->programs;
	enum values_result result = VALUES_DONE;
	size_t done = 0;

	while (!result && done < n) {
		uint32_t before = values_encoder_blocks(encoder);

		result = values_encoder_take(encoder, ids + done, n - done, &lane->words);
		done += values_encoder_blocks(encoder) - before;
		if (result == VALUES_SHORT &&
		    may_lack(programs, ids[done], ids[done + 1]))
			result = take_cut(lane, encoder, ids[done++]);
	}
	return result;
}

/* Takes all words of blocks ids[n] of the stream's chunk, which are over: ids[n] is the next. */
static enum values_result take_blocks(struct value_lane *lane, struct stream *stream,
				      const uint32_t *ids, size_t n)
{
	const struct value_programs *programs = lane->image->programs;
	struct values_encoder *encoder;

	if (stream) {
		encoder = stream_values(stream, programs);
		return encoder ? take_all(lane, encoder, ids, n) : VALUES_NOMEM;
	}
	/* No stream has checked these. */
	for (size_t i = 0; i < n; i++)
		if (!ids[i] || (!pass(lane, programs->of[ids[i]].words) &&
				!may_lack(programs, ids[i], ids[i + 1])))
			return VALUES_SHORT;
	return VALUES_DONE;
}

/* The words before block `id`, which is pending, were taken. */
static void begin_next(struct value_lane *lane, struct stream *stream, uint32_t id,
		       enum values_result result)
{
	begin_pending(lane, id);
	if (result)
		fail(lane, result);
	else if (stream)
		stream_values_fed(stream);
}

/* ids[n], at least one, are in the stream's chunk: the last of them is pending. */
static void entered(struct value_lane *lane, struct stream *stream, const uint32_t *ids,
		    size_t n)
{
	if (lane->image->programs)
		begin_next(lane, stream, ids[n - 1],
			   take_blocks(lane, stream, ids, n - 1));
}

/*
 * Takes all words of the blocks before the last of n, of which the stream's encoder has marked those
 * that have steps. Where one lacks words, the others are taken as usual.
 */
static enum values_result take_marked(struct value_lane *lane, struct stream *stream,
				      struct values_encoder *encoder, size_t n)
{
	struct values_picked picked = { lane->own, lane->places, 0 };
	uint32_t before = values_encoder_blocks(encoder), done;
	enum values_result result;

	picked.count = stream_marked(stream, n, n - 1, lane->own, lane->places);
	result = values_encoder_take_picked(encoder, &picked, n - 1, &lane->words);
	if (result != VALUES_SHORT)
		return result;
	done = values_encoder_blocks(encoder) - before;
	stream_last_ids(stream, lane->own, n);
	return take_all(lane, encoder, lane->own + done, n - 1 - done);
}

/* The last n ids of the stream's chunk, at least one, came new: as entered(). */
static void entered_encoder(struct value_lane *lane, struct stream *stream, size_t n)
{
	const struct value_programs *programs = lane->image->programs;
	struct values_encoder *encoder;

	if (!programs)
		return;
	encoder = stream_values(stream, programs);
	if (encoder && stream->marks && values_encoder_picks(encoder)) {
		begin_next(lane, stream, stream->last_id,
			   take_marked(lane, stream, encoder, n));
		return;
	}
	stream_last_ids(stream, lane->own, n);
	entered(lane, stream, lane->own, n);
}

/* ---- firings ---------------------------------------------------------------------------- */

/*
 * The array, or a larger one with room for `need`; NULL without memory. These arrays are
 * emptied at each block, and keep their room.
 */
static void *with_room(void *array, uint32_t need, uint32_t *room, size_t size)
{
	uint32_t n = *room ? *room : 16;

	if (need <= *room)
		return array;
	while (n < need)
		n *= 2;
	array = reallocarray(array, n, size);
	if (array)
		*room = n;
	return array;
}

/* Keeps n words aside. */
static enum values_result keep(struct value_lane *lane, uint32_t n)
{
	uint32_t count = lane->kept_count;
	uint64_t *all;

	if (lane->words.end - lane->words.at < n)
		return VALUES_SHORT;
	all = n > KEPT_MAX - count ?
		      NULL :
		      with_room(lane->kept, count + n, &lane->kept_room, sizeof(*all));
	if (!all)
		return VALUES_NOMEM;
	lane->kept = all;
	for (; n; n--) {
		uint64_t at = lane->words.at++ & lane->words.mask;

		all[lane->kept_count++] =
			*(const volatile uint64_t *)&lane->words.ring[at];
	}
	return VALUES_DONE;
}

static enum values_result fire(struct value_lane *lane, const struct value_firing *firing)
{
	const struct value_programs *programs = lane->image->programs;
	uint32_t after = value_comes_first(firing->kind) ? 0 : 1, words;
	struct value_firing *all;
	uint32_t accesses =
		value_program_before(programs, lane->pending, firing->insn + after);

	words = value_program_words(programs, lane->pending, lane->accesses, accesses) +
		value_firing_words(firing, programs->wanted & VALUES_DATA);
	if (accesses > lane->accesses)
		lane->accesses = accesses;
	all = with_room(lane->fired, lane->fired_count + 1, &lane->fired_room,
			sizeof(*all));
	if (!all)
		return VALUES_NOMEM;
	lane->fired = all;
	all[lane->fired_count++] = *firing;
	return keep(lane, words);
}

/* An id that is no block's: it fires in the pending block, or nothing fits any more. */
static void take_firing(struct value_lane *lane, uint32_t number)
{
	const struct image_firing *firing;
	enum values_result result = VALUES_WRONG;

	if (!lane->image->programs)
		return;
	firing = &lane->image->firings[number];
	if (lane->pending && firing->block == lane->pending)
		result = fire(lane, &firing->firing);
	if (result)
		fail(lane, result);
}

/* ---- both rings ------------------------------------------------------------------------- */

/*
 * Before the id at `position`, the first of a segment: whether the writer has counted as
 * many words. Where the last id was a firing, its block has words that are not taken.
 */
static void compare_mark(struct value_lane *lane, uint64_t position)
{
	const struct value_marks *marks = &lane->arena->value_marks[lane->vcpu];
	uint64_t segment = (position - 1) % lane_ids(lane->vcpu) / LANE_SEGMENT;
	uint64_t mark = *(const volatile uint64_t *)&marks->at[segment];

	if (lane->image->programs && lane->pending && !lane->fired_count &&
	    mark != lane->words.at)
		image_values_end(lane->image, out_of_step);
}

/* How many of ids[n] are blocks, before the first that is not, up to a segment's end. */
static size_t count_blocks(const struct value_lane *lane, const uint32_t *ids, size_t n,
			   uint64_t position)
{
	size_t most = LANE_SEGMENT - position % LANE_SEGMENT, count = 0;

	if (most > n)
		most = n;
	if (most > VALUE_BATCH)
		most = VALUE_BATCH;
	/* Ids in the ring have the file's numbers, so none is a firing's. */
	if (lane->in_ring)
		return most;
	/* Four at a time: firings are rare where most blocks pass here. */
	while (count + 4 <= most &&
	       !((ids[count] | ids[count + 1] | ids[count + 2] | ids[count + 3]) &
		 ID_FIRING))
		count += 4;
	while (count < most && !(ids[count] & ID_FIRING))
		count++;
	return count;
}

/*
 * Takes some of n blocks; returns how many, 0: the first one makes no sense.
 *
 * A guest can write to its ring, so each id there is read once. The stream's encoder reads it, and
 * what is needed of the ids is copied back from the encoder while it is in the cache. A stream
 * without an encoder gets a copy that id_map_copy() made.
 */
static size_t take_some(struct value_lane *lane, struct chunks *chunks,
			struct stream *stream, const uint32_t *ids, size_t n)
{
	bool read_back = lane->in_ring && stream_encodes(stream);
	const uint32_t *own = lane->in_ring ? lane->own : ids;
	size_t took = n;

	if (lane->in_ring)
		id_map_copy(lane->in_ring, ids, read_back ? 1 : n, lane->own);
	settle(lane, stream,
	       lane->image->programs &&
		       may_lack(lane->image->programs, lane->pending, own[0]));
	if (stream)
		took = chunks_feed_some(chunks, stream, read_back ? ids : own, n);
	if (read_back && took)
		entered_encoder(lane, stream, took);
	else if (took)
		entered(lane, stream, own, took);
	/* Only now: a chunk that must end has the values of its blocks. */
	if (stream && took)
		chunks_fed(chunks, took);
	return took;
}

bool value_lane_feed(struct value_lane *lane, struct chunks *chunks,
		     struct stream *stream, const struct id_map *in_ring,
		     const uint32_t *ids, size_t n, uint64_t position)
{
	const struct value_programs *programs = lane->image->programs;
	size_t took;

	lane->in_ring = in_ring;
	if (stream)
		stream->value_lane = lane;
	if (stream && programs && programs->wanted & VALUES_FETCHES)
		stream->marks = programs;
	for (size_t i = 0; i < n; i += took, position += took) {
		if (position && position % LANE_SEGMENT == 0)
			compare_mark(lane, position);
		took = count_blocks(lane, ids + i, n - i, position);
		if (took) {
			took = take_some(lane, chunks, stream, ids + i, took);
			if (!took)
				return false;
		} else {
			take_firing(lane, ids[i] & ~ID_FIRING);
			took = 1;
		}
	}
	return true;
}
