/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's threads in one image, each with the stream that its ids go to while it is
 * recorded. On which lane a thread runs now is its route: collect/route.h.
 *
 * The plugin numbers the threads of its image (struct message_thread). A number may be
 * used again when its thread has ended.
 */
#ifndef COLLECT_THREADS_H
#define COLLECT_THREADS_H

#include "collect/chunks.h"
#include "collect/spaces.h"
#include "collect/steering.h"
#include "format/arena.h"

enum { THREAD_NAME_BYTES = 64 }; /* its NUL included; longer ones are cut */

struct thread {
	bool begun;	       /* it runs, */
	bool recorded;	       /* and some of it is in the file */
	struct stream *stream; /* of the part that is recorded now; NULL: it is left out */
	uint32_t lane;	       /* on which it runs; LANE_NONE: on none */
	uint32_t number;       /* among all threads of the recording */
	uint32_t space, pid;   /* it is in: index in the file, and of which process */
	bool left_out;	       /* that process is */
	uint32_t tid;
	char name[THREAD_NAME_BYTES];
	char called[THREAD_NAME_BYTES]; /* what its program calls it; "": it does not say */
	char noticed[THREAD_NAME_BYTES]; /* the name in its last event of that kind */
	/*
	 * How the file names its stream: the lane it began on, and how many did before.
	 */
	uint32_t vcpu, generation;
	uint64_t dropped; /* instructions while it was left out, by whole blocks */
};

/* What all threads of a recording are counted in. */
struct tally {
	uint32_t streams, images; /* in the file */
	uint32_t threads;	  /* met, in the file or not */
	bool passed;		  /* some of their instructions were left out */
	bool unsure;		  /* of these, not known to the instruction how many */
};

struct threads {
	struct chunks *chunks;
	struct steered *steered;
	struct tally *tally;
	const char *program; /* its path, or NULL */
	bool left_out;	     /* none of its threads is recorded */
	struct thread *at;   /* [n] by the plugin's numbers */
	uint32_t n;
	uint32_t *generations; /* [n_generations] by lane: streams that began on it */
	uint32_t n_generations;
};

void threads_fini(struct threads *threads);
/* The thread of a number, begun or not; NULL: too large a number, or no memory. */
struct thread *threads_at(struct threads *threads, uint32_t number);
/*
 * A thread begins in the space that the caller has set, on lane `vcpu`, which the caller
 * gives it (route_give()). The one before of that number must have ended. False: no memory.
 */
bool thread_begin(struct threads *threads, struct thread *thread, uint32_t vcpu,
		  uint32_t tid, const char *name);
/*
 * It has another name, by which it may become one that is recorded, or one that is not;
 * so far it has executed `passed` instructions that are not recorded. False: no memory.
 */
bool thread_rename(struct threads *threads, struct thread *thread, uint32_t tid,
		   const char *name, uint64_t passed, bool called);
/*
 * Reads a message of `bytes` bytes and the name behind it, which is cut to its room. False: the
 * span is shorter than the message.
 */
bool thread_message(struct span *span, void *message, size_t bytes,
		    char name[THREAD_NAME_BYTES]);
/* The thread that has sent this tid and has not ended; NULL: there is none. */
struct thread *threads_of_tid(struct threads *threads, uint32_t tid);
/* Another thread of its process gave it a name. It is recorded as before. */
void thread_named(struct threads *threads, struct thread *thread, const char *name);
/*
 * Its program calls it so, which is its name from now on. The kernel's, which is shorter and
 * often made of that one, stays unseen while it can be.
 */
void thread_call(struct threads *threads, struct thread *thread, const char *name);
/*
 * It goes on in another space of the file, and process, by which it may become one that is
 * recorded, or one that is not. All its ids were taken; the block entered last has run to its
 * end. False: no memory.
 */
bool thread_move(struct threads *threads, struct thread *thread,
		 const struct image_space *to);
/* It ends; all its ids were taken. `called`: its last block ended in a system call. */
void thread_end(struct threads *threads, struct thread *thread, uint64_t passed,
		bool called);
/*
 * Writes what it has done so far; the block that it is in waits for the next chunk.
 * `passed` is what its lane has counted.
 */
void thread_flush(struct threads *threads, struct thread *thread, uint64_t passed);
/* Counts ids[n] of the file that it executed while it was left out. */
void thread_drop(const struct threads *threads, struct thread *thread,
		 const uint32_t *ids, size_t n);
/* The file is complete: what the threads do from now on is dropped. */
void threads_drop(struct threads *threads);
/* Bytes gathered for their chunks, before they are compressed. */
uint64_t threads_bytes(const struct threads *threads);
/* Ends their chunks as soon as that may be: when the next blocks come. */
void threads_cut(struct threads *threads);

#endif
