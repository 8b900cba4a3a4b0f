// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Iterations of one loop, counted in a part of a thread.
 *
 * Invariant: `head` counts the iterations before the first entry of the part, which belong to
 * an entry of an earlier part; `at` those of the last entry, which may go on in the next
 * part. Only an entry that has ended is compared with `least` and `most`. Example: arrivals
 * are "again, entry, again, entry". Then `head` is 1, `least` and `most` are 2, and `at` is 1.
 *
 * A gap ends all entries. `gaps` is how many gaps came before the last entry; iterations
 * after a later gap belong to no entry.
 */
#include "analysis/cfg/iterations.h"

static void finish(struct iterations *count, uint64_t iterations)
{
	/* No entry has 0 iterations, so 0 means that none was seen. */
	if (!count->least || iterations < count->least)
		count->least = iterations;
	if (iterations > count->most)
		count->most = iterations;
}

void iterations_enter(struct iterations *count, uint64_t gaps)
{
	if (count->entries++)
		finish(count, count->at);
	count->at = 1;
	count->gaps = gaps;
	count->iterations++;
}

/*
 * Adds iterations to the last entry, or to one in an earlier part. A gap since then ended
 * that entry.
 */
static void go_on(struct iterations *count, uint64_t gaps, uint64_t iterations)
{
	if (count->gaps != gaps)
		return;
	if (count->entries)
		count->at += iterations;
	else
		count->head += iterations;
}

void iterations_add_one(struct iterations *count, uint64_t gaps)
{
	go_on(count, gaps, 1);
	count->iterations++;
}

void iterations_append(struct iterations *count, const struct iterations *next,
		       uint64_t gaps)
{
	go_on(count, gaps, next->head);
	if (next->entries) {
		if (count->entries)
			finish(count, count->at);
		if (next->least)
			/*
			 * The iterations of an entry that `next` began last are open,
			 * like those of `count`. All entries before that one have ended.
			 */
			finish(count, next->least);
		if (next->most)
			finish(count, next->most);
		count->at = next->at;
		count->gaps = gaps + next->gaps;
	}
	count->entries += next->entries;
	count->iterations += next->iterations;
}

/* Both bounds of the thread are compared with both of all threads. */
void iterations_add_thread(struct iterations *all, const struct iterations *thread)
{
	if (thread->entries)
		finish(all, thread->at);
	if (thread->least)
		finish(all, thread->least);
	if (thread->most)
		finish(all, thread->most);
	all->entries += thread->entries;
	all->iterations += thread->iterations;
}

bool iterations_any(const struct iterations *count)
{
	return count->head || count->iterations;
}

void iterations_put(const struct iterations *count, struct buf *out)
{
	buf_put_varint(out, count->head);
	buf_put_varint(out, count->at);
	buf_put_varint(out, count->least);
	buf_put_varint(out, count->most);
	buf_put_varint(out, count->entries);
	buf_put_varint(out, count->iterations);
	buf_put_varint(out, count->gaps);
}

void iterations_get(struct iterations *count, struct span *in)
{
	count->head = span_varint(in);
	count->at = span_varint(in);
	count->least = span_varint(in);
	count->most = span_varint(in);
	count->entries = span_varint(in);
	count->iterations = span_varint(in);
	count->gaps = span_varint(in);
}
