/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sequences of block ids, one for each CPU, kept in a temporary file. */
#ifndef TRACE_LOGSPOOL_H
#define TRACE_LOGSPOOL_H

#include "waymark.h"

enum { LOGSPOOL_CPUS = 1024, LOGSPOOL_RUN = 16384 };

/* What one CPU executed. */
struct logseq {
	uint32_t *tail; /* [LOGSPOOL_RUN + 1] the last ids; NULL: it never ran */
	uint32_t tail_ids;
	uint32_t runs; /* runs in the file, of LOGSPOOL_RUN ids each */
	uint32_t runs_room;
	uint64_t *run_off; /* [runs] offsets in the file */
};

struct logspool {
	int fd; /* an unlinked file in $TMPDIR, or in /tmp */
	uint64_t bytes;
	struct logseq cpus[LOGSPOOL_CPUS];
};

int logspool_new(struct logspool **spool, struct wm_error *err);
void logspool_free(struct logspool *spool);

/* Appends an id to a sequence. logspool_flush() is the slow path, for a full tail. */
int logspool_flush(struct logspool *spool, struct logseq *seq, struct wm_error *err);
static inline int logspool_add(struct logspool *spool, unsigned cpu, uint32_t id,
			       struct wm_error *err)
{
	struct logseq *seq = &spool->cpus[cpu];
	int ret;

	if ((!seq->tail || seq->tail_ids > LOGSPOOL_RUN) &&
	    (ret = logspool_flush(spool, seq, err)) != 0)
		return ret;
	seq->tail[seq->tail_ids++] = id;
	return 0;
}

/*
 * Removes the last id; false when it is not in the tail. A second call in a row can fail.
 */
bool logspool_take_back(struct logspool *spool, unsigned cpu);

/* The length of the CPU's sequence. */
uint64_t logspool_length(const struct logspool *spool, unsigned cpu);

struct logspool_reader {
	const struct logspool *spool;
	const struct logseq *seq;
	uint32_t run;	  /* the next one */
	uint32_t at, ids; /* in buffer */
	uint32_t buffer[LOGSPOOL_RUN + 1];
};

/* Starts to read the sequence of `cpu`, which must not grow while it is read. */
void logspool_reader_init(struct logspool_reader *reader, const struct logspool *spool,
			  unsigned cpu);

/* The next id: 0, WM_END, or WM_E_IO. */
int logspool_refill(struct logspool_reader *reader, struct wm_error *err);
static inline int logspool_next(struct logspool_reader *reader, uint32_t *id,
				struct wm_error *err)
{
	int ret;

	if (reader->at == reader->ids && (ret = logspool_refill(reader, err)) != 0)
		return ret;
	*id = reader->buffer[reader->at++];
	return 0;
}

#endif
