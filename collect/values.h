/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collector's end of a lane's values: takes words off their ring in step with the ids
 * of the lane, and gives each stream those of its blocks.
 *
 * How many words a block has is known when it is known how much of it ran. So the words of
 * the block entered last stay in the ring, and this block is *pending*, until the next id
 * follows or something is said about it. What fires in it before that is kept aside: the
 * writer may need the room.
 */
#ifndef COLLECT_VALUES_H
#define COLLECT_VALUES_H

#include "collect/chunks.h"
#include "collect/rings.h"
#include "format/values_encode.h"

/* Blocks between two looks at how large the chunk is. */
#define VALUE_BATCH 1024u

struct id_map;
struct threads;

/* A firing of an image: its block's id in the file. */
struct image_firing {
	uint32_t block;
	struct value_firing firing;
};

/* What an image records beside its path. */
struct image_values {
	bool recorded;			       /* its rings have words */
	const struct value_programs *programs; /* NULL: they are only emptied */
	struct image_firing *firings;
	uint32_t firing_count;
	struct threads *threads;
	struct output *out;
};

struct value_lane {
	struct arena *arena;
	struct image_values *image;
	uint32_t vcpu;
	struct value_words words; /* taken up to `at`; the head was at `end` */
	uint64_t shown;		  /* the tail that the writer sees */
	bool overwritten;	  /* by somebody else */

	uint32_t pending; /* in the file; 0: none */
	/* If not 0: it was left in its `left`-th instruction. */
	uint32_t left;
	bool done;	   /* which was completed */
	uint32_t accesses; /* of its program, that were kept aside */
	uint64_t *kept;	   /* their words, and those of its firings */
	struct value_firing *fired;
	uint32_t kept_count, fired_count;
	uint32_t kept_room, fired_room; /* allocated, for all blocks */

	/* Of ids that are taken right from the ring, or NULL; and a copy that no guest can change. */
	const struct id_map *in_ring;
	uint32_t own[VALUE_BATCH];
	uint16_t places[VALUE_BATCH]; /* of marked ones */
};

void image_values_fini(struct image_values *values);
/*
 * Firing of the image's next id, of a block with id `block` in the file; returns what
 * stands for it among ids (collect/id_map.h), or 0: it is malformed, or no memory.
 */
uint32_t image_values_define(struct image_values *values, uint32_t block,
			     const struct message_firing *message);
/* A child goes on with what its parent has defined. False: no memory. */
bool image_values_inherit(struct image_values *values, const struct image_values *parent);
/* The rest of the image's values is not recorded: `why`. */
void image_values_end(struct image_values *values, const char *why);

/* Of lane `vcpu`. NULL: no memory. */
struct value_lane *value_lane_new(struct image_values *image, struct arena *arena,
				  uint32_t vcpu);
void value_lane_free(struct value_lane *lane);

/* Looks how far its writer is. To be called after the head of the ids was read. */
void value_lane_look(struct value_lane *lane);
/* Whether so many words wait that they should be taken. */
bool value_lane_worth(const struct value_lane *lane);
/*
 * Takes ids[n] of the lane, from position `position` on: the blocks go into the stream, and
 * with them their words. Without a stream both are passed over. False when the ids make no
 * sense, as chunks_feed().
 *
 * Either id_map_copy() translated ids[], and `in_ring` is NULL; or they lie in the lane's ring,
 * `in_ring` is their map, whose numbers are the file's (id_map.same), and there is a stream.
 */
bool value_lane_feed(struct value_lane *lane, struct chunks *chunks,
		     struct stream *stream, const struct id_map *in_ring,
		     const uint32_t *ids, size_t n, uint64_t position);
/*
 * The pending block was left in its `insns`-th instruction, which began; `done`: and was
 * completed.
 */
void value_lane_left(struct value_lane *lane, uint32_t insns, bool done);
/*
 * Nothing more of the pending block runs: takes its words. With `killed` it may have
 * stopped anywhere; it has what words there are.
 */
void value_lane_settle(struct value_lane *lane, struct stream *stream, bool killed);
/* Shows the writer which words were taken. */
void value_lane_show(struct value_lane *lane, const struct rings *rings);

#endif
