// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers are varints. The bytes are this process' own, so a tuple is there as a whole or not at
 * all.
 *
 * A trace has a log for each of its threads, so one keeps little in memory: a page of the largest
 * that there are.
 */
#include "analysis/mem/heap_log.h"

#include "base/error.h"

enum { LOG_BYTES = 1 << 16 };

void heap_log_fini(struct heap_log *log)
{
	spool_free(log->spool);
	*log = (struct heap_log){ .spool = NULL };
}

int heap_log_put(struct heap_log *log, const uint64_t *numbers, unsigned n,
		 struct wm_error *err)
{
	uint8_t bytes[64], *at = bytes;

	if (!log->spool)
		log->spool = spool_new_of(LOG_BYTES);
	if (!log->spool)
		return wm_fail_nomem(err, "the history of the heap");
	for (unsigned i = 0; i < n; i++)
		at = put_varint(at, numbers[i]);
	return spool_put(log->spool, bytes, (size_t)(at - bytes), err);
}

int heap_log_end(struct heap_log *log, struct wm_error *err)
{
	return log->spool ? spool_end(log->spool, &log->all, err) : 0;
}

struct heap_log_reader heap_log_read(const struct heap_log *log)
{
	return (struct heap_log_reader){ .log = log, .in = log->all };
}

bool heap_log_next(struct heap_log_reader *reader, uint64_t *numbers, unsigned n)
{
	if (!span_left(&reader->in))
		return false;
	for (unsigned i = 0; i < n; i++)
		numbers[i] = span_varint(&reader->in);
	spool_give_back(reader->log->spool, &reader->given_back, reader->in.at);
	return true;
}
