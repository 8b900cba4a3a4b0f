// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges the ids of one CPU with the doubts of the log.
 *
 * Example: CPU 0 enters A, and so does CPU 1. One of them stops, and the reader guesses CPU 1.
 * CPU 0 goes on with A and B. Its sequence is A, A in doubt, B, and that of CPU 1 begins with
 * A in doubt.
 */
#include "trace/qemulog-sequence.h"

void qemulog_sequence_init(struct qemulog_sequence *sequence, const struct qemulog *log,
			   unsigned cpu)
{
	/* Not the buffer of `spool`. */
	sequence->log = log;
	sequence->cpu = cpu;
	sequence->at = 0;
	sequence->doubt = 0;
	sequence->has_ahead = false;
	sequence->held = 0;
	logspool_reader_init(&sequence->spool, log->spool, cpu);
}

/* The CPU's next doubt; NULL: it has none. */
static const struct logdoubt *next_doubt(struct qemulog_sequence *sequence)
{
	const struct qemulog *log = sequence->log;

	while (sequence->doubt < log->doubts_n &&
	       log->doubts[sequence->doubt].cpu != sequence->cpu)
		sequence->doubt++;
	return sequence->doubt < log->doubts_n ? &log->doubts[sequence->doubt] : NULL;
}

/* In the log's order. */
static int next_logged(struct qemulog_sequence *sequence, struct qemulog_entry *entry,
		       struct wm_error *err)
{
	const struct logdoubt *doubt = next_doubt(sequence);
	int ret;

	entry->in_doubt = doubt && doubt->at == sequence->at;
	if (entry->in_doubt)
		sequence->doubt++;
	if (entry->in_doubt && !doubt->there) {
		entry->id = doubt->id;
		return 0;
	}
	ret = logspool_next(&sequence->spool, &entry->id, err);
	sequence->at += !ret;
	return ret;
}

static int read_ahead(struct qemulog_sequence *sequence, struct wm_error *err)
{
	int ret = sequence->has_ahead ? 0 : next_logged(sequence, &sequence->ahead, err);

	sequence->has_ahead = !ret;
	return ret;
}

int qemulog_sequence_next(struct qemulog_sequence *sequence, struct qemulog_entry *entry,
			  struct wm_error *err)
{
	int ret;

	while (!(ret = read_ahead(sequence, err))) {
		*entry = sequence->ahead;
		/* The equal ones have passed. */
		if (sequence->held && sequence->held_id != entry->id)
			break;
		sequence->has_ahead = false;
		if (!entry->in_doubt)
			return 0;
		sequence->held_id = entry->id;
		sequence->held++;
	}
	if (ret < 0 || !sequence->held)
		return ret;
	sequence->held--;
	*entry = (struct qemulog_entry){ sequence->held_id, true };
	return 0;
}
