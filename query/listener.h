/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receives warnings and progress of a query. Nothing in query/ prints. */
#ifndef QUERY_LISTENER_H
#define QUERY_LISTENER_H

#include <stdint.h>

struct listener {
	/*
	 * A sentence about what the answer lacks, without a line end: the trace is cut short, a
	 * file is missing. May come again for another trace. NULL: not wanted.
	 */
	void (*warn)(void *cookie, const char *sentence);
	/* Called now and then by one thread at a time, with what is done; or NULL. */
	void (*progress)(void *cookie, uint64_t done_insns, uint64_t of_insns);
	void *cookie;
};

/* Formats a sentence of 1023 bytes at most for the listener's warn(). */
__attribute__((format(printf, 2, 3))) void listener_warn(const struct listener *listener,
							 const char *format, ...);

#endif
