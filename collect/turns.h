/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which hart runs which stream, from when on: sections SCHD of a machine's recording. */
#ifndef COLLECT_TURNS_H
#define COLLECT_TURNS_H

#include "collect/output.h"
#include "collect/stream.h"

struct turns {
	bool wanted;	   /* the recording is of a machine, and all of it is kept */
	bool moved;	   /* a hart has turned from one stream to another */
	struct buf batch;  /* of turns that are not in the file */
	uint64_t batch_ns; /* time of the last turn in the batch; 0: the batch is empty */
	uint64_t last_ns;  /* time of the last turn, also of one that is in the file */
};

void turns_fini(struct turns *turns);
/*
 * Hart `hart` turns to a stream, whose record is in the file. `moves`: from another one,
 * and not because the machine began.
 */
void turns_add(struct turns *turns, uint32_t hart, const struct stream *stream,
	       uint64_t ns, bool moves, struct output *out);
/* Puts the batch; keeps it while each stream has stayed on its hart. */
void turns_put(struct turns *turns, struct output *out);

#endif
