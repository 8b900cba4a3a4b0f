/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a process still lives: by a pidfd, which no other process can come to have, or by
 * its pid where there are no more descriptors to be had.
 */
#ifndef COLLECT_LIFE_H
#define COLLECT_LIFE_H

#include <stdbool.h>
#include <stdint.h>

struct life {
	uint32_t pid; /* 0: not known, and taken to be over */
	int fd;	      /* a pidfd; -1: none */
};

void life_watch(struct life *life, uint32_t pid);
void life_unwatch(struct life *life);
bool life_is_over(const struct life *life);
/* Sends it a signal. */
void life_signal(const struct life *life, int signal);
/* Lets this process have as many descriptors as it may: one is needed for each process. */
void life_raise_limit(void);

#endif
