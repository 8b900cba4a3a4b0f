// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * VALS payloads. What a string means is the codec's; here they are only packed, one after
 * the other, and bounded: all together they have at most VALUES_STRINGS_MAX bytes, whatever
 * the payload claims.
 */
#include "format/values_strings.h"

#include "format/pack.h"

#define LEVEL 3 /* zstd: a twentieth less than level 1, for a thirtieth of the time */

void values_put(struct buf *payload, const struct values_strings *strings)
{
	buf_put_u64(payload, strings->path_off);
	buf_put_u64(payload, strings->words);
	for (unsigned i = 0; i < VALUES_STRINGS; i++)
		pack_put(payload, strings->of[i].at, span_left(&strings->of[i]), LEVEL);
}

int values_get(struct span payload, struct buf *raw, struct values_strings *strings,
	       struct wm_error *err)
{
	size_t lengths[VALUES_STRINGS], at = 0;

	raw->len = 0;
	raw->failed = false;
	strings->path_off = span_u64(&payload);
	strings->words = span_u64(&payload);
	/* The buffer's memory may move until the last string is in it. */
	for (unsigned i = 0; i < VALUES_STRINGS; i++)
		lengths[i] = pack_get(&payload, raw, VALUES_STRINGS_MAX - raw->len);
	if (raw->failed)
		return wm_fail_nomem(err, "a chunk's values");
	if (payload.failed || span_left(&payload))
		return wm_fail(err, WM_E_DAMAGED, 0, "a chunk's values are malformed");
	for (unsigned i = 0; i < VALUES_STRINGS; i++) {
		strings->of[i] = span_of(raw->data + at, lengths[i]);
		at += lengths[i];
	}
	return 0;
}
