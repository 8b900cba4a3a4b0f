/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NOTE: what the guest's own program told the recorder, by an unknown system call, about
 * the code that it makes and interprets. A section is a batch of notes, each
 *
 *	step:varint space:varint kind:varint
 *	places:varint (stream:varint block:varint)[places] bytes:varint data[bytes]
 *
 * `step` is the zigzag of the nanoseconds since the previous note of the section. Places say
 * how far the threads of its process were that have moved since the note before.
 */
#ifndef FORMAT_NOTE_H
#define FORMAT_NOTE_H

#include <stdbool.h>

#include "base/buf.h"

/* syscall(NOTE_CALL, kind, data, bytes) tells a note; it fails with ENOSYS, recorded or not. */
#define NOTE_CALL 0x574d4b	  /* "WMK" */
#define NOTE_BYTES_MAX (4u << 20) /* of the data of one */

/* What a note is about. Its data is defined by FORMAT.md, 6.6. */
enum note_kind {
	NOTE_RUNTIME = 1, /* which runtime runs, and how */
	NOTE_UNIT = 2,	  /* a method's bytecode is in memory from now on */
	NOTE_UNIT_GONE = 3,
	NOTE_CODE = 4, /* so is compiled code */
	NOTE_CODE_GONE = 5,
	NOTE_SITES = 6,	    /* instructions that fetch bytecodes */
	NOTE_DISPATCH = 7,  /* pieces of the interpreter */
	NOTE_THREAD = 8,    /* what the thread that sends it is called */
	NOTE_CLASS = 9,	    /* what a class extends, and what its methods call */
	NOTE_OPERANDS = 10, /* what the operands of units' bytecode name */
	/* An interpreter's function, whose sites the plugin finds: the file has NOTE_SITES instead. */
	NOTE_EVALUATOR = 11,
	/*
	 * Before NOTE_SITES: loads that are recorded instead of its ones, where all of a run is, for
	 * what they leave out follows (guides/hotspot/steps.h).
	 */
	NOTE_STEPS = 12,
};

/* A table of such names: which operands are numbers of its entries. */
enum note_names {
	NOTE_CONSTANTS = 1, /* of a code object; of a class: its constant pool */
	NOTE_NAMES = 2,	    /* of globals, attributes and modules */
	NOTE_VARIABLES = 3, /* of a function: locals, then cells, then free ones */
};

/* What made compiled code: whether places in it are those of every bytecode. */
enum note_tier {
	NOTE_NO_TIER = 0,  /* it is no method's */
	NOTE_COMPILED = 1, /* what is done stays in the order of the bytecodes */
	NOTE_OPTIMISED = 2,
};

/* A stream was about to run its block of that ordinal. */
struct note_place {
	uint32_t stream;
	uint64_t block;
};

struct note {
	uint64_t ns; /* CLOCK_MONOTONIC */
	uint32_t space, kind;
	const struct note_place *places; /* [n_places] */
	uint32_t n_places;
	const uint8_t *data;
	uint64_t bytes;
};

/* *last_ns: the time of the previous note, 0 at the start of a section. */
void note_put(struct buf *payload, const struct note *note, uint64_t *last_ns);
/*
 * Reads one, whose places are put into *places, the caller's buffer of struct note_place.
 * note->data points into the payload. False at the end, and when the payload is malformed:
 * then the span has failed.
 */
bool note_get(struct span *payload, struct note *note, struct buf *places,
	      uint64_t *last_ns);

/*
 * Appends the notes of a payload to *moved, each place as move() changes it; where that
 * returns false the place is left out. False: the payload is malformed, or there is no
 * memory (moved->failed).
 */
bool notes_move(struct span payload, struct buf *moved,
		bool (*move)(void *cookie, struct note_place *place), void *cookie);

#endif
