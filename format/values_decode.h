/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes the values of a chunk, in step with its blocks. */
#ifndef FORMAT_VALUES_DECODE_H
#define FORMAT_VALUES_DECODE_H

#include "format/values_programs.h"
#include "waymark.h"

struct values_decoder;
struct value_firing;

/* Accesses, appended: the caller's, who frees `all`. */
struct wm_access_list {
	struct wm_access *all; /* [room] */
	size_t n, room;
	uint32_t block; /* what `block` of the next ones is */
};

/* NULL: no memory. */
struct values_decoder *values_decoder_new(void);
void values_decoder_free(struct values_decoder *decoder);
/*
 * Begins a chunk with these VALS. The programs and *raw, which is reused, must stay until
 * the next chunk begins. WM_E_DAMAGED, WM_E_NOMEM.
 */
int values_decoder_begin(struct values_decoder *decoder,
			 const struct value_programs *programs, struct span vals_payload,
			 struct buf *raw, struct wm_error *err);
/*
 * The chunk's next block is `id`: appends what it accessed, and what registers had.
 * WM_E_DAMAGED or WM_E_NOMEM; after that the chunk must not be continued.
 */
int values_decoder_block(struct values_decoder *decoder, uint32_t id,
			 struct wm_access_list *out, struct wm_error *err);
/*
 * The same of those of the chunk's next blocks ids[*n] that come before the first one that needs
 * a closer look; *n becomes how many. `block` of what they accessed is out->block and their index.
 */
int values_decoder_plain(struct values_decoder *decoder, const uint32_t *ids, uint32_t *n,
			 struct wm_access_list *out, struct wm_error *err);
/* What the block of values_decoder_block() fired: (*n) of what was appended are of these. */
const struct value_firing *values_decoder_firings(const struct values_decoder *decoder,
						  uint32_t *n);
/* Bytes of its memory, without the raw ones. */
size_t values_decoder_memory(const struct values_decoder *decoder);
/* Whether all of the chunk's values were used, as they are after its last block. */
bool values_decoder_done(const struct values_decoder *decoder);

#endif
