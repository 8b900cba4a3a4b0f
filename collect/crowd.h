/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of a recording, each at its place on the board: those that come are met,
 * those that are no more are buried, and their places go to others.
 */
#ifndef COLLECT_CROWD_H
#define COLLECT_CROWD_H

#include "collect/memory.h"
#include "collect/process.h"

/* A process that has come and has not been met. */
struct comer {
	uint32_t place;
	uint64_t begin_ns;
};

struct crowd {
	struct memory *memory;
	struct recording *recording;
	struct process *at[PLACES_MAX];	 /* by place; NULL: none */
	uint32_t word[PLACES_MAX];	 /* what the board says of their places */
	struct comer comers[PLACES_MAX]; /* scratch */
	uint32_t top;			 /* all of them are below it */
	void *told; /* a copy of what the board said of itself when the first one came */
	uint32_t answered;    /* of those who asked for a place */
	uint64_t searched_ns; /* when children who have not come were looked for last */
};

/* What is known of the process that was started first. Nobody else sees when it ends. */
struct first_process {
	uint32_t pid; /* 0: not known */
	bool ended;
	int status; /* as waitpid() gives it; -1: not known */
};

/* The arena of the oldest process that has not been met, to be unmapped; NULL: none. */
struct arena *crowd_look(struct crowd *crowd);
/* The first one has come: what the board says now is what it is to say always. */
bool crowd_begin(struct crowd *crowd);
/* Meets processes that have come, the oldest first; whether there were any. */
bool crowd_meet(struct crowd *crowd);
bool crowd_is_over(const struct crowd *crowd, uint32_t place,
		   const struct first_process *first);
/* Ends processes that are no more, and gives their places back. */
void crowd_bury(struct crowd *crowd, const struct first_process *first);
/* Tells those who found no place that there is one now, or that there will be none. */
void crowd_answer(struct crowd *crowd, const struct first_process *first);
/* How many processes run; and *expected, of how many children are still to come. */
unsigned crowd_running(const struct crowd *crowd, uint32_t *expected);
/* Nobody is to come any more: ends those that are no more, or all. */
void crowd_end(const struct crowd *crowd, const struct first_process *first, bool all);
/* Frees all of them. */
void crowd_fini(struct crowd *crowd);

/* The process at a place, if it runs; else NULL. */
static inline struct process *crowd_live(const struct crowd *crowd, uint32_t place)
{
	struct process *process = crowd->at[place];

	return process && !process->ended ? process : NULL;
}

#endif
