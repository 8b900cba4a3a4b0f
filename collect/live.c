// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * While a recording runs, its streams have chunks that are not finished. What is
 * reported, or written early, has to include them: instructions so far are those of
 * finished chunks and those that each stream has gathered since.
 */
#include "collect/live.h"

static uint64_t unfinished_insns(const struct image *image, const uint16_t *insns_of)
{
	uint64_t insns = 0;

	for (unsigned i = 0; i < image->threads.n; i++) {
		const struct stream *stream = image->threads.at[i].stream;

		if (stream)
			/*
			 * stream->insns are of finished chunks, which the sum of all
			 * chunks has already.
			 */
			insns += stream_insns(stream, insns_of) - stream->insns;
	}
	return insns;
}

uint64_t live_insns(const struct live *live)
{
	uint64_t insns = atomic_load(&live->recording->chunks.insns);

	for (unsigned i = 0; i < live->images->top; i++)
		if (images_live(live->images, i))
			insns += unfinished_insns(live->images->at[i],
						  live->recording->defs.insns_of);
	return insns;
}

uint64_t live_insns_in_file(const struct live *live)
{
	const struct chunks *chunks = &live->recording->chunks;

	return atomic_load(&chunks->insns) - newest_dropped_insns(&chunks->newest);
}

int live_flush(const struct live *live, struct wm_error *err)
{
	struct recording *rec = live->recording;

	for (unsigned i = 0; i < live->images->top; i++)
		if (images_live(live->images, i))
			image_flush(live->images->at[i]);
	/*
	 * Chunks have put the definitions they need; these are of blocks that no chunk
	 * contains yet.
	 */
	definitions_put(&rec->defs, &rec->out);
	turns_put(&rec->turns, &rec->out);
	eventlog_flush(&rec->events, &rec->out);
	notes_put(&rec->notes, &rec->out);
	if (rec->out.fault.code && err)
		*err = rec->out.fault;
	return rec->out.fault.code;
}

int live_stop(const struct live *live, struct wm_error *err)
{
	int ret;

	atomic_store(&live->board->orders.wish, WISH_STOP);
	/* Errors show in the seal below, which reports the first fault. */
	live_flush(live, NULL);
	ret = collector_seal(live->collector, "stop", err);
	for (unsigned i = 0; i < live->images->top; i++)
		if (images_live(live->images, i))
			/*
			 * After the seal nothing can be written. Plugins see the wish
			 * later, and ids that they still send must find no stream.
			 */
			threads_drop(&live->images->at[i]->threads);
	return ret;
}
