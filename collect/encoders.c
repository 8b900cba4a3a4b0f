// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sum of all streams' memory has a bound. When it is exceeded, one stream must end
 * its chunk and give its memory back: the one with the greatest product of bytes and
 * idle time, where time is counted in ids that all streams were fed.
 *
 * The longest idle stream alone would be the wrong choice when more threads run than
 * there is room for. They take turns, so the one that has been idle longest is the next
 * to run, and every chunk would end after one turn. With the product, a stream of 2 MB
 * that has been idle for 10 million ids goes before one of 1 MB that has been idle for
 * 15 million.
 *
 * Encoders belong to streams, not to lanes: a stream keeps its encoder when its thread
 * moves to another lane.
 */
#include "collect/encoders.h"

#include <stdint.h>

#define KEPT_BYTES (6u << 20) /* an encoder that has grown by more is not kept */

#define LEAST_BYTES (16u << 20)

/* With more of the bound in use, streams gather ids instead of taking encoders. */
#define ROOM(bound) ((bound) / 4 * 3)

void encoders_init(struct encoders *encoders, size_t bound,
		   const struct stream_limits *limits)
{
	*encoders = (struct encoders){ .limits = *limits, .bound = bound };
}

static void drop_kept(struct encoders *encoders)
{
	while (encoders->n_kept) {
		struct encoder *encoder = encoders->kept[--encoders->n_kept];

		encoders->bytes -= encoder_memory(encoder);
		encoder_free(encoder);
	}
}

static void drop_shared(struct encoders *encoders)
{
	encoder_free(encoders->shared);
	encoders->shared = NULL;
	encoders->bytes -= encoders->shared_bytes;
	encoders->shared_bytes = 0;
}

void encoders_fini(struct encoders *encoders)
{
	drop_kept(encoders);
	drop_shared(encoders);
	pages_fini(&encoders->pages);
}

size_t encoders_bytes(const struct encoders *encoders)
{
	return encoders->bytes + pages_bytes(&encoders->pages);
}

/* ---- streams ------------------------------------------------------------- */

void encoders_join(struct encoders *encoders, struct holder *holder,
		   struct stream *stream)
{
	*holder = (struct holder){
		.stream = stream,
		.next = encoders->holders,
		.fed = encoders->fed,
	};
	if (holder->next)
		holder->next->before = holder;
	encoders->holders = holder;
}

void encoders_leave(struct encoders *encoders, struct holder *holder)
{
	encoders->bytes -= holder->bytes;
	if (holder->next)
		holder->next->before = holder->before;
	if (holder->before)
		holder->before->next = holder->next;
	else
		encoders->holders = holder->next;
}

void encoders_note(struct encoders *encoders, struct holder *holder, size_t ids,
		   size_t bytes, size_t in_pages)
{
	/* size_t wraps, so a stream may also report less than before. */
	encoders->bytes += bytes - holder->bytes;
	holder->bytes = bytes;
	holder->in_pages = in_pages;
	encoders->fed += ids;
	/* A report without ids (a flush) does not count as activity. */
	holder->fed = ids ? encoders->fed : holder->fed;
}

/* ---- encoders ------------------------------------------------------------ */

static struct encoder *make(const struct encoders *encoders, uint32_t known)
{
	struct encoder *encoder = encoder_new(encoders->limits.blocks);

	if (encoder && encoder_know(encoder, known) < 0) {
		encoder_free(encoder);
		return NULL;
	}
	return encoder;
}

static struct encoder *take_kept(struct encoders *encoders, uint32_t known)
{
	struct encoder *encoder = encoders->kept[--encoders->n_kept];

	encoders->bytes -= encoder_memory(encoder);
	if (!encoder_know(encoder, known))
		return encoder;
	encoder_free(encoder);
	return NULL;
}

/*
 * A kept encoder costs nothing new; another one only while it fits the streams' part of
 * the bound.
 */
struct encoder *encoders_take(struct encoders *encoders, uint32_t known)
{
	if (encoders->n_kept)
		return take_kept(encoders, known);
	if (encoders_bytes(encoders) + encoder_memory_first(known) >
	    ROOM(encoders->bound))
		return NULL;
	return make(encoders, known);
}

void encoders_give(struct encoders *encoders, struct encoder *encoder)
{
	size_t bytes = encoder_memory(encoder);

	/*
	 * Kept encoders save the allocation and clearing of megabytes; one that has grown
	 * would hold memory that the next stream need not use.
	 */
	if (encoders->n_kept == ENCODERS_KEPT ||
	    bytes > encoder_memory_least(encoder) + KEPT_BYTES) {
		encoder_free(encoder);
		return;
	}
	encoders->kept[encoders->n_kept++] = encoder;
	encoders->bytes += bytes;
}

struct encoder *encoders_lend(struct encoders *encoders, uint32_t known)
{
	if (!encoders->shared)
		encoders->shared = make(encoders, known);
	else if (encoder_know(encoders->shared, known) < 0)
		return NULL;
	return encoders->shared;
}

/*
 * After a large chunk the shared encoder would stay large for ever: then it is dropped.
 */
void encoders_lent(struct encoders *encoders)
{
	size_t bytes = encoder_memory(encoders->shared);

	if (bytes > encoder_memory_least(encoders->shared) + KEPT_BYTES) {
		drop_shared(encoders);
		return;
	}
	encoders->bytes += bytes - encoders->shared_bytes;
	encoders->shared_bytes = bytes;
}

/* ---- the bound ----------------------------------------------------------- */

/* Bytes that would be freed; one page may stay. */
static size_t gain(const struct holder *holder)
{
	size_t bytes = holder->bytes + holder->in_pages;

	return bytes > sizeof(struct page) ? bytes : 0;
}

/* The shared encoder grows with the program's code; chunks need some room beside it. */
static bool is_over(const struct encoders *encoders)
{
	size_t bytes = encoders_bytes(encoders);

	return bytes > encoders->bound && bytes > encoders->shared_bytes + LEAST_BYTES;
}

/*
 * A linear search. It runs only when the bound is exceeded, and each victim frees enough
 * for thousands of ids, so that even with thousands of streams it does not show.
 */
struct stream *encoders_victim(struct encoders *encoders)
{
	const struct holder *found = NULL;
	double most = 0;

	/* Kept encoders go first: no chunk has to end for them. */
	if (is_over(encoders))
		drop_kept(encoders);
	if (!is_over(encoders))
		return NULL;
	for (const struct holder *it = encoders->holders; it; it = it->next) {
		/*
		 * A double, because the product of bytes and ids can exceed 64 bits. The
		 * 1 keeps the stream that was fed last eligible.
		 */
		double worth = (double)gain(it) * (double)(encoders->fed - it->fed + 1);

		if (worth > most) {
			most = worth;
			found = it;
		}
	}
	return found ? found->stream : NULL;
}
