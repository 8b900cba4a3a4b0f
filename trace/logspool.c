// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sequences of block ids, one per CPU, in one temporary file.
 *
 * A log of a few seconds names hundreds of millions of blocks, more than memory should
 * hold. So ids go to an unlinked file, which vanishes with the process. Each CPU writes
 * runs of equal length into the one file; what does not fill a run stays in memory, in
 * its tail.
 *
 * Invariant: a tail has room for one id more than a run, and a full tail is written
 * without its last id, because QEMU can still take that back. Example: with runs of 4,
 * ids 1 to 5 fill the tail; the sixth writes 1 2 3 4 and leaves 5 6.
 */
#include "trace/logspool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/temporary.h"

/* Runs have the same length, so an offset alone finds one. */
enum { RUN_BYTES = LOGSPOOL_RUN * sizeof(uint32_t) };

int logspool_new(struct logspool **out, struct wm_error *err)
{
	struct logspool *spool = calloc(1, sizeof(*spool));

	*out = NULL;
	if (!spool)
		return wm_fail_nomem(err, "the sequence of a log");
	spool->fd = temporary_open(err);
	if (spool->fd < 0) {
		free(spool);
		return WM_E_OUTPUT;
	}
	*out = spool;
	return 0;
}

void logspool_free(struct logspool *spool)
{
	if (!spool)
		return;
	for (unsigned i = 0; i < LOGSPOOL_CPUS; i++) {
		free(spool->cpus[i].tail);
		free(spool->cpus[i].run_off);
	}
	close(spool->fd);
	free(spool);
}

static int write_all(int fd, const void *data, size_t bytes, struct wm_error *err)
{
	const char *at = data;

	while (bytes > 0) {
		/* The file's own offset: runs are only ever appended. */
		ssize_t n = write(fd, at, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return wm_fail_write(err, "a temporary file");
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/* Offsets of 8 bytes for each 64 KiB: the list stays in memory. */
static int note_run(struct logseq *seq, uint64_t off, struct wm_error *err)
{
	if (seq->runs == seq->runs_room) {
		uint32_t room = seq->runs_room * 2 + 64;
		uint64_t *runs = realloc(seq->run_off, room * sizeof(*runs));

		if (!runs)
			return wm_fail_nomem(err, "the sequence of a log");
		seq->run_off = runs;
		seq->runs_room = room;
	}
	seq->run_off[seq->runs++] = off;
	return 0;
}

int logspool_flush(struct logspool *spool, struct logseq *seq, struct wm_error *err)
{
	int ret;

	/* The first id of a CPU: memory only for CPUs that run. */
	if (!seq->tail) {
		seq->tail = malloc(RUN_BYTES + sizeof(uint32_t));
		return seq->tail ? 0 : wm_fail_nomem(err, "the sequence of a log");
	}
	/* CPUs share the file, so each run remembers its offset. */
	ret = note_run(seq, spool->bytes, err);
	if (!ret)
		ret = write_all(spool->fd, seq->tail, RUN_BYTES, err);
	if (ret)
		return ret;
	spool->bytes += RUN_BYTES;
	/* The last id stays in memory. */
	seq->tail[0] = seq->tail[LOGSPOOL_RUN];
	/* The one id that QEMU may still take back. */
	seq->tail_ids = 1;
	return 0;
}

bool logspool_take_back(struct logspool *spool, unsigned cpu)
{
	struct logseq *seq = &spool->cpus[cpu];

	/* Ids in the file are final. */
	if (seq->tail_ids == 0)
		return false;
	seq->tail_ids--;
	return true;
}

/* What is in the file and what is still in the tail. */
uint64_t logspool_length(const struct logspool *spool, unsigned cpu)
{
	const struct logseq *seq = &spool->cpus[cpu];

	return (uint64_t)seq->runs * LOGSPOOL_RUN + seq->tail_ids;
}

void logspool_reader_init(struct logspool_reader *reader, const struct logspool *spool,
			  unsigned cpu)
{
	reader->spool = spool;
	reader->seq = &spool->cpus[cpu];
	reader->run = 0;
	/* Nothing is in the buffer, so the first read refills it. */
	reader->at = reader->ids = 0;
}

static int read_run(struct logspool_reader *reader, uint64_t off, struct wm_error *err)
{
	char *to = (char *)reader->buffer;
	size_t have = 0;

	while (have < RUN_BYTES) {
		/* pread(): several readers share the descriptor. */
		ssize_t n = pread(reader->spool->fd, to + have, RUN_BYTES - have,
				  (off_t)(off + have));

		if (n < 0 && errno == EINTR)
			continue;
		/*
		 * 0 bytes cannot be: the run was written. Then the file was cut from
		 * outside.
		 */
		if (n <= 0)
			return wm_fail_errno(err, "cannot read a temporary file back");
		have += (size_t)n;
	}
	return 0;
}

int logspool_refill(struct logspool_reader *reader, struct wm_error *err)
{
	const struct logseq *seq = reader->seq;

	reader->at = 0;
	if (reader->run < seq->runs) {
		reader->ids = LOGSPOOL_RUN;
		return read_run(reader, seq->run_off[reader->run++], err);
	}
	/* The tail counts as one more run, read once. */
	if (reader->run > seq->runs || seq->tail_ids == 0) {
		reader->ids = 0;
		return WM_END;
	}
	reader->run++;
	reader->ids = seq->tail_ids;
	memcpy(reader->buffer, seq->tail, seq->tail_ids * sizeof(uint32_t));
	return 0;
}
