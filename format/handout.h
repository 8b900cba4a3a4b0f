/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a process asks for the descriptor of the shared memory that it has mapped and may not open any
 * more, for it has become another user: it sends the key to the recorder's socket, and the descriptor
 * comes back. Only who has the memory mapped knows the key, so nobody gets more than he has.
 */
#ifndef FORMAT_HANDOUT_H
#define FORMAT_HANDOUT_H

#include <stdint.h>

struct handout {
	uint8_t name[16]; /* of a datagram socket in the abstract namespace */
	uint32_t bytes;	  /* of the name; 0: there is no socket */
	uint8_t key[16];
};

#endif
