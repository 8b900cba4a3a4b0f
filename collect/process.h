/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One process image of the guest: a program from its start, or from its fork, to its end
 * or to the program it becomes by execve().
 */
#ifndef COLLECT_PROCESS_H
#define COLLECT_PROCESS_H

#include "collect/life.h"
#include "collect/recording.h"
#include "collect/stream.h"

enum { LANE_NAME_BYTES = 64 }; /* of a thread, its NUL included; longer ones are cut */

struct lane_end {
	struct stream *stream; /* the thread now on the lane; NULL: none, or left out */
	uint32_t generation;   /* threads it has had */
	uint32_t tid;
	char name[LANE_NAME_BYTES];
	char told[LANE_NAME_BYTES]; /* its name, as an event told it last */
	bool begun;		    /* there is a thread on it, */
	bool recorded;		    /* of which some is in the file */
	uint32_t number;	    /* of the thread, among all of the recording */
	uint64_t dropped; /* instructions of it that got no stream, by whole blocks */
	bool broken;	  /* what is in it makes no sense: it is only emptied */
	uint64_t tail; /* up to where it is emptied: what the guest sees may be scribbled */
};

struct process {
	struct recording *recording;
	struct arena *arena;
	uint32_t index; /* in the file */
	struct life life;
	char *program;

	/* Ids in the file of the process's own 1..known; as long as they are the same
	 * numbers, as in a recording of one process, nothing is translated. */
	uint32_t *ids; /* [allocated] */
	uint32_t known, allocated;
	bool same_ids;

	struct lane_end *lanes; /* [n_lanes] */
	uint32_t n_lanes;	/* that may have been used */
	bool crowded;		/* so many that their threads are not woken one by one */
	bool left_out;		/* no thread of it gets into the file */
	uint64_t message_tail;	/* up to where they are taken, in the ring's account */
	bool messages_broken;
	uint32_t lanes_seen; /* that it has said to use */
	bool hurt;	     /* its arena is not as it was left: that has been said */
	bool ended;	     /* its end is in the file */
};

/*
 * A process whose place has become ready, and its record in the file. `parent` is the
 * process it was forked from, with all its messages taken, or NULL; `parent_index` is
 * what the file says. Takes `arena` over, also on failure. NULL without memory.
 */
struct process *process_new(struct recording *recording, struct arena *arena,
			    uint32_t pid, const struct process *parent,
			    uint32_t parent_index);
void process_free(struct process *process);
/*
 * How lanes are emptied while they are being filled. A little at a time would cost both
 * sides more than encoding does: each look at a head, and each line of ids that its writer
 * has not left for good, goes from core to core and back.
 */
enum drain {
	DRAIN_MUCH, /* lanes with lane_wake() ids, and everything when it is waited for */
	DRAIN_ALL,
};
/* Takes what there is of a process; false when there was nothing. */
bool process_drain(struct process *process, enum drain how);
/* Takes what is left, and puts the end into the file; `status` as waitpid() gives it. */
void process_end(struct process *process, int status);
/* Bytes gathered for its threads' chunks, before they are compressed. */
uint64_t process_bytes(const struct process *process);
/* Has these written as soon as that may be: when the next blocks come. */
void process_cut(struct process *process);
/* Forks of it whose children have no place yet. */
uint32_t process_expects(const struct process *process);

/* ---- its lanes: lanes.c ------------------------------------------------------------- */

/* Lanes below `n`, at most LANES_MAX, are to be there; false without memory. */
bool lanes_provide(struct process *process, uint32_t n);

/*
 * A thread begins on, or ends on, a lane where it has been emptied to. At its end it has
 * executed `passed` instructions that are not recorded.
 */
bool lane_begin(struct process *process, uint32_t vcpu, uint32_t tid, const char *name);
void lane_finish(struct process *process, uint32_t vcpu, uint64_t passed);
/* The thread on a lane, emptied, is known to have called the kernel last. */
void lane_called(struct process *process, uint32_t vcpu, bool called);
/*
 * The thread on a lane has a name, or another one; by that it may become one that is
 * recorded, or one that is not.
 */
bool lane_name(struct process *process, uint32_t vcpu,
	       const struct message_thread *thread, const char *name);
/*
 * Writes what the threads have done so far; the block that each is in waits for the next
 * chunk.
 */
void lanes_flush(struct process *process);
/* The file is complete: what the threads do from now on is dropped. */
void lanes_drop(struct process *process);
/* Empties lane `vcpu` up to position `end`, which its head has reached. */
void lane_empty(struct process *process, unsigned vcpu, uint64_t end);
/* Empties a lane up to a position that a message names; false when that cannot be. */
bool lane_reach(struct process *process, uint32_t vcpu, uint64_t position);
/* There is room again, if someone waits for it. */
void lane_tell_room(struct process *process);

/* ---- its messages: intake.c ---------------------------------------------------------- */

/* Takes all messages there are; false when there were none. */
bool intake(struct process *process);

#endif
