/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The return addresses that an encoder and its decoder both expect ("implicit return"): each
 * call pushes where it returns to, and a return pops it. Of calls that are nested more
 * deeply the innermost are known.
 */
#ifndef PACKETS_RETURNS_H
#define PACKETS_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

/* What encoders here have, as a power of 2, and the most that a decoder can be set to. */
enum { PACKET_RETURNS_BITS = 5, PACKET_RETURNS_MOST = 128 };

struct packet_returns {
	uint64_t all[PACKET_RETURNS_MOST]; /* a ring, so that the oldest is overwritten */
	unsigned top, n, most;		   /* most: how many there may be */
};

static inline void packet_returns_push(struct packet_returns *returns, uint64_t address)
{
	returns->all[returns->top++ % PACKET_RETURNS_MOST] = address;
	returns->n += returns->n < returns->most;
}

/* False: none is known. */
static inline bool packet_returns_pop(struct packet_returns *returns, uint64_t *address)
{
	if (!returns->n)
		return false;
	returns->n--;
	*address = returns->all[--returns->top % PACKET_RETURNS_MOST];
	return true;
}

#endif
