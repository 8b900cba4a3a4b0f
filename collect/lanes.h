/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collector's end of an image's lanes: takes ids off their rings, in order, and hands
 * them to the thread that the lane's route names.
 */
#ifndef COLLECT_LANES_H
#define COLLECT_LANES_H

#include "collect/chunks.h"
#include "collect/id_map.h"
#include "collect/rings.h"
#include "collect/threads.h"
#include "collect/turns.h"
#include "collect/values.h"
#include "format/arena.h"

#define TAKE_IDS (1u << 15) /* ids between two moves of a lane's tail */

struct lane {
	uint64_t tail; /* where it is emptied to: what the guest sees may be scribbled over */
	uint32_t route; /* number of the thread that the next ids belong to; THREAD_NONE */
	bool shared; /* its route was changed by a switch: what it counts is no thread's */
	bool broken;		   /* its ids make no sense: it is only emptied */
	struct value_lane *values; /* its words; NULL: none are recorded, or not yet */
};

struct lanes {
	struct arena *arena;
	const struct id_map *ids;
	const struct rings *rings; /* of all images */
	struct chunks *chunks;
	struct turns *turns; /* of all images */
	struct threads *threads;
	struct image_values *values;
	uint32_t *scratch; /* [TAKE_IDS] */
	struct lane *at;   /* [n] */
	uint32_t n;	   /* that may have been used */
	uint32_t seen;	   /* that the image has said to use */
	bool crowded;	   /* too many for waking their threads one by one */
	bool overwritten;  /* move_tail() replaced a tail that the guest had changed */
};

void lanes_fini(struct lanes *lanes);
/* Makes room for lanes below `n`, at most LANES_MAX. False: no memory. */
bool lanes_provide(struct lanes *lanes, uint32_t n);
/* Takes the ids of lane `vcpu` up to position `end`, which its head has reached. */
void lanes_empty(struct lanes *lanes, uint32_t vcpu, uint64_t end);
/*
 * The same up to a position that a message names. False when that cannot be: there is no
 * such lane, or the position was passed already, or its ids are not there.
 */
bool lanes_reach(struct lanes *lanes, uint32_t vcpu, uint64_t position);
/*
 * Whether the thread on a lane was last seen calling the kernel, where it is emptied to.
 */
bool lanes_has_called(const struct lanes *lanes, uint32_t vcpu);
/*
 * What the thread on its lane has executed unrecorded, as far as the lane has counted it.
 */
uint64_t lanes_passed(const struct lanes *lanes, const struct thread *thread);
/* Whether lane i has so many ids before `head`, or values, that it should be emptied. */
bool lanes_worth(const struct lanes *lanes, uint32_t i, uint64_t head);
/*
 * Before something is said about a thread's part on its lane, or its part ends: nothing
 * more of the block that it entered last runs. `killed`: it may have stopped anywhere.
 */
void lanes_settle(struct lanes *lanes, const struct thread *thread, bool killed);
/* Wakes the threads of an image that wait for room in a lane or for messages. */
void lanes_tell_room(struct arena *arena);

#endif
