/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of a chunk without those of its first or last blocks. */
#ifndef COLLECT_TRIM_VALUES_H
#define COLLECT_TRIM_VALUES_H

#include "format/values_decode.h"
#include "format/values_encode.h"
#include "format/writer.h"

/* All zeros but for the programs, at first. */
struct trim_values {
	const struct value_programs *programs; /* of all blocks; NULL: nothing has values */
	struct values_decoder *decoder;	       /* made when it is needed */
	struct buf payload, raw;
	struct wm_access_list list;   /* of one block */
	struct value_firing *firings; /* [n_firings] that its part has */
	uint32_t n_firings;
	uint64_t *words; /* [word_count] that it had in the lane */
	uint32_t word_count;
};

void trim_values_fini(struct trim_values *values);
/* Begins the chunk whose VALS is in values->payload. */
int trim_values_begin(struct trim_values *values, struct wm_error *err);

/* Of a block the instructions begin <= index < end, which are block `as` from now on. */
struct trim_values_part {
	uint32_t as, begin, end; /* with a begin, `as` has an empty program */
};

/* The chunk's next block goes, or the values of a part of it go to the encoder. */
int trim_values_drop(struct trim_values *values, uint32_t id, struct wm_error *err);
int trim_values_keep(struct trim_values *values, uint32_t id,
		     const struct trim_values_part *part, struct values_encoder *to,
		     struct wm_error *err);

#endif
