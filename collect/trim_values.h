/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of a chunk without those of its first blocks. */
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
	struct wm_access_list list; /* of one block */
	uint64_t *words;	    /* [word_count] that it had in the lane */
	uint32_t word_count;
};

void trim_values_fini(struct trim_values *values);
/* Begins the chunk whose VALS is section `index`. Errors are those of writer_get(). */
int trim_values_begin(struct trim_values *values, const struct writer *from,
		      uint64_t index, struct wm_error *err);
/* The chunk's next block goes, or its values go to the encoder. */
int trim_values_drop(struct trim_values *values, uint32_t id, struct wm_error *err);
int trim_values_keep(struct trim_values *values, uint32_t id, struct values_encoder *to,
		     struct wm_error *err);

#endif
