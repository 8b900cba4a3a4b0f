/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of QEMU's trace back end "simple", version 4 (QEMU 2.8 and later), as QEMU's
 * trace/simple.c writes and scripts/simpletrace.py reads them. All is in the byte order of
 * the machine:
 *
 *	~0:64 magic:64 version:64, and then any number of
 *	0:64 id:64 bytes:32 name[bytes]			the name of an event
 *	1:64 id:64 ns:64 length:32 pid:32 arguments	an event; length from its id on
 *
 * The time is of CLOCK_MONOTONIC. An argument is a 64-bit word, or a string after its
 * 32-bit length; which of them, only QEMU's source knows: without, all are words. The id
 * ~0 - 1 is of no event: its argument is how many were dropped, QEMU's buffer being full.
 */
#ifndef EVENTS_SIMPLETRACE_H
#define EVENTS_SIMPLETRACE_H

#include <stddef.h>
#include <stdint.h>

#include "events/declarations.h"
#include "waymark.h"

#define SIMPLETRACE_MAGIC 0xf2b177cb0aa429b4u
#define SIMPLETRACE_HEADER (~UINT64_C(0))
#define SIMPLETRACE_DROPPED (~UINT64_C(0) - 1)

enum {
	SIMPLETRACE_VERSION = 4,
	/* Limits of ours, far above what QEMU has. */
	SIMPLETRACE_IDS = 65536,
	SIMPLETRACE_NAME = 256,	      /* bytes */
	SIMPLETRACE_LENGTH = 16384,   /* of a record */
	SIMPLETRACE_WINDOW = 1 << 14, /* events that are put in order at a time */
};

struct simpletrace_event {
	uint64_t ns;	  /* CLOCK_MONOTONIC */
	uint32_t pid;	  /* of the process that opened the file */
	const char *text; /* [bytes], "name 0x1 0x2": until the next */
	size_t bytes;
};

/* What is missing or damaged in a file, as far as it was read. */
struct simpletrace_notes {
	uint64_t dropped;  /* events, by QEMU */
	uint64_t nameless; /* events whose id has no name: they are called "event-ID" */
	uint64_t cut_off;  /* where a record begins that is not whole; 0: none */
};

struct simpletrace;

/*
 * Opens one that `fd` is at, which is closed with it, and now when it fails: WM_E_FORMAT
 * when it is something else, WM_E_IO, WM_E_NOMEM. Memory is bounded, whatever the file.
 */
int simpletrace_open(struct simpletrace **trace, int fd, struct wm_error *err);
void simpletrace_close(struct simpletrace *trace);
/* Events are printed as they are declared, if they fit that; these must outlive it. */
void simpletrace_declare(struct simpletrace *trace,
			 const struct declarations *declarations);

/*
 * The next event, or WM_END. They come in the order of their times, except one that
 * stands more than SIMPLETRACE_WINDOW events after its place. Up to where the file is
 * damaged: then WM_E_DAMAGED; or WM_E_IO.
 */
int simpletrace_next(struct simpletrace *trace, struct simpletrace_event *event,
		     struct wm_error *err);
const struct simpletrace_notes *simpletrace_notes(const struct simpletrace *trace);

#endif
