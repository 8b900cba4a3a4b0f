// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A note has a place in the sequence of every thread, not of its sender alone: memory that
 * a method's code leaves may be another's a moment later, and another thread may run that.
 * So a note says how far each lane was. Runtimes make and drop code under a lock of theirs,
 * or while all threads stand still; a thread that is not held by that lock runs no code
 * of the runtime's, so it does not matter that its lane moves on meanwhile.
 *
 * Lanes that have not moved since the note before are left out: with an interpreter's lock
 * that is all of them but one or two.
 *
 * Example: a note of 70,000 bytes while lanes 1 and 4 have moved is three messages: both
 * places and 32 KiB, 32 KiB, the rest. They follow each other because the lock is held.
 */
#include "plugin/core/notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "format/note.h"
#include "isa/dispatch.h"
#include "plugin/core/link.h"
#include "plugin/core/program.h"
#include "plugin/core/sites.h"

enum {
	PIECE_BYTES = 32 << 10, /* of data in a message */
	PIECE_PLACES = 1024,
	EVALUATOR_BYTES = 1 << 20, /* most of a function that is searched */
};

static uint64_t told[LANES_MAX]; /* positions in the note before */

void notes_begin_child(void)
{
	memset(told, 0, sizeof(told));
}

/* The lane's head. Its offset in the ring and the reader's tail say all, if both fit. */
static uint64_t position_of(unsigned lane)
{
	struct arena *arena = slot_arena();
	uint64_t tail, position;

	do {
		tail = atomic_load(&arena->tails[lane].tail);
		position = lane_readable(arena, lane, tail);
	} while (tail != atomic_load(&arena->tails[lane].tail));
	return position;
}

static uint32_t gather(struct message_place *places, unsigned *next, unsigned sender)
{
	unsigned lanes = slot_lanes();
	uint32_t n = 0;

	for (; *next < lanes && n < PIECE_PLACES; ++*next) {
		uint64_t position = *next == sender ? told[sender] : position_of(*next);

		if (position == told[*next])
			continue;
		told[*next] = position;
		places[n++] = (struct message_place){ position, *next, 0 };
	}
	return n;
}

static void send_all(struct message_note *note, notes_reader *read, uint64_t address,
		     uint64_t bytes)
{
	static struct message_place places[PIECE_PLACES];
	static uint8_t data[PIECE_BYTES];
	unsigned next = 0;

	do {
		uint32_t n = bytes < PIECE_BYTES ? (uint32_t)bytes : PIECE_BYTES;

		note->places = gather(places, &next, note->vcpu);
		/* It was there a moment ago: zeros stand for what another thread took. */
		if (!read(address, data, n))
			memset(data, 0, n);
		address += n;
		bytes -= n;
		note->left = (uint32_t)bytes;
		link_send(MESSAGE_NOTE,
			  (struct message_part[]){
				  { note, sizeof(*note) },
				  { places, note->places * sizeof(*places) },
				  { data, n } },
			  3);
	} while (bytes || next < slot_lanes());
}

/* A wrong pointer is the program's own business: there is no note then. */
static bool is_readable(notes_reader *read, uint64_t address, uint64_t bytes)
{
	uint8_t first, last;

	return bytes <= NOTE_BYTES_MAX &&
	       (!bytes ||
		(read(address, &first, 1) && read(address + bytes - 1, &last, 1)));
}

/* ---- sites --------------------------------------------------------------- */

/* The instruction at an address, in the guest's memory; 0: it cannot be read. */
static uint32_t word_at(notes_reader *read, uint64_t address)
{
	uint16_t low, high = 0;

	if (!read(address, &low, sizeof(low)))
		return 0;
	/* One of 2 bytes may be the last that can be read. */
	if ((low & 3) == 3 && !read(address + sizeof(low), &high, sizeof(high)))
		return 0;
	return (uint32_t)high << 16 | low;
}

static void look_at_sites(notes_reader *read, struct span data)
{
	uint64_t address = 0;

	while (span_left(&data) && !data.failed) {
		address += span_varint(&data);
		if (!data.failed)
			program_site(word_at(read, address));
	}
}

/* Before the call returns: code of these may be translated next. */
static void take_sites(notes_reader *read, uint64_t kind, uint64_t address,
		       uint64_t bytes)
{
	uint8_t *data = malloc(bytes);

	if (data && read(address, data, bytes)) {
		struct span span = span_of(data, bytes);

		if (kind == NOTE_STEPS) {
			sites_take_steps(span);
		} else if (!sites_step()) {
			sites_take(span);
			look_at_sites(read, span);
		}
	}
	free(data);
}

/* The sites of an interpreter's function while they are found. */
struct gathering {
	struct buf *sites; /* as a note's data */
	uint64_t last, start;
};

static bool gather_site(void *cookie, uint64_t offset)
{
	struct gathering *gathering = cookie;

	buf_put_varint(gathering->sites, gathering->start + offset - gathering->last);
	gathering->last = gathering->start + offset;
	return !gathering->sites->failed;
}

/* Puts what NOTE_SITES has of the function that a NOTE_EVALUATOR names; nothing if that is wrong. */
static void find_sites(notes_reader *read, struct span note, struct buf *sites)
{
	uint64_t start = span_varint(&note), bytes = span_varint(&note);
	uint64_t size = span_varint(&note);
	struct gathering gathering = { sites, 0, start };
	uint8_t *code = note.failed || bytes > EVALUATOR_BYTES ? NULL : malloc(bytes + 1);

	/* Guides are for RISC-V of 64 bits. */
	if (code && size <= 8 && read(start, code, bytes))
		dispatch_find(code, bytes, 64, (unsigned)size, gather_site, &gathering);
	free(code);
}

/* What the recorder has itself, as if it were the guest's: the address is a pointer. */
static bool read_own(uint64_t address, void *to, size_t bytes)
{
	memcpy(to, (const void *)(uintptr_t)address, bytes);
	return true;
}

/*
 * Finding the sites in the guest would cost it as much as a program that does next to nothing:
 * 16 million instructions for CPython's evaluator.
 */
static void send_evaluator(struct message_note *note, notes_reader *read,
			   uint64_t address, uint64_t bytes)
{
	uint8_t data[64];
	struct buf sites = BUF_INIT;

	if (bytes > sizeof(data) || !read(address, data, bytes))
		return;
	find_sites(read, span_of(data, bytes), &sites);
	if (sites.len && !sites.failed) {
		sites_take(span_of(sites.data, sites.len));
		note->kind = NOTE_SITES;
		send_all(note, read_own, (uintptr_t)sites.data, sites.len);
	}
	buf_fini(&sites);
}

/* -------------------------------------------------------------------------- */

void notes_send(unsigned vcpu, notes_reader *read, uint64_t kind, uint64_t address,
		uint64_t bytes)
{
	struct message_note note = { .vcpu = vcpu, .kind = (uint32_t)kind };

	if (vcpu >= LANES_MAX || !link_alive() || kind > UINT32_MAX ||
	    !is_readable(read, address, bytes) ||
	    (kind == NOTE_STEPS && !(slot_arena()->header.values & VALUES_STEPS)))
		return;
	link_lock();
	note.ns = clock_ns();
	note.position = told[vcpu] = link_position(vcpu);
	if (kind == NOTE_SITES || kind == NOTE_STEPS)
		take_sites(read, kind, address, bytes);
	if (kind == NOTE_EVALUATOR)
		send_evaluator(&note, read, address, bytes);
	else
		send_all(&note, read, address, bytes);
	link_unlock();
}
