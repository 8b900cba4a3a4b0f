/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the processes of a recording share: the file, its blocks, and how far it is. */
#ifndef COLLECT_RECORDING_H
#define COLLECT_RECORDING_H

#include <stdatomic.h>

#include "collect/definitions.h"
#include "collect/encoders.h"
#include "collect/eventlog.h"
#include "collect/keep.h"
#include "collect/mapped.h"
#include "collect/messages.h"
#include "collect/newest.h"
#include "collect/output.h"
#include "collect/rings.h"
#include "collect/sampler.h"
#include "collect/steering.h"
#include "format/arena.h"

#define TAKE_IDS (1u << 15) /* ids between two moves of a lane's tail */

struct recording {
	uint64_t begin_ns; /* CLOCK_MONOTONIC: when the recorder began */
	struct output out;
	struct newest newest;
	struct keep keep;
	struct definitions defs;
	struct mapped mapped;
	struct steered steered;
	struct sampler sampler;
	struct eventlog events;
	struct encoders encoders;
	struct rings rings;
	uint32_t streams, processes; /* in the file */
	uint32_t threads;	     /* met, in the file or not */
	bool passed;		     /* some of their instructions were left out */
	bool unsure;		     /* of these, not known to the instruction how many */
	struct message message;	     /* scratch */
	uint32_t ids[TAKE_IDS];	     /* scratch */
	uint64_t heads[LANES_MAX];   /* scratch */
	_Atomic uint64_t blocks, insns, bytes;
};

#endif
