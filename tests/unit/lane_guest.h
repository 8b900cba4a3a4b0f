/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image of made-up guest threads (tests/unit/value_guest.h), whose ids, words and
 * messages go through shared memory to the collector, as a plugin would put them there.
 */
#ifndef TESTS_LANE_GUEST_H
#define TESTS_LANE_GUEST_H

#include "collect/image.h"
#include "collect/memory.h"
#include "value_guest.h"

enum { LANE_GUESTS = 3 };

/* A thread, and everything that it did. */
struct lane_guest {
	struct value_guest guest;
	uint32_t vcpu;
	uint64_t ids, words; /* positions: what it stored */
	uint32_t blocks;
};

struct lane_image {
	const char *path;
	struct memory memory;
	struct arena *arena;
	struct recording *rec;
	struct image *image;
	uint64_t message_head;
	uint32_t known; /* own ids */
	uint32_t gap;	/* that of a gap; 0: none yet */
	bool firings;	/* some have been defined */
	bool quiet;	/* nobody looks before a ring is crowded */
	bool plain;	/* nothing fires, and all blocks run to their ends */
	struct lane_guest guests[LANE_GUESTS];
};

extern struct lane_image lane_image;

/* Begins a recording of such values, with its threads, into file `path`. */
void lane_image_begin(const struct collector_facts *facts, const char *path,
		      uint32_t wanted);
/* Completes the file, with whatever the guests have published, and checks it. */
struct wm_trace *lane_image_end(void);
void lane_image_free(void);

void lane_message(enum message_type type, const void *payload, size_t bytes);
void lane_thread(enum message_type type, const struct lane_guest *guest,
		 const char *name);
/* Stores an id; the collector sees it after lane_publish(). */
void lane_put_id(struct lane_guest *guest, uint32_t id);
/* Runs a block, with the messages it takes, and publishes that now and then. */
void lane_run(struct lane_guest *guest);
/*
 * The same, but the thread does not get to its end, and nobody says so. Returns how many of
 * the block's accesses cannot be known. `killed`: it is stopped anywhere, also where it has
 * words of a firing whose id is not stored.
 */
size_t lane_run_cut(struct lane_guest *guest, bool killed);
/* The thread goes on unrecorded. */
void lane_gap(struct lane_guest *guest);
/* The own id of a firing, defined when it is new. */
uint32_t lane_firing(uint32_t block, const struct value_firing *firing);
/* Stores the words that the guest has made, up to position `end` of its own. */
void lane_put_words(struct lane_guest *guest, uint64_t end);
void lane_publish(const struct lane_guest *guest);
void lane_drain(void);

/*
 * The thread's stream in the file has its last blocks, with their accesses but for the last
 * `missing`. Returns its blocks.
 */
uint64_t lane_check(const struct wm_trace *trace, const struct lane_guest *guest,
		    size_t missing);

#endif
