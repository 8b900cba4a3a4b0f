/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values beside a chunk's path, decoded in step with its blocks. */
#ifndef TRACE_VALUES_H
#define TRACE_VALUES_H

#include "format/values_decode.h"
#include "trace/trace.h"

/* Bytes of the file that values and the programs of blocks take; 0: it has none. */
uint64_t trace_values_bytes(const struct wm_trace *trace);

/* Which values the recording has: bits of enum values_wanted, by META. */
unsigned trace_values_recorded(const struct wm_trace *trace);

struct values_reader {
	struct values_decoder *decoder; /* NULL: not made yet */
	struct buf payload, raw;	/* what it reads */
	uint64_t chunk;			/* index in the trace; meaningless until begun */
	bool begun;
	uint32_t first, at;	    /* positions in the chunk: of list, and the next */
	struct wm_access_list list; /* accesses of blocks first <= position < at */
};

/* WM_E_RANGE, with how to record them, when the trace has no accesses of memory. */
int trace_values_need_accesses(const struct wm_trace *trace, struct wm_error *err);

void values_reader_fini(struct values_reader *reader);
/* Bytes of its memory. */
size_t values_reader_memory(const struct values_reader *reader);

/*
 * Goes before the first block of chunk `chunk`. WM_END: it has no values. WM_E_DAMAGED,
 * WM_E_NOMEM, WM_E_IO.
 */
int values_reader_begin(struct values_reader *reader, const struct wm_trace *trace,
			uint64_t chunk, struct wm_error *err);
/*
 * The accesses of the chunk's next n blocks, which are ids[n]: reader->list has them until
 * the next call. Without `keep` they are only passed over. Errors are those of the codec.
 */
int values_reader_take(struct values_reader *reader, const struct wm_trace *trace,
		       const uint32_t *ids, uint32_t n, bool keep, struct wm_error *err);
/* After the last block: WM_E_DAMAGED when values are left over. */
int values_reader_end(const struct values_reader *reader, const struct wm_trace *trace,
		      struct wm_error *err);

#endif
