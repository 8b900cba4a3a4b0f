/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A chunk decoded as a whole, by pieces that end anywhere: runs are cut everywhere. For
 * tests of the codec.
 */
#ifndef TESTS_WHOLE_H
#define TESTS_WHOLE_H

#include <stdlib.h>
#include <string.h>

#include "format/codec.h"

/* *ids[codes->blocks] is good until the next call. 0, or the decoder's error. */
static inline int decode_whole(struct decoder *decoder, const struct codes *codes,
			       uint32_t known, const uint32_t **ids, struct wm_error *err)
{
	static uint32_t *whole;
	static uint32_t step;
	const uint32_t *piece;
	uint32_t n;
	int ret = decoder_begin(decoder, codes, known, err);

	if (ret)
		return ret;
	free(whole);
	whole = malloc((codes->blocks + 1ul) * sizeof(*whole));
	if (!whole)
		abort();
	for (uint32_t at = 0; at < codes->blocks; at += n) {
		ret = decoder_get(decoder, at, &piece, &n, err);
		if (ret)
			return ret;
		step = (step * 5 + 3) % 1024; /* all there are, in no order */
		if (n > step + 1)
			n = step + 1;
		memcpy(whole + at, piece, n * sizeof(*whole));
	}
	*ids = whole;
	return 0;
}

#endif
