// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An answer in a shard:
 *
 *	number  identity  bytes  answer
 *
 * Invariant: numbers ascend, so a merge is one pass, and an answer that two shards have is seen.
 */
#include "query/answers.h"

#include "analysis/statebytes.h"
#include "base/error.h"
#include "query/state_file.h"

static void put_entry(struct buf *out, const struct answers_entry *entry)
{
	size_t bytes = span_left(&entry->bytes);

	buf_put_varint(out, entry->number);
	buf_put_u64(out, entry->identity);
	buf_put_varint(out, bytes);
	buf_put(out, entry->bytes.at, bytes);
}

void answers_add(struct buf *out, uint64_t number, uint64_t identity,
		 const struct answer *answer)
{
	struct buf bytes = BUF_INIT;
	struct answers_entry entry = { .number = number, .identity = identity };

	answer_put(answer, &bytes);
	entry.bytes = span_of(bytes.data, bytes.len);
	put_entry(out, &entry);
	out->failed |= bytes.failed;
	buf_fini(&bytes);
}

static int malformed(struct wm_error *err)
{
	return wm_fail(err, WM_E_FORMAT, 0, "a part's answers are malformed");
}

int answers_next(struct span *in, struct answers_entry *entry, struct wm_error *err)
{
	if (!span_left(in))
		return WM_END;
	entry->number = span_varint(in);
	entry->identity = span_u64(in);
	entry->bytes = span_sub(in, state_count(in));
	return in->failed ? malformed(err) : 0;
}

int answers_check_trace(const struct answers_entry *entry, const char *file,
			struct wm_error *err)
{
	uint64_t identity;
	int ret = state_identity_of(file, &identity, err);

	if (!ret && identity != entry->identity)
		ret = wm_fail(err, WM_E_RANGE, 0,
			      "it is not the trace that the parts were computed from");
	return ret;
}

/*
 * `more_a` and `more_b` are 0 while x and y are the next entries, and WM_END after the last
 * ones.
 */
int answers_merge(struct span a, struct span b, struct buf *out, struct wm_error *err)
{
	struct answers_entry x, y;
	int more_a = answers_next(&a, &x, err);
	int more_b = more_a < 0 ? more_a : answers_next(&b, &y, err);

	while (more_a >= 0 && more_b >= 0 && (!more_a || !more_b)) {
		bool is_a = !more_a && (more_b || x.number < y.number);

		if (!more_a && !more_b && x.number == y.number)
			return malformed(err);
		put_entry(out, is_a ? &x : &y);
		if (is_a)
			more_a = answers_next(&a, &x, err);
		else
			more_b = answers_next(&b, &y, err);
	}
	if (more_a < 0 || more_b < 0)
		return more_a < 0 ? more_a : more_b;
	return out->failed ? wm_fail_nomem(err, "answers") : 0;
}
