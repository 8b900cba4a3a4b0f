/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the images of a recording share: the file, what is known of its blocks and
 * threads, and what is wanted of it. It owns the stages that a chunk passes; each stage
 * is handed only what it uses.
 */
#ifndef COLLECT_RECORDING_H
#define COLLECT_RECORDING_H

#include "collect/chunks.h"
#include "collect/definitions.h"
#include "collect/eventlog.h"
#include "collect/facts.h"
#include "collect/generated.h"
#include "collect/intake.h"
#include "collect/keep.h"
#include "collect/kernels.h"
#include "collect/lanes.h"
#include "collect/mapped.h"
#include "collect/notes.h"
#include "collect/output.h"
#include "collect/rings.h"
#include "collect/steering.h"
#include "collect/threads.h"
#include "format/arena.h"

#define RECORDING_GUIDES 16 /* more are not told */

struct recording {
	uint64_t begin_ns; /* CLOCK_MONOTONIC: when the recorder began */
	struct output out;
	bool machine;			   /* the image is a whole machine */
	const struct kernel_file *kernels; /* see struct collector_facts */
	struct guest_files files;	   /* the same */
	struct kernels_vdso vdso;
	struct keep keep;
	struct definitions defs;
	uint32_t values;   /* enum values_wanted of processes that record some */
	uint32_t width;	   /* bits of the guest's registers */
	uint32_t features; /* of the file, without those that come with values */
	char guides[RECORDING_GUIDES][GUIDE_NAME_BYTES]; /* [n_guides] that processes had */
	unsigned n_guides;
	struct mapped mapped;
	struct referred referred;
	struct generated generated;
	struct steered steered;
	struct eventlog events;
	struct chunks chunks;
	struct rings rings;
	struct turns turns;
	bool follows; /* the layout of the machine's Linux is known */
	struct notes notes;
	struct tally tally;
	struct message message;	   /* scratch */
	uint32_t ids[TAKE_IDS];	   /* scratch */
	uint64_t heads[LANES_MAX]; /* scratch */
};

/*
 * Opens `output` under a temporary name, and writes orders for the plugins to the board,
 * which must outlive the recording. recording_fini() is to be called also after a
 * failure. The recording is all zeros before.
 */
int recording_init(struct recording *recording, struct board *board, const char *output,
		   const struct collector_facts *facts, struct wm_error *err);
void recording_fini(struct recording *recording);
/* The first plugin is there, with this header: the file gets its first sections. */
void recording_begin(struct recording *recording, const struct collector_facts *facts,
		     const struct board *board, const struct arena_header *header);
/* A process is there, with this header: the file gets what it is the first to need. */
void recording_process(struct recording *recording, const struct arena_header *header);
/* The file gets its name, if something was recorded and the file is to be kept. */
void recording_publish(struct recording *recording);
/*
 * Completes the file; `until` is the reason why it ends before the guest, one of FORMAT.md,
 * or NULL. What is put from then on is dropped.
 */
int recording_seal(struct recording *recording, const struct board *board,
		   const char *until, struct wm_error *err);
/* All has ended: completes the file, or takes it away when nobody wants it. */
void recording_end(struct recording *recording, const struct board *board);

#endif
